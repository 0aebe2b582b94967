"""Reading concrete cards as combos (docs/rules.md §4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from guandan_engine.actions import Play
from guandan_engine.cards import CARDS, Card, Hand, Rank, Suit, wild_of
from guandan_engine.combos import Combo, Kind, Reading
from guandan_engine.errors import IllegalAction
from guandan_engine.kernel import legal_plays, shape, strength
from guandan_engine.plays.near_misses import why_no_combo
from guandan_engine.rules import RuleSet


def readings(cards: Sequence[Card], rules: RuleSet, level: Rank, *, hand: Hand | None = None) -> tuple[Combo, ...]:
    """Return every combo these cards, all of them, can be; () when none.

    ``hand``: the hand they are played from, these cards included, which matters to wilds alone (§4.2); None where
    nothing else is held. A combo that uses as many cards and as many wilds as there are uses them all.
    """
    wilds = sum(card.is_wild(level) for card in cards)
    if wilds == len(cards) and not _may_be_alone(wilds, rules, level, hand):
        return ()
    plays = legal_plays(Hand.of(cards), None, rules, level)
    return tuple(combo for combo in plays if combo.size == len(cards) and combo.wilds == wilds)


def _may_be_alone(wilds: int, rules: RuleSet, level: Rank, hand: Hand | None) -> bool:
    """Whether wilds may be played without a natural card (§4.2)."""
    return rules.wild_alone == "level_card" or hand is None or len(hand) == hand.count(wild_of(level))


def interpret(
    cards: Sequence[Card], declared: Reading | None, rules: RuleSet, level: Rank, *, hand: Hand | None = None
) -> Combo:
    """Return what these cards, played from ``hand``, are; what may be left undeclared is for the rules to say (§4.6).

    Any concrete choice of cards is accepted. Raise IllegalAction otherwise, with code ``no_cards``,
    ``too_many_cards``, ``too_many_copies``, ``not_a_combo``, ``wild_alone``, ``reading_impossible`` or
    ``reading_ambiguous``; the hint lists the readings there are. Whether the cards are held and beat anything is for
    the caller to ask.
    """
    _check_cards(cards)
    found = readings(cards, rules, level, hand=hand)
    if not found:
        raise _nothing(cards, rules, level)
    if declared is None:
        return _undeclared(cards, found, rules, level)
    for combo in found:
        if combo.kind is declared.kind and combo.rank is declared.rank:
            return combo
    raise _impossible(cards, declared, found, level)


def _undeclared(cards: Sequence[Card], found: tuple[Combo, ...], rules: RuleSet, level: Rank) -> Combo:
    """Return the only reading, or the one the rules choose among those of one kind; refuse what must be declared."""
    if len(found) == 1:
        return found[0]
    if rules.wild_reading == "declared" or len({combo.kind for combo in found}) > 1:
        raise IllegalAction("reading_ambiguous", f"{_text(cards)} can be read in {len(found)} ways", _listed(found))
    choose = min if rules.wild_reading == "declared_else_low" else max
    return choose(found, key=lambda combo: strength(combo, rules, level))


def _nothing(cards: Sequence[Card], rules: RuleSet, level: Rank) -> IllegalAction:
    """Say why the cards are no combo."""
    if rules.wild_alone == "last_only" and len(cards) < 3 and all(card.is_wild(level) for card in cards):
        reason = f"{_text(cards)}: wild cards alone are played only when nothing else is left (§4.2)"
        return IllegalAction("wild_alone", reason, "play them with natural cards, or last")
    return IllegalAction("not_a_combo", f"{_text(cards)}: {why_no_combo(cards, rules, level)}", "see docs/rules.md §3")


def _check_cards(cards: Sequence[Card]) -> None:
    if not cards:
        raise IllegalAction("no_cards", "a play has at least one card", "to lay nothing, pass")
    if len(cards) > 10:
        raise IllegalAction("too_many_cards", f"{len(cards)} cards; the largest combo has 10", "lay at most 10 cards")
    for card, count in Counter(cards).items():
        if count > 2:
            raise IllegalAction(
                "too_many_copies", f"{card} comes {count} times; the deck has two", "name each card once"
            )


def _impossible(cards: Sequence[Card], declared: Reading, found: tuple[Combo, ...], level: Rank) -> IllegalAction:
    """Say why the declared reading is none of those found."""
    wanted = f"{declared.kind} {declared.rank}"
    if all(card.is_wild(level) for card in cards):
        return IllegalAction("wild_alone", f"wild cards alone are level cards, not {wanted} (§4.2)", _listed(found))
    if declared.kind is Kind.STRAIGHT and found[0].kind is Kind.STRAIGHT_FLUSH and not found[0].wilds:
        reason = "five natural cards of one suit are only a straight flush (§4.4)"
        return IllegalAction("reading_impossible", reason, _listed(found))
    return IllegalAction("reading_impossible", f"{_text(cards)} cannot be {wanted}", _listed(found))


def _text(cards: Sequence[Card]) -> str:
    return " ".join(map(str, cards))


def _listed(found: Sequence[Combo]) -> str:
    return "declare one of: " + ", ".join(f"{combo.kind} {combo.rank}" for combo in found)


def declared_cards(play: Play, level: Rank) -> tuple[Card, ...]:
    """Return what each card of a play stands for, in the order of ``play.cards``: wilds replaced, others themselves.

    A wild stands as the heart of the rank it fills; in a straight flush as the card of that suit; in a plain straight
    whose other cards are all hearts as the spade.
    """
    naturals = [card for card in play.cards if not card.is_wild(level)]
    places = [rank for rank, count in _unfilled(play.combo, naturals, level) for _ in range(count)]
    filled = iter([CARDS[rank * 4 + _suit_of_wilds(play.combo, naturals)] for rank in places])
    return tuple(next(filled) if card.is_wild(level) else card for card in play.cards)


def _unfilled(combo: Combo, naturals: Sequence[Card], level: Rank) -> list[tuple[Rank, int]]:
    """Return the ranks of a combo that its natural cards leave open, and how many of each."""
    held = Counter(card.rank for card in naturals)
    return [(rank, count - held[rank]) for rank, count in shape(combo, level)]


def _suit_of_wilds(combo: Combo, naturals: Sequence[Card]) -> Suit:
    if combo.suit is not None:
        return combo.suit
    all_hearts = combo.kind is Kind.STRAIGHT and all(card.suit is Suit.HEARTS for card in naturals)
    return Suit.SPADES if all_hearts else Suit.HEARTS
