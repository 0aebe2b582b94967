"""The guandan.v1 protocol and its codec."""
