"""Colourless Swiss pairing as one maximum-weight matching; never fails, whatever the field.

Entrants are vertices, and each unit of a bye is one more. An edge costs, in strict order of importance: meetings so
far, byes so far, the score of who gets the bye, the squared gap of scores, a float repeated in the same direction, and
the squared distance from the fold (top half of a score group against its bottom half). Each has its own bits of one
integer, so the cheapest perfect matching is the lexicographically best round.

A window of likely partners keeps the graph small; when it has no perfect matching it is widened, and once it covers
the field rematches are let in, so that they happen only where nothing else is possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import rustworkx

from guandan_arena.tournaments.field import Field, field_of
from guandan_arena.tournaments.history import Entrant, Pair, Result, Round
from guandan_arena.tournaments.roundrobin import scheduled

_WINDOW: Final = 24
_MEETINGS, _BYES, _BYE_SCORE, _GAP, _FLOAT = 96, 88, 72, 40, 30
_MOST: Final = 1 << 110
_Edge = tuple[int, int, int]


def next_round(
    entrants: Sequence[Entrant],
    history: Sequence[Result],
    round: int,  # noqa: A002 - the game's word
    seed: int,
    *,
    rounds: int | None = None,
) -> Round:
    """Pair the next round of those present.

    ``entrants`` are those who play this round (leave out who withdrew; late ones simply appear), ``history`` every
    result so far, ``seed`` draws lots among equals (the same one all event long). With ``rounds``, a field of at most
    ``rounds + 1`` plays everyone against everyone. Same input, same output, whatever the order of the sequences.
    """
    if len({e.id for e in entrants}) != len(entrants):
        raise ValueError("an entrant appears twice")
    if any(not 1 <= result.round < round for result in history):
        raise ValueError(f"the history holds results of rounds other than 1..{round - 1}")
    field = field_of(entrants, history, round, seed)
    if rounds is not None and len(field) <= rounds + 1:
        planned = scheduled(field, history, round, seed)
        if planned is not None:
            return planned
    return _arrange(field, _best_matching(field), round)


def _arrange(field: Field, matched: set[tuple[int, int]], number: int) -> Round:
    """Turn an unordered matching into pairs from the top of the field down."""
    pairs = sorted((min(edge), max(edge)) for edge in matched)
    met = tuple(Pair(field.ids[i], field.ids[j]) for i, j in pairs if j < len(field))
    return Round(number, met, tuple(field.ids[i] for i, j in pairs if j >= len(field)))


def _best_matching(field: Field) -> set[tuple[int, int]]:
    """Return the best perfect matching; positions from ``len(field)`` up are byes."""
    size = len(field)
    window = _WINDOW
    while True:
        matched = _match(field, window, byes=size % 2)
        if 2 * len(matched) == size + size % 2:
            return matched
        if window >= size:
            break
        window *= 4
    # Only same owners can leave entrants over here; as many byes as there must be make the matching perfect.
    alone = size - 2 * len(_match(field, size, byes=0))
    return _match(field, size, byes=alone)


def _match(field: Field, window: int, *, byes: int) -> set[tuple[int, int]]:
    """Match on the graph of one window."""
    graph = rustworkx.PyGraph[None, int](multigraph=False)
    graph.add_nodes_from([None] * (len(field) + byes))
    graph.add_edges_from([*_meetings(field, window), *_byes(field, window, byes)])
    return rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda cost: _MOST - cost)


def _meetings(field: Field, window: int) -> Iterator[_Edge]:
    """Yield the edges between likely partners: those next in order, and those about the fold of the score group."""
    size = len(field)
    rematches = window >= size
    for i in range(size):
        start, group = field.groups[i]
        fold = i + group // 2
        near = range(i + 1, min(i + 1 + window, size))
        about = range(max(near.stop, fold - window // 2), min(start + group, fold + window // 2 + 1))
        for j in (*near, *about):
            met = field.met(i, j)
            if not field.forbidden(i, j) and (rematches or not met):
                yield i, j, met << _MEETINGS | _cost(field, i, j)


def _byes(field: Field, window: int, byes: int) -> Iterator[_Edge]:
    """Yield the edges to byes from the lowest of the field."""
    size = len(field)
    for bye in range(size, size + byes):
        for i in range(max(0, size - 3 * window), size):
            yield i, bye, field.byes[i] << _BYES | field.scores[i] << _BYE_SCORE | (size - 1 - i)


def _cost(field: Field, i: int, j: int) -> int:
    """Return what a first meeting of positions ``i < j`` costs."""
    gap = field.scores[i] - field.scores[j]
    start, group = field.groups[i]
    if not gap:
        return (j - i - group // 2) ** 2
    repeated = (field.floats[i] == 1) + (field.floats[j] == -1)
    distance = (start + group - 1 - i) + (j - field.groups[j][0])
    return gap * gap << _GAP | repeated << _FLOAT | distance * distance
