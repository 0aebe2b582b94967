"""Parameters that deny each other: each pair stands in one table, with what would be allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from guandan_engine.rules.parameter import written
from guandan_engine.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Contradiction:
    """``keys``: the parameters that cannot stand together; ``allowed``: what to write instead."""

    keys: tuple[str, ...]
    holds: Callable[[RuleSet], bool]
    allowed: str

    def text(self, rules: RuleSet) -> str:
        """Name the keys, their values and what is allowed."""
        pairs = " and ".join(f"{key} = {written(getattr(rules, key))}" for key in self.keys)
        return f"{pairs} contradict each other; allowed: {self.allowed}"


def contradiction(rules: RuleSet) -> Contradiction | None:
    """Return the first contradiction in a rule set, None when it is sound."""
    return next((one for one in CONTRADICTIONS if one.holds(rules)), None)


CONTRADICTIONS: Final = (
    Contradiction(
        ("fixed_level", "unit"),
        lambda r: r.fixed_level is not None and r.unit != "points",
        'where levels do not move, unit = "points"',
    ),
    Contradiction(
        ("fixed_level", "end_on"),
        lambda r: r.fixed_level is not None and "final" in r.end_on,
        'where levels do not move, end_on of "time", "deals"',
    ),
    Contradiction(
        ("unit", "end_on"),
        lambda r: r.unit == "points" and "final" in r.end_on,
        'where gains are points, end_on of "time", "deals"',
    ),
)
