"""Possible worlds: four hands that fit all a seat knows, every way of dealing the unseen cards equally likely."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, TypeAlias

from guandan_engine.board import Hands
from guandan_engine.cards import Hand
from guandan_engine.errors import EngineError
from guandan_engine.events import Event
from guandan_engine.kernel.positions import position
from guandan_engine.kernel.state import State
from guandan_engine.knowledge import Knowledge, knowledge_of
from guandan_engine.view import SeatView

Room: TypeAlias = tuple[int, int, int, int]
_WORD_BYTES: Final = 8


def determinize(view: SeatView, seed: int, *, events: Iterable[Event] | None = None) -> Hands:
    """Return a world: four hands that fit everything the seat of this view knows (``knowledge_of``).

    Uniform over the ways to hand out the unseen cards that fit; as in the shuffle, two copies of a face are two cards.
    Nothing is inferred from how seats have played. The same view and seed give the same world. Whoever draws many
    worlds of one view makes ``Worlds`` once. Raise EngineError where the events are missing or do not fit the view.
    """
    return Worlds(knowledge_of(view, events)).draw(seed)


def state_in(world: Hands, view: SeatView) -> State:
    """Return the moment of a view at which a seat is to play, in one of its worlds, for a search to play on from.

    Raise EngineError at any other moment, or where the world is not one of this view.
    """
    if view.turn is None:
        raise EngineError("nobody is to play at this moment: tribute is not over, or the deal is")
    owner, passes, to_beat = None, 0, None
    for move in view.trick:
        if move.play is None:
            passes += 1
        else:
            owner, passes, to_beat = move.seat, 0, move.play.combo
    return position(
        world,
        view.turn,
        view.level,
        view.rules,
        to_beat=to_beat,
        owner=owner,
        passes=passes,
        finished=view.finished,
    )


class Worlds:
    """All worlds that fit what is known."""

    def __init__(self, known: Knowledge) -> None:
        """Sort the loose cards by who may hold them: those that anybody may hold come last."""
        self.known = known
        takers: dict[tuple[int, ...], list[int]] = {}
        open_hands = [(seat, held.barred) for seat, held in enumerate(known.hands) if held.open]
        seats = tuple(seat for seat, _ in open_hands)
        barred = frozenset().union(*(cards for _, cards in open_hands))
        for card in known.loose:
            if card in barred:
                takers.setdefault(tuple(s for s, cards in open_hands if card not in cards), []).append(1 << card.index)
            else:
                takers.setdefault(seats, []).append(1 << card.index)
        self._lots = sorted(takers.items(), key=lambda lot: (len(lot[0]), lot[0]))
        a, b, c, d = (held.open for held in known.hands)
        self._room: Room = (a, b, c, d)
        self._ways: dict[tuple[int, Room], int] = {}
        self.count = self._count(0, self._room)
        """How many ways there are to hand out the loose cards."""
        if not self.count:
            raise EngineError("no hands fit what has been seen: the events contradict each other")

    def draw(self, seed: int) -> Hands:
        """Return the world of a seed."""
        ones, twos = [held.known.ones for held in self.known.hands], [held.known.twos for held in self.known.hands]
        room, words = self._room, _words(seed, len(self.known.loose))
        for number, (_, cards) in enumerate(self._lots):
            split = self._split(number, room, seed)
            room = _less(room, split)
            shuffled = sorted(zip(islice(words, len(cards)), cards, strict=True))
            first = 0
            for seat, share in enumerate(split):
                for _, bit in shuffled[first : first + share]:
                    twos[seat] |= ones[seat] & bit
                    ones[seat] |= bit
                first += share
        a, b, c, d = map(Hand, ones, twos)
        return (a, b, c, d)

    def _count(self, number: int, room: Room) -> int:
        """Count the ways to hand out the lots from this one on where so many cards are missing."""
        if number == len(self._lots):
            return int(not any(room))
        key = number, room
        if key not in self._ways:
            self._ways[key] = sum(weight for _, weight in self._splits(number, room))
        return self._ways[key]

    def _splits(self, number: int, room: Room) -> Iterator[tuple[Room, int]]:
        """Yield how a lot may be split among the seats, and how many ways there are then in all."""
        seats, cards = self._lots[number]
        last = number == len(self._lots) - 1
        for split in [room] if last else _shares(len(cards), seats, room):
            if sum(split) != len(cards) or any(share and seat not in seats for seat, share in enumerate(split)):
                continue
            rest = 1 if last else self._count(number + 1, _less(room, split))
            if rest:
                yield split, rest * _arrangements(split)

    def _split(self, number: int, room: Room, seed: int) -> Room:
        """Draw a split by its weight."""
        if number == len(self._lots) - 1:
            return room
        options = list(self._splits(number, room))
        place = _below(sum(weight for _, weight in options), f"split/{number}/{seed}")
        for split, weight in options:
            place -= weight
            if place < 0:
                return split
        raise AssertionError("a place below the sum of all weights is in one of them")


def _shares(cards: int, seats: tuple[int, ...], room: Room) -> Iterator[Room]:
    """Yield every way to give so many cards to these seats within their room."""
    if not seats:
        if not cards:
            yield (0, 0, 0, 0)
        return
    seat, others = seats[0], seats[1:]
    most = sum(room[other] for other in others)
    for share in range(max(0, cards - most), min(cards, room[seat]) + 1):
        for rest in _shares(cards - share, others, room):
            a, b, c, d = (share if place == seat else given for place, given in enumerate(rest))
            yield (a, b, c, d)


def _less(room: Room, split: Room) -> Room:
    a, b, c, d = (left - share for left, share in zip(room, split, strict=True))
    return (a, b, c, d)


def _arrangements(split: Room) -> int:
    """Return in how many ways different cards go to seats that get so many each."""
    ways = math.factorial(sum(split))
    for share in split:
        ways //= math.factorial(share)
    return ways


def _words(seed: int, number: int) -> Iterator[int]:
    """Return so many 64-bit numbers of chance that follow from a seed, by SHAKE-128."""
    digest = hashlib.shake_128(f"guandan/world/{seed}".encode()).digest(number * _WORD_BYTES)
    return iter(struct.unpack(f">{number}Q", digest))


def _below(limit: int, label: str) -> int:
    """Return a number from 0 to below the limit; 64 bits to spare keep the bias out of sight."""
    size = limit.bit_length() // 8 + 1 + _WORD_BYTES
    return int.from_bytes(hashlib.shake_128(f"guandan/world/{label}".encode()).digest(size), "big") % limit


__all__ = ["Worlds", "determinize", "state_in"]
