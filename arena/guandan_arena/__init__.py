"""The Guandan Arena server."""

__all__ = ["app", "errors", "ports", "ratings", "services", "settings", "tournaments"]
