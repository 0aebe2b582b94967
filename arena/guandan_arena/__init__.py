"""The Guandan Arena server."""
