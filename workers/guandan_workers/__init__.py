"""Celery workers that play matches with sandboxed bots."""
