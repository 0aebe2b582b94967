"""For every parameter of a rule set a position whose outcome differs between its values.

``POSITIONS`` maps a parameter to functions from a rule set to something that can be compared: what is legal, who leads,
what a fault costs. Each module of ``tests/positions/`` adds those of its subject with ``position``. The mutation test
(tests/unit/engine/test_rule_positions.py) changes a parameter of a preset to each other value and holds that an outcome
changes, unless ``IDLE`` says that the rest of the rule set leaves the parameter nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeAlias

from guandan_engine.rules import RuleSet

Position: TypeAlias = Callable[[RuleSet], Hashable]

POSITIONS: dict[str, list[Position]] = {}

IDLE: dict[str, Callable[[RuleSet], bool]] = {}
"""When a parameter can make no difference, whatever its value; for both rule sets of a mutation."""


def position(*parameters: str) -> Callable[[Position], Position]:
    """Register a position that tells the values of these parameters apart."""

    def register(of: Position) -> Position:
        for parameter in parameters:
            POSITIONS.setdefault(parameter, []).append(of)
        return of

    return register
