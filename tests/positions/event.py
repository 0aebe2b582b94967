"""The form of an event: what its organiser is told; events are paired by the arena, not by the engine."""

from __future__ import annotations

from collections.abc import Hashable

from guandan_engine.rules import RuleSet
from guandan_engine.rules.wording import value_text
from tests.rule_positions import position


@position("format")
def what_an_organiser_reads(rules: RuleSet) -> Hashable:
    return value_text("format", rules.as_dict()["format"])
