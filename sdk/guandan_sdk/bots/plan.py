"""Splitting a hand into plays: a small search over runs, then groups, full houses and wild cards for what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from guandan_engine.cards import Card, Hand, Rank, Suit
from guandan_engine.combos import Combo, Kind

if TYPE_CHECKING:
    from guandan_sdk.bots.odds import Costs

MAX_RUNS: Final = 3
MAX_NODES: Final = 250
_RUN_SHAPES: Final = ((Kind.TWO_TRIPS, 2, 3), (Kind.THREE_PAIR, 3, 2), (Kind.STRAIGHT, 5, 1))


@dataclass(frozen=True, slots=True)
class Plan:
    """Plays that use up a hand, and what they cost: about the number of times the lead must be given away."""

    plays: tuple[Combo, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class _Run:
    """A run that could be taken out of the hand: ``each`` cards of every rank; suit None when suits do not matter."""

    combo: Combo
    ranks: tuple[int, ...]
    each: int
    mask: int = 0


def _run_ranks(low: int, length: int) -> tuple[int, ...]:
    """Return the ranks of a run from its lowest; -1 stands for the ace below the two."""
    return tuple((low + i) % 13 for i in range(length))


def _all_runs() -> tuple[_Run, ...]:
    """List every run there is, straight flushes first so that their suits are settled before suits are forgotten."""
    runs = [
        _Run(Combo(Kind.STRAIGHT_FLUSH, Rank(low % 13), 5, suit=suit), _run_ranks(low, 5), 1)
        for suit in Suit
        for low in range(-1, 9)
    ]
    for kind, length, each in _RUN_SHAPES:
        runs += [
            _Run(Combo(kind, Rank(low % 13), length * each), _run_ranks(low, length), each)
            for low in range(-1, 14 - length)
        ]
    return tuple(replace(run, mask=sum(1 << rank for rank in run.ranks)) for run in runs)


_RUNS: Final = _all_runs()


@dataclass(slots=True)
class _Search:
    """The state of one split: counts by rank and suit are changed in place and put back."""

    costs: Costs
    counts: list[int]
    suited: list[list[int]]
    wilds: int
    jokers: tuple[int, int]
    level: int
    nodes: int = 0
    chosen: list[tuple[_Run, int]] = field(default_factory=list)
    best: Plan | None = None
    runs: Sequence[_Run] = ()

    def run(self) -> Plan:
        """Search among the runs that the hand could make one at a time."""
        self.runs = self.possible_runs()
        self.descend(0, 0.0)
        assert self.best is not None
        return self.best

    def possible_runs(self) -> list[_Run]:
        """Return the runs that lack no more cards than there are wilds, one at most: found by masks of ranks."""
        most = min(self.wilds, 1)
        plain = [_ranks_with(self.counts, each) for each in range(4)]
        suited = [_ranks_with(counts, 1) for counts in self.suited]
        found = []
        for run in _RUNS:
            if run.combo.suit is not None:
                short = run.mask & ~suited[run.combo.suit]
            else:
                short = run.mask & ~plain[run.each]
                if run.mask & ~plain[run.each - 1]:  # one rank lacks two
                    continue
            if not short or (most and not short & (short - 1)):
                found.append(run)
        return found

    def descend(self, first: int, spent: float) -> None:
        """Try every set of runs from number ``first`` on, on top of those already chosen."""
        self.nodes += 1
        groups = _Groups(self)
        cost = spent + groups.cost
        if self.best is None or cost < self.best.cost - 1e-9:
            self.best = Plan((*(_with_wilds(run.combo, wilds) for run, wilds in self.chosen), *groups.plays()), cost)
        if len(self.chosen) == MAX_RUNS:
            return
        for number in range(first, len(self.runs)):
            run = self.runs[number]
            missing = self.missing(run)
            if missing <= min(self.wilds, 1) and self.nodes < MAX_NODES:
                taken = self.take(run, missing)
                self.descend(number, spent + self.costs.of(run.combo))
                self.put_back(run, missing, taken)

    def missing(self, run: _Run) -> int:
        """Count the cards that wild cards would have to stand for."""
        have = self.counts if run.combo.suit is None else self.suited[run.combo.suit]
        short = 0
        for rank in run.ranks:
            if have[rank] < run.each:
                short += run.each - have[rank]
                if short > 1:
                    break
        return short

    def take(self, run: _Run, wilds: int) -> list[int]:
        """Take a run out; return how many cards each rank gave."""
        suit = run.combo.suit
        taken = []
        for rank in run.ranks:
            given = min(run.each, self.counts[rank] if suit is None else self.suited[suit][rank])
            self.counts[rank] -= given
            if suit is not None:
                self.suited[suit][rank] -= given
            taken.append(given)
        self.wilds -= wilds
        self.chosen.append((run, wilds))
        return taken

    def put_back(self, run: _Run, wilds: int, taken: Sequence[int]) -> None:
        """Undo ``take``."""
        for rank, given in zip(run.ranks, taken, strict=True):
            self.counts[rank] += given
            if run.combo.suit is not None:
                self.suited[run.combo.suit][rank] += given
        self.wilds += wilds
        self.chosen.pop()


def _ranks_with(counts: Sequence[int], each: int) -> int:
    """Return a mask of the ranks of which there are so many cards."""
    return sum(1 << rank for rank, count in enumerate(counts) if count >= each)


class _Groups:
    """What is left beside the runs: singles, pairs, trips, bombs, full houses, with wild cards where they help most."""

    def __init__(self, search: _Search) -> None:
        self.search = search
        costs = search.costs
        counts = search.counts
        self.helped = self._place_wilds(costs.groups, counts, search.wilds, search.level)
        self.sizes = [*counts, *search.jokers]
        for rank in self.helped:
            self.sizes[rank] += 1
        self.joker_bomb = search.jokers == (2, 2)
        if self.joker_bomb:
            self.sizes[13] = self.sizes[14] = 0
        self.cost = costs.joker_bomb if self.joker_bomb else 0.0
        for rank, size in enumerate(self.sizes):
            self.cost += costs.groups[rank][size]
        self.houses = self._pair_houses(costs)

    @staticmethod
    def _place_wilds(groups: Sequence[Sequence[float]], counts: Sequence[int], wilds: int, level: int) -> list[int]:
        """Give each wild card to the rank whose group it improves most; alone it is a level card."""
        if not wilds:
            return []
        ranks = [rank for rank in range(13) if counts[rank] or rank == level]
        first = min(ranks, key=lambda rank: groups[rank][counts[rank] + 1] - groups[rank][counts[rank]])
        if wilds == 1:
            return [first]
        sizes = list(counts)
        sizes[first] += 1
        second = min(ranks, key=lambda rank: groups[rank][sizes[rank] + 1] - groups[rank][sizes[rank]])
        both = min(ranks, key=lambda rank: groups[rank][counts[rank] + 2] - groups[rank][counts[rank]])
        apart = groups[first][counts[first] + 1] - groups[first][counts[first]]
        apart += groups[second][sizes[second] + 1] - groups[second][sizes[second]]
        together = groups[both][counts[both] + 2] - groups[both][counts[both]]
        return [both, both] if together < apart else [first, second]

    def _pair_houses(self, costs: Costs) -> list[tuple[int, int]]:
        """Let trips carry the pairs that are hardest to get rid of."""
        trips = [rank for rank in range(13) if self.sizes[rank] == 3]
        pairs = sorted(
            (rank for rank in range(15) if self.sizes[rank] == 2), key=lambda rank: costs.groups[rank][2], reverse=True
        )
        houses = []
        for triple, pair in zip(trips, pairs, strict=False):
            saved = costs.groups[triple][3] + costs.groups[pair][2] - costs.houses[triple]
            if saved > 0:
                houses.append((triple, pair))
                self.cost -= saved
        return houses

    def plays(self) -> list[Combo]:
        """Write the groups out as combos."""
        used = {rank for house in self.houses for rank in house}
        found = [
            _group(Rank(rank), size, self.helped.count(rank))
            for rank, size in enumerate(self.sizes)
            if size and rank not in used
        ]
        for triple, pair in self.houses:
            wilds = self.helped.count(triple) + self.helped.count(pair)
            found.append(Combo(Kind.THREE_WITH_TWO, Rank(triple), 5, pair=Rank(pair), wilds=wilds))
        if self.joker_bomb:
            found.append(Combo(Kind.JOKER_BOMB, Rank.BIG_JOKER, 4))
        return found


def _group(rank: Rank, size: int, wilds: int) -> Combo:
    kind = (Kind.SINGLE, Kind.PAIR, Kind.TRIPS)[size - 1] if size < 4 else Kind.BOMB
    return Combo(kind, rank, size, wilds=wilds)


def _with_wilds(combo: Combo, wilds: int) -> Combo:
    return combo if not wilds else Combo(combo.kind, combo.rank, combo.size, combo.pair, wilds, combo.suit)


def split(hand: Hand, level: Rank, costs: Costs) -> Plan:
    """Split a hand into the plays that cost least in all."""
    counts = [0] * 13
    suited = [[0] * 13 for _ in Suit]
    wilds = 0
    jokers = [0, 0]
    wild = Card(level * 4 + Suit.HEARTS)
    for card in hand:
        if card == wild:
            wilds += 1
        elif card.index >= 52:
            jokers[card.index - 52] += 1
        else:
            counts[card.index >> 2] += 1
            suited[card.index & 3][card.index >> 2] += 1
    return _Search(costs, counts, suited, wilds, (jokers[0], jokers[1]), level).run()
