"""The canonical action space: to pass and every combo, each with a number that never depends on rules or level."""

from __future__ import annotations

from typing import Final

from guandan_engine.combos import ALL_COMBOS, UNUSUAL_COMBOS, Combo, interned
from guandan_engine.errors import EngineError

PASS: Final = 0
"""The number of passing."""
ACTIONS: Final[tuple[Combo | None, ...]] = (None, *ALL_COMBOS, *UNUSUAL_COMBOS)
"""What may be done by number: None is to pass; the combos that only unusual rules know come last."""
ACTION_COUNT: Final = len(ACTIONS)


def action_of(combo: Combo | None) -> int:
    """Return the number of a combo, or of passing (None); raise EngineError when no cards make the combo."""
    if combo is None:
        return PASS
    try:
        return combo.action if combo.action > 0 else interned(combo).action
    except AttributeError as error:
        raise TypeError(f"a combo is needed: {error}") from error


def combo_of(action: int) -> Combo | None:
    """Return the combo of a number, None for passing; raise EngineError when there is no such number."""
    if not 0 <= action < ACTION_COUNT:
        raise EngineError(f"no action has number {action}; they go from 0 to {ACTION_COUNT - 1}")
    return ACTIONS[action]
