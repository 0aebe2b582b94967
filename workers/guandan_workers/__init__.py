"""Celery workers that play matches with sandboxed bots."""

__all__ = ["app", "errors", "runner", "sandbox", "tasks"]
