"""Dealing (发牌): what chance gives a deal beside its cards, and who draws first (docs/rules.md §7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from guandan_engine.board import Hands
from guandan_engine.cards import Card, Rank
from guandan_engine.errors import EngineError
from guandan_engine.rules import RuleSet
from guandan_engine.trick import is_double_down

__all__ = ["NORTH", "Dealt", "drawer", "face_up_of", "joker_counts", "leads_by_card"]

NORTH: Final = 0
_JOKER_COUNTS: Final = {Rank.SMALL_JOKER: 3, Rank.BIG_JOKER: 6}


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal as it comes from the shuffle.

    ``leader`` holds the card that lies ``face_up``, or was drawn by lot; None where tribute names the leader anyway.
    ``lot`` is a number from 0 to 3 for what else is left to chance, None where it was not drawn.
    """

    hands: Hands
    leader: int | None = 0
    face_up: Card | None = None
    lot: int | None = None


def leads_by_card(order: tuple[int, ...], rules: RuleSet) -> bool:
    """Whether a card lies face up and its holder leads: in a first deal (``order`` ()), or in a later one."""
    return rules.lead_rule == "face_up_card" if order else rules.first_leader == "face_up_card"


def face_up_of(dealt: Dealt, order: tuple[int, ...], rules: RuleSet) -> Card | None:
    """Return the card that lies face up in this deal; raise EngineError when it cannot be that one."""
    card = dealt.face_up
    if not leads_by_card(order, rules):
        return None
    if card is None and order and dealt.lot is not None:
        raise EngineError("no card lies face up to name the leader")
    if card is None:
        return None
    if dealt.leader is None or card not in dealt.hands[dealt.leader]:
        raise EngineError(f"the leader {dealt.leader} does not hold {card}, the card that lay face up")
    if card.is_joker and not joker_counts(rules):
        raise EngineError(f"{card} lies face up; where a joker is turned up the cards are cut again")
    return card


def joker_counts(rules: RuleSet) -> bool:
    """Whether a joker may lie face up; where seats are counted by it from the cutter, it is cut again (§7.4)."""
    return rules.first_drawer != "count_from_cutter"


def drawer(order: tuple[int, ...], lot: int, face_up: Card | None, rules: RuleSet) -> int:
    """Return the seat that draws the first card. ``lot`` cuts the cards of a first deal (§7.4)."""
    return _later_drawer(order, lot, rules) if order else _first_drawer(lot, face_up, rules)


def _first_drawer(cutter: int, face_up: Card | None, rules: RuleSet) -> int:
    if rules.first_drawer == "north":
        return NORTH
    if rules.first_drawer == "any" or face_up is None:
        return cutter
    count = _JOKER_COUNTS.get(face_up.rank, 1 if face_up.rank is Rank.ACE else face_up.rank + 2)
    return (cutter + count - 1) % 4  # whoever cuts is number 1; a number that 4 divides is seat number 4


def _later_drawer(order: tuple[int, ...], lot: int, rules: RuleSet) -> int:
    if not is_double_down(order) or rules.later_drawer_double == "last":
        return order[3]
    return order[2 + lot % 2] if rules.later_drawer_double == "either_loser" else (order[0] + 1) % 4
