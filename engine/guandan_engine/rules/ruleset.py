"""A rule set: every parameter of Guandan, each with its default (that of ``standard``) and what it may be."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final

from guandan_engine.rules.combination import CombinationRules
from guandan_engine.rules.conduct import ConductRules
from guandan_engine.rules.match import MatchRules
from guandan_engine.rules.parameter import Name, Plain, parameter, plain
from guandan_engine.rules.promotion import PromotionRules
from guandan_engine.rules.tribute import TributeRules
from guandan_engine.rules.trick import TrickRules


@dataclass(frozen=True, kw_only=True)
class RuleSet(ConductRules, MatchRules, PromotionRules, TributeRules, TrickRules, CombinationRules):
    """How Guandan is played at a table. Paragraph numbers (§) are those of ``docs/rules.md``.

    The parameters stand by subject in the classes this one is made of. Every allowed value is played exactly.
    """

    name: str = parameter("standard", Name())

    @cached_property
    def combination_set(self) -> int:
        """Return a number that is the same for rule sets with equal combinations; only for use in this process."""
        key = tuple(getattr(self, f.name) for f in fields(CombinationRules))
        return _COMBINATION_SETS.setdefault(key, len(_COMBINATION_SETS))

    def as_dict(self) -> dict[str, Plain]:
        """Return every parameter by name as a plain value; ``from_dict`` reads it back."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}


_COMBINATION_SETS: Final[dict[tuple[Any, ...], int]] = {}
