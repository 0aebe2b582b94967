"""A bot that looks ahead: it draws worlds that fit what it knows, plays its best candidates out in each, and counts.

``GUANDAN_SEARCH_MS`` sets the milliseconds of a decision, ``GUANDAN_SEARCH_PLAYOUTS`` a number of playouts instead,
which makes its plays the same on every machine.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Final

from guandan_engine.cards import Hand, Rank
from guandan_engine.combos import RUN_LENGTHS, Kind
from guandan_engine.kernel.planned import Line, planned_gain
from guandan_engine.kernel.prices import Prices, laid_as
from guandan_engine.kernel.splitting import Splitter
from guandan_engine.knowledge import knowledge_of
from guandan_engine.worlds import Worlds
from guandan_sdk.bot import Choice, Options, TimeLeft, run
from guandan_sdk.bots.planner import Decision, PlannerBot, without_waste
from guandan_sdk.errors import InvalidInput

if TYPE_CHECKING:
    from guandan_engine.combos import Combo
    from guandan_engine.events import Event
    from guandan_engine.kernel.types import i64, vec
    from guandan_engine.view import SeatView
    from guandan_sdk.bots.odds import Costs

MOVE_MS: Final = 50
"""Milliseconds of a decision where nothing else is said: well within the free time of a decision on the server."""
MOST_CANDIDATES: Final = 8
CUTS: Final = (8, 24, 72)
"""After so many worlds the weaker half of the candidates is dropped."""
DOUBT: Final = 1.0
MARGIN: Final = 0.1
"""Another play than the planner's must be better by so many points and so many standard errors."""

_RUNS: Final = (Kind.THREE_PAIR, Kind.TWO_TRIPS, Kind.STRAIGHT, Kind.STRAIGHT_FLUSH)


class SearchBot(PlannerBot):
    """Asks the planner for candidates, and playouts which of them gains most."""

    def __init__(self, *, move_ms: int | None = None, playouts: int | None = None) -> None:
        """Take a budget for each decision, in milliseconds or in playouts; by default what the environment says."""
        self.playouts = _number("GUANDAN_SEARCH_PLAYOUTS") if playouts is None else playouts
        self.move_ms = move_ms or _number("GUANDAN_SEARCH_MS") or MOVE_MS

    def play(self, view: SeatView, options: Options) -> Choice:
        """Play the planner's choice unless another one has shown itself better."""
        begun = time.perf_counter()
        decision = Decision(view, self.memory)
        found = candidates(decision, options)
        chosen = found[0] if len(found) == 1 else self._searched(decision, found, begun)
        return None if chosen is None else decision.lay(chosen)

    def _searched(self, decision: Decision, found: list[Combo | None], begun: float) -> Combo | None:
        search = Search(decision, self.memory.events, found)
        until = begun + min(self.move_ms, _spare_ms(self.time)) / 1000
        while search.made < self.playouts if self.playouts else time.perf_counter() < until:
            search.look(self.random.getrandbits(62))
        return search.best()


def candidates(decision: Decision, options: Options) -> list[Combo | None]:
    """Return the plays worth looking at: the planner's choice, then others it thinks well of, and passing."""
    first = decision.choose(options)
    plays = [combo for combo in options if combo is not None]
    if decision.view.to_beat is None:
        legal = set(plays)
        whole = [combo for combo in plays if combo.size == len(decision.hand)]
        likely = {*(combo for combo in decision.plan.plays if combo in legal), *decision.feeds(legal), *whole}
        score = decision.lead_score
    else:
        likely, score = set(without_waste(plays)), decision.follow_score
    others = sorted(likely - {first}, key=lambda combo: (-score(combo), combo))
    found = [first, *others[: MOST_CANDIDATES - 1]]
    return [*found, None] if None in options and first is not None else found


@dataclass(slots=True)
class Candidate:
    """A play, the groups it leaves in the hand, where play goes on from, and the points gained in each world."""

    play: Combo | None
    hand: vec[i64]
    start: vec[i64]
    gains: list[int] = field(default_factory=list)


class Search:
    """One decision: candidates played out in one world after the other.

    ``open``: those that still may be chosen. ``made``: playouts so far.
    """

    def __init__(self, decision: Decision, events: list[Event], plays: list[Combo | None]) -> None:
        """Set up each candidate's position once; worlds only change the hands of the others."""
        view = decision.view
        assert view.seat is not None
        self.seat = view.seat
        self.prices = prices_of(decision.costs, view)
        self.splitter = Splitter(self.prices)
        self.line = Line(self.prices)
        self.worlds = Worlds(knowledge_of(view, events))
        counts = [held.count for held in self.worlds.known.hands]
        self.candidates = [self._candidate(play, decision, counts) for play in plays]
        self.open = list(self.candidates)
        self.made = 0

    def _candidate(self, play: Combo | None, decision: Decision, counts: list[int]) -> Candidate:
        """Lay a candidate, or pass, from where the trick stands."""
        view, line = decision.view, self.line
        hand = decision.hand if play is None else decision.hand.minus(Hand.of(decision.cards(play)))
        line.stand(start_of(view), counts)
        if play is None:
            line.step_aside()
        else:
            line.laid(*laid_as(play, view.rules, view.level), play.size)
        return Candidate(play, self.splitter.split(hand.ones, hand.twos), line.start())

    def look(self, seed: int) -> None:
        """Play every open candidate out in one more world."""
        world = self.worlds.draw(seed)
        own = self.candidates[0].hand
        split = self.splitter.split
        hands = [own if seat == self.seat else split(hand.ones, hand.twos) for seat, hand in enumerate(world)]
        for candidate in self.open:
            hands[self.seat] = candidate.hand
            candidate.gains.append(planned_gain(self.line, candidate.start, hands, self.seat & 1))
        self.made += len(self.open)
        if len(self.candidates[0].gains) in CUTS:
            self._cut()

    def _cut(self) -> None:
        """Keep the better half, and the planner's own choice."""
        first = self.candidates[0]
        ranked = sorted(self.open, key=lambda candidate: -sum(candidate.gains))
        kept = ranked[: max(2, (len(ranked) + 1) // 2)]
        self.open = [candidate for candidate in self.candidates if candidate in kept or candidate is first]

    def best(self) -> Combo | None:
        """Return the play that gained most, or the planner's where no other is surely better."""
        first = self.candidates[0]
        best = max(self.open, key=lambda candidate: sum(candidate.gains))
        ahead = [gain - other for gain, other in zip(best.gains, first.gains, strict=True)]
        if len(ahead) < 2:
            return first.play
        doubt = DOUBT * stdev(ahead) / len(ahead) ** 0.5
        return best.play if fmean(ahead) > MARGIN + doubt else first.play


def start_of(view: SeatView) -> list[int]:
    """Return where the trick of a view stands, as planned playouts begin."""
    owner, kind, at, passes = -1, 0, 0, 0
    for move in view.trick:
        if move.play is None:
            passes += 1
        else:
            owner, passes = move.seat, 0
            kind, at = laid_as(move.play.combo, view.rules, view.level)
    out = sum(1 << seat for seat in view.finished)
    order = sum(seat << 2 * place for place, seat in enumerate(view.finished))
    return [view.seat or 0, owner, kind, at, passes, out, order, len(view.finished)]


def prices_of(costs: Costs, view: SeatView) -> Prices:
    """Return the planner's costs as planned playouts read them."""
    groups = [list(row) for row in costs.groups]
    groups[Rank.BIG_JOKER][4] = costs.joker_bomb
    runs = [[costs.runs[kind][(low - 1) % 13] for low in range(15 - RUN_LENGTHS[kind])] for kind in _RUNS]
    return Prices(view.level, view.rules, groups, runs)


def _spare_ms(time_left: TimeLeft) -> int:
    """Return what the clock can spare: half of the free time, or where there is none a little of the bank."""
    return max(1, time_left.move_ms // 2 or time_left.bank_ms // 100)


def _number(name: str) -> int:
    """Return a number of the environment, 0 where there is none."""
    text = os.environ.get(name, "")
    if not text:
        return 0
    if not text.isdecimal() or not int(text):
        raise InvalidInput(f"{name} is {text!r}, not a number above 0", f"{name}=50")
    return int(text)


if __name__ == "__main__":
    run(SearchBot)
