"""A replay at one moment: what lies on the table, who holds what, and the log told move by move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guandan_engine import replay
from guandan_engine.cards import Card, Hand, Rank
from guandan_engine.events import DealEnded, DealStarted, Event, MatchEnded, Played
from guandan_engine.exchange import Record
from guandan_engine.plays import declared_cards
from guandan_engine.replay import Header
from guandan_engine.view import SeatView, cut, fold


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat at the moment shown. ``hand`` is None when the viewer chose to see as another seat."""

    number: int
    name: str
    hand: Hand | None
    count: int
    on_table: tuple[Card, ...]
    passed: bool
    place: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the log: the event, who acts, and for a wild card what it stands for."""

    n: int
    kind: str
    event: Event
    ms: int
    declared: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """``moment`` is the number of the last record that has happened; ``viewer`` None sees all hands."""

    header: Header
    moment: int
    last: int
    viewer: int | None
    level: Rank
    turn: int | None
    seats: tuple[Seat, ...]
    lines: tuple[Line, ...]
    ended: DealEnded | MatchEnded | None


def scene_of(data: bytes, *, moment: str, seat: str) -> Scene:
    """Return a replay at record ``moment`` (else its start) as ``seat`` 0-3 sees it, else with all hands."""
    record = replay.read(data)
    first, last = record.records[0].n, record.records[-1].n
    wanted = int(moment) if moment.isascii() and moment.isdigit() and len(moment) < 9 else first
    at = min(max(wanted, first), last)
    viewer = int(seat) if seat in ("0", "1", "2", "3") else None
    views = _views(record.header, [item.event for item in record.records if item.n <= at])
    level = views[0].level
    return Scene(
        header=record.header,
        moment=at,
        last=last,
        viewer=viewer,
        level=level,
        turn=views[0].turn,
        seats=tuple(_seat(record.header, view, viewer) for view in views),
        lines=_lines(record.records, level),
        ended=views[0].ended or views[0].result,
    )


def _views(header: Header, happened: Sequence[Event]) -> tuple[SeatView, ...]:
    views = [SeatView(seat, header.rules) for seat in range(4)]
    for event in happened:
        views = [fold(view, cut(event, seat)) for seat, view in enumerate(views)]
    return tuple(views)


def _seat(header: Header, view: SeatView, viewer: int | None) -> Seat:
    assert view.seat is not None
    count = view.counts[view.seat]
    assert count is not None
    moves = [move for move in view.trick if move.seat == view.seat]
    play = moves[-1].play if moves else None
    return Seat(
        number=view.seat,
        name=header.seats[view.seat].name,
        hand=view.hand if viewer in (None, view.seat) else None,
        count=count,
        on_table=play.cards if play else (),
        passed=bool(moves) and play is None,
        place=view.finished.index(view.seat) + 1 if view.seat in view.finished else None,
    )


def _lines(records: Sequence[Record], level: Rank) -> tuple[Line, ...]:
    lines = []
    for item in records:
        event = item.event
        if isinstance(event, DealStarted):
            level = event.level
        declared: tuple[Card, ...] = ()
        if isinstance(event, Played) and event.play.combo.wilds:
            declared = declared_cards(event.play, level)
        lines.append(Line(item.n, type(event).__name__, event, item.ms, declared))
    return tuple(lines)
