"""Tables without a server: the same adjudicator, shuffles and seeds, with four bots in this process."""

from __future__ import annotations

import hashlib
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Final, TypeVar

from guandan_engine import replay, shuffle
from guandan_engine.board import Board, entrant_of, points_of_a
from guandan_engine.clock import Clocks
from guandan_engine.conduct import Verdict
from guandan_engine.events import DealStarted, MatchEnded
from guandan_engine.exchange import Answer, AskSeat, Dealer, Effect, Evidence, Record, Refuse, TableSpec, Tell
from guandan_engine.replay import Header, SeatName
from guandan_engine.rules import RuleSet
from guandan_engine.rules import load as load_rules
from guandan_engine.table import Table
from guandan_sdk.bot import TimeLeft, Welcome
from guandan_sdk.errors import BotBroken, SdkError, TableNotPlayed
from guandan_sdk.loading import BotSource, find_bot
from guandan_sdk.seat import Seat, Seatable

__all__ = [
    "NO_LIMIT",
    "Game",
    "LocalTable",
    "Millis",
    "Pair",
    "Seats",
    "Series",
    "board_of",
    "deal_secret",
    "play_boards",
    "play_pair",
    "play_pairs",
    "replay_of",
    "secret_of",
    "table_name",
]

NO_LIMIT: Final = Clocks(connect_ms=60_000, move_ms=86_400_000, play_clock=False)
"""Clocks for local play: time is measured, but a day for each decision is no limit, and nobody is slow.

A minute to start is for bots that are processes, on a machine that compiles something beside them.
"""

T = TypeVar("T")
Millis = Callable[[], int]
Seats = tuple[Seatable, Seatable, Seatable, Seatable]


@dataclass(frozen=True, slots=True)
class Game:
    """One finished table. ``times``: milliseconds of each decision by seat, as measured in this process."""

    end: MatchEnded
    records: tuple[Record, ...]
    verdicts: tuple[Verdict, Verdict, Verdict, Verdict]
    evidence: tuple[Evidence, ...]
    times: tuple[tuple[float, ...], ...]


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class LocalTable:
    """Four bots, one adjudicator, one process. Bots answer one after the other, so a bot cannot be interrupted."""

    def __init__(self, spec: TableSpec, seats: Seats, deal: Dealer | None, *, now: Millis) -> None:
        """Sit the bots down; ``deal(n)`` gives deal n of a classic match."""
        self._now = now
        self._table = Table(spec, deal, opened_ms=now())
        self._seats = [
            Seat(bot, Welcome(spec.table_id, number, spec.rules, spec.clocks, spec.seeds[number]))
            for number, bot in enumerate(seats)
        ]
        self._times: tuple[list[float], ...] = ([], [], [], [])

    def play(self) -> Game:
        """Play to the end."""
        effects: deque[Effect] = deque()
        for seat in range(4):
            effects.extend(self._table.joined(seat, self._now()))
        while effects:
            effects.extend(self._carry_out(effects.popleft()))
        end = self._table.log[-1].event
        assert isinstance(end, MatchEnded)
        table = self._table
        times = tuple(tuple(spent) for spent in self._times)
        return Game(end, tuple(table.log), table.verdicts, tuple(table.evidence), times)

    def _carry_out(self, effect: Effect) -> Sequence[Effect]:
        if isinstance(effect, Tell):
            self._guarded(effect.seat, lambda: self._seats[effect.seat].happened(effect.record.event))
        elif isinstance(effect, AskSeat):
            return self._ask(effect)
        return ()

    def _ask(self, effect: AskSeat) -> list[Effect]:
        """Put a request to a bot until it is settled: an illegal answer may be forgiven once."""
        number, request = effect.seat, effect.request
        seat = self._seats[number]
        effects = list(self._table.sent(number, request.id, self._now()))
        left = TimeLeft(request.clock_ms, request.bank_ms)
        begun = time.perf_counter()
        answer: Answer | None = self._guarded(number, lambda: seat.answer(request.question, left))
        self._times[number].append((time.perf_counter() - begun) * 1000)
        while answer is not None:
            now = self._now()
            news = [*self._table.tick(now), *self._table.answered(number, request.id, answer, now)]
            refusals = [item.refusal for item in news if isinstance(item, Refuse) and item.refusal.code != "stale"]
            effects.extend(item for item in news if not isinstance(item, Refuse))
            answer = seat.refused(request.question, refusals[0]) if refusals else None
        return effects

    def _guarded(self, number: int, call: Callable[[], T]) -> T:
        """Call a bot; name the seat when it breaks."""
        try:
            return call()
        except SdkError:
            raise
        except Exception as error:
            name = type(self._seats[number].bot).__name__
            raise BotBroken(f"{name} in seat {number} raised {type(error).__name__}: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """What two bots play against each other: boards, or classic matches, each both ways round from one seed."""

    a: BotSource
    b: BotSource
    rules: RuleSet
    seed: int
    classic: bool = False
    clocks: Clocks | None = None

    def label(self, number: int) -> str:
        """Name a board or match, from 1; its cards follow from this name and the seed."""
        return f"{'match' if self.classic else 'board'}/{number}"

    @property
    def secret(self) -> bytes:
        """The secret all shuffles of this seed follow from."""
        return secret_of(self.seed)


def secret_of(seed: int) -> bytes:
    """Return the secret that all shuffles of a seed follow from, here and in ``guandan check``."""
    return hashlib.sha256(f"guandan/local/{seed}".encode()).digest()


@dataclass(frozen=True, slots=True)
class Pair:
    """A board or match played both ways: points of A at each table, and the tables themselves."""

    number: int
    points: tuple[int, int]
    games: tuple[Game, Game]

    @property
    def mean(self) -> float:
        """Points of A per table."""
        return sum(self.points) / 2


def board_of(series: Series, number: int) -> Board:
    """Deal a board: cards, level and leader follow from its secret, as in the arena."""
    return shuffle.board(shuffle.deal_secret(series.secret, series.label(number)), series.rules)


def play_pair(series: Series, number: int, *, now: Millis = _now_ms) -> Pair:
    """Play one board or match at two tables, partnerships swapped, with fresh bots, both Python, at each."""
    first, second = (_play_way(series, number, way, now) for way in (0, 1))
    return Pair(number, (points_of_a(first.end, 0), points_of_a(second.end, 1)), (first, second))


def play_pairs(series: Series, count: int, *, jobs: int = 1) -> Iterator[Pair]:
    """Play boards or matches 1 to ``count``, ``jobs`` at a time; the outcome does not depend on ``jobs``.

    When a bot is not Python, all bots are processes; raise TableNotPlayed where the runner is not installed.
    """
    numbers = range(1, count + 1)
    if series.a.command or series.b.command:
        yield from _as_processes(series, numbers, jobs)
        return
    if jobs <= 1:
        yield from (play_pair(series, number) for number in numbers)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_quiet_stdout) as pool:
        yield from pool.map(partial(play_pair, series), numbers)


def _as_processes(series: Series, numbers: Iterable[int], jobs: int) -> Iterator[Pair]:
    try:
        from guandan_sdk import processes  # noqa: PLC0415 - comes with the extra only
    except ModuleNotFoundError as error:
        raise TableNotPlayed(
            f"a bot that is not Python is played as a process of its own, and {error.name} is not installed",
            "pip install guandan-sdk[check]",
        ) from None
    return processes.play_pairs(series, numbers, jobs=jobs)


def play_boards(a: str, b: str, *, boards: int, seed: int, rules: str = "standard") -> list[Pair]:
    """Play boards between two bots given by name, file or folder: the same as ``guandan play A B``."""
    series = Series(a=find_bot(a), b=find_bot(b), rules=load_rules(rules), seed=seed)
    return list(play_pairs(series, boards))


def _quiet_stdout() -> None:
    """Send what bots print to stderr, for stdout carries results."""
    sys.stdout = sys.stderr


def _play_way(series: Series, number: int, way: int, now: Millis) -> Game:
    sources = [(series.a, series.b)[entrant_of(seat, way)] for seat in range(4)]
    bots = (sources[0].make(), sources[1].make(), sources[2].make(), sources[3].make())
    secret = shuffle.deal_secret(series.secret, series.label(number))
    spec = TableSpec(
        table_id=table_name(series, number, way),
        rules=series.rules,
        clocks=series.clocks or NO_LIMIT,
        seeds=shuffle.seat_seeds(secret, way),
        board=None if series.classic else board_of(series, number),
    )
    rules = series.rules
    return LocalTable(spec, bots, lambda deal: shuffle.deal(deal_secret(series, number, deal), rules), now=now).play()


def deal_secret(series: Series, number: int, deal: int | None) -> bytes:
    """Return the secret of a board or match, or of one deal of a match, from 1."""
    return shuffle.deal_secret(series.secret, shuffle.deal_label(series.label(number), deal))


def table_name(series: Series, number: int, way: int) -> str:
    """Name a table of a series."""
    return f"local/{series.seed}/{series.label(number)}/{way}"


def replay_of(series: Series, number: int, way: int, game: Game, *, created: str = "") -> bytes:
    """Write one table of a series as a GDR v1 replay."""
    names = [SeatName((series.a, series.b)[entrant_of(seat, way)].name) for seat in range(4)]
    table = table_name(series, number, way)
    header = Header(
        rules=series.rules,
        table=table,
        seats=(names[0], names[1], names[2], names[3]),
        clocks=series.clocks or NO_LIMIT,
        board=None if series.classic else number,
        way=way,
        label=series.label(number),
        created=created,
    )
    deals = sum(isinstance(record.event, DealStarted) for record in game.records)
    numbers: list[int | None] = [*range(1, deals + 1)] if series.classic else [None]
    return replay.write(header, game.records, secrets=[deal_secret(series, number, deal) for deal in numbers])
