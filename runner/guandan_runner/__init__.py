"""From a bot's archive to a played table: unpacking, sandboxes, sockets, and the table host between four processes."""

__all__ = [
    "archives",
    "errors",
    "feed",
    "host",
    "line",
    "manifest",
    "match",
    "referee",
    "results",
    "sandbox",
    "seating",
    "stopwatch",
]
