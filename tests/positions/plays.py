"""Positions of combinations: what cards may be laid, what they are, and what beats what."""

from __future__ import annotations

from collections.abc import Hashable

from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.combos import Combo, Kind, combo
from guandan_engine.errors import IllegalAction
from guandan_engine.notation import combo_text
from guandan_engine.plays import beats, interpret, legal_plays
from guandan_engine.rules import RuleSet
from tests.rule_positions import IDLE, position

IDLE["max_bomb"] = lambda rules: Kind.BOMB not in rules.wild_kinds  # eight natural cards are the most there are


def leads(hand: str, rules: RuleSet, level: str = "2") -> Hashable:
    """Everything the hand can lead."""
    return tuple(map(combo_text, legal_plays(Hand.parse(hand), None, rules, Rank.parse(level))))


def undeclared(cards: str, rules: RuleSet, level: str = "2") -> Hashable:
    """What cards are when nothing is declared."""
    try:
        return combo_text(interpret(tuple(map(Card.parse, cards.split())), None, rules, Rank.parse(level)))
    except IllegalAction as refused:
        return refused.code


def best(combos: list[Combo], rules: RuleSet, level: Rank = Rank.TWO) -> Hashable:
    """Which of the combos beats which."""
    return tuple(beats(a, b, rules, level) for a in combos for b in combos)


@position("wild_kinds")
def a_wild_beside_every_kind(rules: RuleSet) -> Hashable:
    hands = ("S9 H2", "S9 D9 H2", "S3 D3 S4 D4 S5 H2", "S9 D9 C9 S8 H2", "S9 D9 C9 S8 D8 H2")
    return tuple(leads(hand, rules) for hand in (*hands, "S5 D6 C7 S8 H2", "S5 S6 S7 S8 H2", "S9 D9 C9 H9 H2"))


@position("wild_alone")
def a_wild_led_with_other_cards_left(rules: RuleSet) -> Hashable:
    return leads("H7 S9", rules, "7"), leads("H7 H7", rules, "7")


@position("wild_with_jokers", "full_house_joker_pair")
def jokers_in_a_full_house(rules: RuleSet) -> Hashable:
    return leads("S9 D9 H2 SB SB", rules), leads("S9 D9 C9 SB SB", rules)


@position("wild_reading")
def two_pairs_and_a_wild_undeclared(rules: RuleSet) -> Hashable:
    return undeclared("SK DK S6 D6 H2", rules)


@position("max_bomb")
def ten_nines(rules: RuleSet) -> Hashable:
    return leads("S9 S9 H9 H9 C9 C9 D9 D9 H2 H2", rules), leads("S2 S2 H2 H2 C2 C2 D2 D2", rules)


@position("sf_beats_upto")
def flushes_against_bombs(rules: RuleSet) -> Hashable:
    flush = combo(Kind.STRAIGHT_FLUSH, Rank.THREE, suit=Card.parse("S3").suit)
    bombs = [combo(Kind.BOMB, Rank.NINE, size=size, wilds=2) for size in range(4, 11)]
    return tuple(beats(flush, bomb, rules, Rank.TWO) for bomb in bombs)


@position("sf_tie")
def flushes_of_the_same_ranks(rules: RuleSet) -> Hashable:
    flushes = [combo(Kind.STRAIGHT_FLUSH, Rank.THREE, suit=Card.parse(card).suit) for card in ("S3", "H3", "C3")]
    following = legal_plays(Hand.parse("H3 H4 H5 H6 H7"), flushes[0], rules, Rank.TWO)
    return best(flushes, rules), tuple(following)


@position("seq_wrap")
def a_run_over_the_ace(rules: RuleSet) -> Hashable:
    return leads("SJ DQ CK SA D2", rules, "9"), leads("SK DK SA DA S2 D2", rules, "9")


@position("seq_level_card")
def a_run_that_skips_the_level(rules: RuleSet) -> Hashable:
    return leads("S9 DJ CQ SK DA", rules, "T"), leads("SA DA CA ST DT CT", rules, "T")


@position("seq_compare")
def a_run_that_ends_in_the_level(rules: RuleSet) -> Hashable:
    highest, ends_in_level = combo(Kind.STRAIGHT, Rank.TEN), combo(Kind.STRAIGHT, Rank.FIVE)
    return best([highest, ends_in_level], rules, Rank.NINE)


@position("single_ace")
def an_ace_against_a_two(rules: RuleSet) -> Hashable:
    singles = [combo(Kind.SINGLE, rank) for rank in (Rank.ACE, Rank.TWO, Rank.KING)]
    following = legal_plays(Hand.parse("SA S3"), singles[1], rules, Rank.NINE)
    return best(singles, rules, Rank.NINE), tuple(following)


@position("mixed_joker_pair")
def a_small_and_a_big_joker(rules: RuleSet) -> Hashable:
    return leads("SB HR", rules), undeclared("SB HR", rules)


@position("full_house_same_rank")
def five_equal_cards(rules: RuleSet) -> Hashable:
    return leads("S9 S9 D9 D9 C9", rules)
