"""Colourless Swiss pairing as one maximum-weight matching; never fails, whatever the field."""

from __future__ import annotations

from collections.abc import Sequence

from guandan_arena.tournaments.history import Entrant, Result, Round


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
    raise NotImplementedError
