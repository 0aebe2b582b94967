"""Guandan: cards, plays, rule sets, deals, matches, tables and replays. Pure: no IO, no clock, no random source.

``compiled`` says whether the compiled kernel runs, or the source it was made from (``guandan_engine.kernel.build``).
"""

from __future__ import annotations

__all__ = [
    "actions",
    "board",
    "cards",
    "clock",
    "combos",
    "compiled",
    "conduct",
    "deal",
    "dealing",
    "errors",
    "events",
    "kernel",
    "knowledge",
    "leg",
    "match",
    "notation",
    "pace",
    "paying",
    "plays",
    "promotion",
    "replay",
    "rules",
    "score",
    "shuffle",
    "table",
    "tribute",
    "trick",
    "view",
    "worlds",
]


def __getattr__(name: str) -> bool:
    if name == "compiled":
        from guandan_engine.kernel import compiled  # noqa: PLC0415  (importing the package imports no module)

        return compiled
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
