"""Reference bots, each stronger than the one before.

``random`` plays anything legal, ``greedy`` plays low, ``planner`` thinks about its whole hand, ``search`` looks ahead.
"""

from typing import Final

REFERENCE_BOTS: Final = {
    "random": "guandan_sdk.bots.random",
    "greedy": "guandan_sdk.bots.greedy",
    "planner": "guandan_sdk.bots.planner",
    "search": "guandan_sdk.bots.search",
}
