"""Why cards are no combo: one sentence for each thing players try (docs/rules.md §3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from guandan_engine.cards import Card, Rank
from guandan_engine.rules import RuleSet

_Check: TypeAlias = Callable[[list[Rank], int, RuleSet], bool]
_RUN_SHAPES: Final = ((5, 1), (3, 2), (2, 3))


def why_no_combo(cards: Sequence[Card], rules: RuleSet, level: Rank) -> str:
    """Return the reason that fits best; ``cards`` are known to have no reading."""
    naturals = sorted(card.rank for card in cards if not card.is_wild(level))
    wilds = len(cards) - len(naturals)
    return next((why for why, applies in _REASONS if applies(naturals, wilds, rules)), "not a combination")


def _wild_joins_not(ranks: list[Rank], wilds: int, rules: RuleSet) -> bool:
    return wilds > 0 and set(rules.wild_kinds) != set(RuleSet().wild_kinds)


def _wild_with_jokers(ranks: list[Rank], wilds: int, rules: RuleSet) -> bool:
    return not rules.wild_with_jokers and wilds > 0 and len(ranks) > 1 and ranks[-2] == ranks[-1] > Rank.ACE


def _joker_pair_in_full_house(ranks: list[Rank], wilds: int, rules: RuleSet) -> bool:
    jokers = sum(rank > Rank.ACE for rank in ranks)
    return not rules.full_house_joker_pair and len(ranks) + wilds == 5 and jokers == 2


def _mixed_jokers(ranks: list[Rank], wilds: int, rules: RuleSet) -> bool:
    return not rules.mixed_joker_pair and ranks.count(Rank.SMALL_JOKER) == ranks.count(Rank.BIG_JOKER) == 1


def _wild_for_joker(ranks: list[Rank], wilds: int, rules: RuleSet) -> bool:
    return wilds > 0 and any(rank > Rank.ACE and ranks.count(rank) == 1 for rank in ranks)


def _bomb_too_large(ranks: list[Rank], wilds: int, rules: RuleSet) -> bool:
    return len(ranks) + wilds > rules.max_bomb and len(set(ranks)) == 1


def _wraps(ranks: list[Rank], wilds: int, rules: RuleSet) -> bool:
    if rules.seq_wrap:
        return False
    counts = set(Counter(ranks).values())
    circle = _is_run([(rank + 6) % 13 for rank in set(ranks) if rank <= Rank.ACE])
    return not wilds and len(counts) == 1 and (len(set(ranks)), *counts) in _RUN_SHAPES and circle


def _wrong_length(ranks: list[Rank], wilds: int, rules: RuleSet) -> bool:
    return not wilds and _shape_of_run(ranks) not in (None, *_RUN_SHAPES)


def _level_out_of_place(ranks: list[Rank], wilds: int, rules: RuleSet) -> bool:
    return not wilds and rules.seq_level_card == "elevated" and _shape_of_run(ranks) in _RUN_SHAPES


def _shape_of_run(ranks: list[Rank]) -> tuple[int, int] | None:
    """Return how many ranks follow each other and how many cards there are of each; None when they are no run."""
    counts = set(Counter(ranks).values())
    plain = ranks[-1] <= Rank.ACE
    if len(counts) != 1 or max(counts) > 3 or len(set(ranks)) == 1 or not plain or not _is_run(set(ranks)):
        return None
    return len(set(ranks)), max(counts)


def _is_run(places: Sequence[int] | set[int]) -> bool:
    return max(places, default=0) - min(places, default=0) == len(places) - 1 and bool(places)


_REASONS: Final[tuple[tuple[str, _Check], ...]] = (
    ("the small and the big joker are no pair (§3.2)", _mixed_jokers),
    ("a wild card stands for no joker (§4.1)", _wild_for_joker),
    ("a wild card and jokers do not stand in one play here (§4.1)", _wild_with_jokers),
    ("the pair of a full house is not of jokers here (§3.5)", _joker_pair_in_full_house),
    ("larger than the largest bomb of this rule set (§3.9)", _bomb_too_large),
    ("a run does not go on past the ace (§3.6)", _wraps),
    (
        "a straight is exactly five ranks, pairs in a row exactly three, triples in a row exactly two (§3.6)",
        _wrong_length,
    ),
    ("the level card stands above the ace in runs here (§3.7)", _level_out_of_place),
    ("not a combination; wild cards do not join every kind here (§4.1)", _wild_joins_not),
)
