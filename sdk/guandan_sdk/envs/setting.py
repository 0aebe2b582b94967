"""What an environment is made for: a rule set and a level."""

from __future__ import annotations

from guandan_engine.cards import Rank
from guandan_engine.errors import EngineError
from guandan_engine.rules import RuleSet, load
from guandan_sdk.errors import InvalidInput

__all__ = ["level_of", "rules_of"]


def rules_of(rules: str | RuleSet) -> RuleSet:
    """Return a rule set, or the preset of this name."""
    if isinstance(rules, RuleSet):
        return rules
    try:
        return load(rules)
    except EngineError as error:
        raise InvalidInput(str(error), "guandan rules list shows the presets") from None


def level_of(level: str | Rank | None, rules: RuleSet) -> Rank | None:
    """Return the level of every deal; None to draw each, unless the rule set fixes it."""
    if level is None:
        return rules.fixed_level
    try:
        found = level if isinstance(level, Rank) else Rank.parse(level)
    except EngineError as error:
        raise InvalidInput(str(error), "a level is one of 2 3 4 5 6 7 8 9 T J Q K A") from None
    if found > Rank.ACE:
        raise InvalidInput(f"{found} is not a level", "a level is one of 2 3 4 5 6 7 8 9 T J Q K A")
    return found
