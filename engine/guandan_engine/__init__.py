"""Guandan: cards, plays, rule sets, deals, matches, tables and replays. Pure: no IO, no clock, no random source."""

__all__ = [
    "actions",
    "board",
    "cards",
    "clock",
    "combos",
    "conduct",
    "deal",
    "errors",
    "events",
    "match",
    "notation",
    "plays",
    "replay",
    "rules",
    "shuffle",
    "table",
    "tribute",
    "trick",
    "view",
]
