"""Chance from a seed: Marsaglia's xorshift with four words of 32 bits, the same draws everywhere."""

from __future__ import annotations

from typing import Final

from guandan_engine.kernel.types import i64, vec
from guandan_engine.kernel.words import bit

RNG_WORDS: Final = 4
_WORD: Final = 0xFFFFFFFF


def _mixed(word: i64) -> i64:
    """Scatter 32 bits, one to one (the finisher of MurmurHash3)."""
    word &= _WORD
    word = (word ^ word >> 16) * 0x85EBCA6B & _WORD
    word = (word ^ word >> 13) * 0xC2B2AE35 & _WORD
    return word ^ word >> 16


def sow(w: vec[i64], at: i64, a: i64, b: i64, c: i64, d: i64) -> None:
    """Set four words from four numbers of 32 bits; different numbers give different words."""
    a = _mixed(a + 0x9E3779B9)
    b = _mixed(a + b)
    c = _mixed(b + c)
    d = _mixed(c + d)
    a = _mixed(a + d)
    b = _mixed(a + b)
    c = _mixed(b + c)
    d = _mixed(c + d)
    w[at] = a
    w[at + 1] = b
    w[at + 2] = c
    w[at + 3] = d if a | b | c | d else 1


def low_half(seed: int) -> i64:
    """Return the low 32 bits of a seed of any size."""
    return seed & _WORD


def high_half(seed: int) -> i64:
    """Return the next 32 bits."""
    return seed >> 32 & _WORD


def draw(w: vec[i64], at: i64, below: i64) -> i64:
    """Draw a number from 0 to below ``below``; uneven by no more than ``below`` in 2**32."""
    x = w[at]
    t = (x ^ x << 11) & _WORD
    w[at] = w[at + 1]
    w[at + 1] = w[at + 2]
    last = w[at + 3]
    w[at + 2] = last
    last ^= last >> 19 ^ t ^ t >> 8
    w[at + 3] = last
    return last * below >> 32


def deal_cards(w: vec[i64], rng: i64, deck: vec[i64], planes: vec[i64]) -> None:
    """Deal the 108 cards at random: two planes of each of four hands. ``deck``: room for 108 words."""
    i: i64
    for i in range(108):
        deck[i] = i >> 1
    for i in range(8):
        planes[i] = 0
    for i in range(108):
        if i < 81:  # the last hand takes what the others leave
            other = i + draw(w, rng, 108 - i)
            card = deck[other]
            deck[other] = deck[i]
        else:
            card = deck[i]
        seat = i // 27
        face = bit(card)
        if planes[2 * seat] & face:
            planes[2 * seat + 1] |= face
        else:
            planes[2 * seat] |= face
