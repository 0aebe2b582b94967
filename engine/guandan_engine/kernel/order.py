"""Comparing combos (docs/rules.md §2 and §5)."""

from __future__ import annotations

from guandan_engine.cards import Rank, Suit, order_key
from guandan_engine.combos import RUN_LENGTHS, Combo, Kind, natural_top
from guandan_engine.rules import RuleSet


def rank_strength(rank: Rank, rules: RuleSet, level: Rank) -> int:
    """Return the strength of a rank among single cards and groups (§2.1)."""
    if rank is Rank.ACE and rules.single_ace == "low" and level is not Rank.ACE:
        return -1
    return order_key(rank, level)


def strength(combo: Combo, rules: RuleSet, level: Rank) -> int:
    """Return the strength within a kind and a size (§5.2); all combos of the same strength are equal."""
    if not combo.kind.is_run:
        return rank_strength(combo.rank, rules, level)
    place = _run_strength(combo, rules, level)
    if rules.sf_tie == "hearts_top" and combo.kind is Kind.STRAIGHT_FLUSH:
        return 2 * place + (combo.suit is Suit.HEARTS)
    return place


def _run_strength(combo: Combo, rules: RuleSet, level: Rank) -> int:
    """Return the strength of a run: of its top card as a single, or its place from the ace-low run up."""
    if combo.rank is not Rank.ACE and rules.seq_compare == "natural":
        return int(combo.rank)
    top = natural_top(combo.rank, RUN_LENGTHS[combo.kind]) if combo.top is None else combo.top
    if rules.seq_compare == "level":
        return order_key(top, level)
    # Two triples from the ace are the lowest, or the highest where the level card stands above it.
    above_ace = rules.seq_level_card == "elevated" and combo.kind is Kind.TWO_TRIPS and top is level
    return int(Rank.ACE) if above_ace else -1


def beats(a: Combo, b: Combo, rules: RuleSet, level: Rank) -> bool:
    """Whether ``a`` may be laid on ``b``: the same kind and strictly stronger, or a bomb on anything weaker (§5)."""
    power_a, power_b = _power(a, rules), _power(b, rules)
    if power_a != power_b:
        return power_a > power_b
    return a.kind is b.kind and strength(a, rules, level) > strength(b, rules, level)


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
