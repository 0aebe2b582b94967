"""Where a search begins: a deal at a table, any position, or a random deal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import Combo
from guandan_engine.errors import EngineError
from guandan_engine.kernel.actions import action_of
from guandan_engine.kernel.book import book_of
from guandan_engine.kernel.chance import deal_cards, draw, high_half, low_half, sow
from guandan_engine.kernel.hands import ONES, SEAT, hold
from guandan_engine.kernel.listing import planes
from guandan_engine.kernel.play import (
    LAID_ONES,
    LAID_TWOS,
    ORDER,
    OUT,
    OWNER,
    PASSES,
    PLACES,
    TO_BEAT,
    TURN,
    begin,
    set_terms,
)
from guandan_engine.kernel.state import State, seat_of
from guandan_engine.kernel.types import i64, vec
from guandan_engine.kernel.words import bit
from guandan_engine.rules import RuleSet

if TYPE_CHECKING:
    from guandan_engine.deal import Deal

FOUR: Final = (0, 1, 2, 3)


def state_of(deal: Deal, rules: RuleSet) -> State:
    """Return a deal that is being played; raise EngineError while tribute lasts and once it is over."""
    try:
        phase, trick = deal.phase, deal.trick
    except AttributeError as error:
        raise TypeError(f"a deal is needed: {error}") from error
    if phase != "playing":
        raise EngineError(f"this deal is not being played: {phase}")
    return position(
        deal.hands,
        trick.turn,
        deal.level,
        rules,
        to_beat=trick.combo,
        owner=trick.owner,
        passes=trick.passes,
        finished=trick.finished,
    )


def position(
    hands: Sequence[Hand],
    turn: int,
    level: Rank,
    rules: RuleSet,
    *,
    to_beat: Combo | None = None,
    owner: int | None = None,
    passes: int = 0,
    finished: Sequence[int] = (),
    laid: Hand | None = None,
) -> State:
    """Return any moment of a deal: a fresh one, where only hands and leader are given.

    ``to_beat`` was laid by ``owner``, and ``passes`` came since. ``finished``: who is out, in order. ``laid``: what
    cards were laid; None for all that nobody holds. Raise EngineError for what no deal can come to.
    """
    state = State(book_of(rules, level), rules)
    _set_hands(state, hands, laid)
    w = state.words
    set_terms(w, 0, rules)
    laid_ones, laid_twos = w[LAID_ONES], w[LAID_TWOS]
    begin(w, 0, seat_of(turn))
    w[LAID_ONES] = laid_ones
    w[LAID_TWOS] = laid_twos
    _set_finished(state, finished, hands)
    if (to_beat is None) != (owner is None) or not 0 <= passes <= (0 if owner is None else 2):
        raise EngineError("a combo to beat has an owner, after which at most two have passed")
    if w[OUT] >> w[TURN] & 1 or turn == owner:
        raise EngineError(f"seat {turn} cannot be on turn: it is out, or owns what is to beat")
    if owner is not None:
        w[OWNER] = seat_of(owner)
        w[TO_BEAT] = action_of(to_beat)
        w[PASSES] = passes
    return state


def _set_hands(state: State, hands: Sequence[Hand], laid: Hand | None) -> None:
    """Write down four hands and what was laid; no face may come a third time."""
    if len(hands) != 4:
        raise EngineError(f"four hands are needed, not {len(hands)}")
    together = Hand() if laid is None else laid
    ones, twos = planes(together)
    for seat in FOUR:
        own_ones, own_twos = planes(hands[seat])
        hold(state.words, SEAT * seat, own_ones, own_twos, state.book)
        if twos & own_ones or ones & own_twos:
            raise EngineError("the hands and what was laid hold a card three times")
        twos |= ones & own_ones | own_twos
        ones |= own_ones
    whole = bit(54) - 1
    first, second = planes(together)
    state.words[LAID_ONES] = first if laid is not None else whole & ~twos
    state.words[LAID_TWOS] = second if laid is not None else whole & ~ones


def _set_finished(state: State, finished: Sequence[int], hands: Sequence[Hand]) -> None:
    w = state.words
    if sorted(finished) != [seat for seat in FOUR if not w[SEAT * seat + ONES]] or len(finished) > 2:
        raise EngineError("those who are out are just those without cards, and never a whole side")
    for place, seat in enumerate(finished):
        w[ORDER] |= seat_of(seat) << 2 * place
        w[OUT] |= bit(seat)
    w[PLACES] = len(finished)
    if w[OUT] == 5 or w[OUT] == 10:
        raise EngineError("those who are out are just those without cards, and never a whole side")


def random_state(seed: int, rules: RuleSet, *, level: Rank | None = None) -> State:
    """Return the start of a random deal without tribute; the leader, and the level unless it is given, are drawn."""
    w = vec[i64]([0] * 4)
    sow(w, 0, low_half(seed), high_half(seed), 0, 1)
    drawn = Rank(draw(w, 0, 13))
    state = State(book_of(rules, drawn if level is None else level), rules)
    set_terms(state.words, 0, rules)
    begin(state.words, 0, draw(w, 0, 4))
    held = vec[i64]([0] * 8)
    deal_cards(w, 0, vec[i64]([0] * 108), held)
    for seat in FOUR:
        hold(state.words, SEAT * seat, held[2 * seat], held[2 * seat + 1], state.book)
    return state
