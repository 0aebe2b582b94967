"""Celery workers that play the arena's matches."""

__all__ = ["app", "errors", "tasks"]
