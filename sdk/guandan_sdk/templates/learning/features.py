"""What the learned bot looks at: an observation and a play become a few rows of one table of weights.

The value of a play is ``output . relu(bias + sum of its rows) + offset``. Ranks are counted by their strength at the
level (keys: 2..A at 0..12, the level's own cards at 13, jokers at 14 and 15), so that what is learned at one level
holds at all. ``train.py`` sums the same rows with NumPy for many games at once; a test holds both together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from guandan_engine.cards import Rank, order_key
from guandan_engine.kernel import shape
from guandan_sdk.observation import ACTIONS, COUNTS, HAND, KIND, LAID, LEVEL, OWNER, PASSES, RANK

KEYS = 16
MOST = 4

# Where the rows of each feature begin. Those of the hand that is kept come first: one for each key and count up to 4.
KEPT = 0
KEPT_WILDS = KEPT + KEYS * MOST  # at least one, two wilds kept
KEPT_CARDS = KEPT_WILDS + 2  # how many cards are kept, 0 to 27
PLAY = KEPT_CARDS + 28  # kind and strength of the play
PLAY_SIZE = PLAY + 11 * KEYS
PLAY_WILDS = PLAY_SIZE + 11
UNSEEN = PLAY_WILDS + 3  # how many cards of each key nobody has shown, 0 to 8
OTHERS = UNSEEN + KEYS * 9  # how many cards the next seat, the partner and the previous seat hold
TO_BEAT = OTHERS + 3 * 28  # who laid what kind
TO_BEAT_KEY = TO_BEAT + 4 * 11
PASSED = TO_BEAT_KEY + KEYS
ROWS = PASSED + 3


def by_key(faces: Sequence[int], level: int) -> tuple[list[int], int]:
    """Count copies of 54 faces by key, wilds apart."""
    counts = [sum(faces[rank * 4 : rank * 4 + 4]) for rank in range(13)] + [0, faces[52], faces[53]]
    wilds = faces[level * 4 + 1]
    counts[13], counts[level] = counts[level] - wilds, 0
    return counts, wilds


@cache
def needs(number: int, level: int) -> tuple[tuple[int, int], ...]:
    """Return which keys a play takes how many cards of, as long as no wild stands for them."""
    play = ACTIONS[number]
    ranks = [] if play is None else shape(play, Rank(level))
    return tuple((order_key(rank, Rank(level)), count) for rank, count in ranks)


@cache
def taken(number: int) -> tuple[int, int]:
    """Return how many cards a play takes from the hand, and how many of them are wild."""
    play = ACTIONS[number]
    return (0, 0) if play is None else (play.size, play.wilds)


@cache
def play_rows(number: int, level: int) -> tuple[int, int, int]:
    """Return the rows of a play itself: kind with strength, size, wilds used."""
    play = ACTIONS[number]
    size, wilds = taken(number)
    if play is None:
        return PLAY, PLAY_SIZE, PLAY_WILDS
    strength = play.rank if play.kind.is_run else order_key(play.rank, Rank(level))
    return PLAY + play.kind * KEYS + strength, PLAY_SIZE + size, PLAY_WILDS + wilds


def state_rows(seen: Sequence[int]) -> list[int]:
    """Return the rows of an observation that are the same for every play."""
    level = seen[LEVEL]
    unseen, wilds = by_key([2 - held - laid for held, laid in zip(seen[HAND], seen[LAID], strict=True)], level)
    unseen[level] = wilds  # its own key is free: the level's cards stand at 13
    rows = [UNSEEN + key * 9 + count for key, count in enumerate(unseen)]
    rows += [OTHERS + other * 28 + count for other, count in enumerate(seen[COUNTS][1:])]
    key = order_key(Rank(seen[RANK] - 1), Rank(level)) if seen[RANK] else 0
    return [*rows, TO_BEAT + seen[OWNER] * 11 + seen[KIND], TO_BEAT_KEY + key, PASSED + seen[PASSES]]
