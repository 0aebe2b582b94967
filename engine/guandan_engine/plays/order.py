"""Comparing combos (docs/rules.md §2 and §5)."""

from __future__ import annotations

from guandan_engine.cards import Rank, order_key
from guandan_engine.combos import Combo, Kind
from guandan_engine.rules import RuleSet


def strength(combo: Combo, level: Rank) -> int:
    """Return the strength within a kind: natural order for runs (ace-low run lowest), level order for the rest."""
    if combo.kind.is_run:
        return -1 if combo.rank is Rank.ACE else int(combo.rank)
    return order_key(combo.rank, level)


def beats(a: Combo, b: Combo, rules: RuleSet, level: Rank) -> bool:
    """Whether ``a`` may be laid on ``b``: the same kind and strictly stronger, or a bomb on anything weaker (§5)."""
    power_a, power_b = _power(a, rules), _power(b, rules)
    if power_a != power_b:
        return power_a > power_b
    return a.kind is b.kind and strength(a, level) > strength(b, level)


def may_follow(combo: Combo, to_beat: Combo | None, rules: RuleSet, level: Rank) -> bool:
    """Whether a combo may be laid now: anything when leading, else what beats ``to_beat``."""
    return to_beat is None or beats(combo, to_beat, rules, level)


def _power(combo: Combo, rules: RuleSet) -> int:
    """Return the rung on the ladder of bombs: 0 for what is no bomb, then 4, 5, straight flush, 6 .. 10, jokers."""
    if combo.kind is Kind.JOKER_BOMB:
        return 100
    if combo.kind is Kind.STRAIGHT_FLUSH:
        return 2 * rules.sf_beats_upto + 1
    return 2 * combo.size if combo.kind is Kind.BOMB else 0
