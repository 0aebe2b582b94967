"""What can go wrong with a worker's claim on its task."""

from __future__ import annotations


class LeaseLost(Exception):
    """Another attempt owns the match now: what was played here does not count."""
