"""Everyone against everyone, by the circle method: for fields so small that Swiss rounds would repeat meetings."""

from __future__ import annotations

from collections.abc import Sequence

from guandan_arena.tournaments.field import Field, lot
from guandan_arena.tournaments.history import Pair, Result, Round


def scheduled(field: Field, history: Sequence[Result], number: int, seed: int) -> Round | None:
    """Return round ``number`` of the schedule, or None when it cannot hold: somebody came, left or may not meet."""
    seen = {entrant for result in history for entrant in (result.a, result.b) if entrant is not None}
    if not seen <= set(field.ids):
        return None
    meetings_before = (number - 1) // _cycle(len(field))
    position = {entrant: i for i, entrant in enumerate(field.ids)}
    pairs: list[tuple[int, int]] = []
    byes: list[str] = []
    for x, y in _circle(sorted(field.ids, key=lambda e: lot(seed, e)), number):
        if x is None or y is None:
            byes.extend(e for e in (x, y) if e is not None)
            continue
        i, j = sorted((position[x], position[y]))
        if field.forbidden(i, j) or field.met(i, j) > meetings_before:
            return None
        pairs.append((i, j))
    return Round(number, tuple(Pair(field.ids[i], field.ids[j]) for i, j in sorted(pairs)), tuple(byes))


def _cycle(size: int) -> int:
    """Return after how many rounds everyone has met everyone."""
    return max(size - 1 + size % 2, 1)


def _circle(ids: list[str], number: int) -> list[tuple[str | None, str | None]]:
    """Turn the circle ``number - 1`` steps about its first place and fold it; None stands for the missing one."""
    ring: list[str | None] = [*ids, *([None] if len(ids) % 2 else [])]
    turn = (number - 1) % max(len(ring) - 1, 1)
    turned = ring[:1] + ring[1 + turn :] + ring[1 : 1 + turn]
    half = len(turned) // 2
    return list(zip(turned[:half], reversed(turned[half:]), strict=True))
