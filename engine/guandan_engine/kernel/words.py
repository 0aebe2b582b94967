"""Tricks on words of bits. No word has more than 62, so that it is the same number compiled and uncompiled."""

from __future__ import annotations

from typing import Final

from guandan_engine.kernel.types import i64, vec

_TOP: Final = 0x1000000000000000
_FIVES: Final = 0x5555555555555555
_THREES: Final = 0x3333333333333333
_BYTES: Final = 0x0F0F0F0F0F0F0F0F

POP8: Final = vec[i64]([byte.bit_count() for byte in range(256)])
"""How many bits a byte has."""
_BITS: Final = [[i for i in range(8) if byte >> i & 1] for byte in range(256)]
BITS8: Final = vec[i64]([place for bits in _BITS for place in (*bits, *[0] * (8 - len(bits)))])
"""At 8 times a byte: the places of its bits, the lowest first."""
PLACE: Final = vec[i64]([{pow(2, place, 37): place for place in range(36)}.get(rest, 0) for rest in range(37)])
"""The place of a single bit below 36, by the word modulo 37."""


def bit(place: i64) -> i64:
    """Return the word with one bit, at a place of 0 to 60. (A constant shifted left is shifted in 32 bits by mypyc.)"""
    return _TOP >> (60 - place)


def nibble_counts(word: i64) -> i64:
    """Count the bits of each nibble into that nibble."""
    word -= word >> 1 & _FIVES
    return (word & _THREES) + (word >> 2 & _THREES)


def nibble_sum(word: i64) -> i64:
    """Add up the nibbles of a word; 127 at most."""
    word = (word & _BYTES) + (word >> 4 & _BYTES)
    word += word >> 8
    word += word >> 16
    return (word + (word >> 32)) & 127


def columns(word: i64) -> i64:
    """Transpose sixteen nibbles into four columns of sixteen bits: bit b of nibble k goes to place 16 b + k.

    Each step exchanges two binary digits of every bit's place number.
    """
    moved = (word ^ word >> 30) & 0xCCCCCCCC
    word ^= moved ^ moved << 30
    moved = (word ^ word >> 15) & 0xAAAA0000AAAA
    word ^= moved ^ moved << 15
    moved = (word ^ word >> 6) & 0xCC00CC00CC00CC
    word ^= moved ^ moved << 6
    moved = (word ^ word >> 3) & 0xA0A0A0A0A0A0A0A
    return word ^ moved ^ moved << 3


def five_in_a_row(a: i64, b: i64, c: i64, d: i64, e: i64) -> tuple[i64, i64, i64]:
    """Return the places where all five, at least four, at least three of five words have their bit.

    A bit-sliced adder: all places are counted at once, in the binary digits ``ones``, ``twos`` and ``fours``.
    """
    ab, de = a ^ b, d ^ e
    abc = ab ^ c
    carry1, carry2, carry3 = a & b | ab & c, d & e, abc & de
    ones = abc ^ de
    twos = carry1 ^ carry2 ^ carry3
    fours = carry1 & carry2 | carry3 & (carry1 | carry2)
    return fours & ones, fours, fours | twos & ones
