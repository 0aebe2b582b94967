"""The parameters of what may be played and what beats what (docs/rules.md §2 to §5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from guandan_engine.combos import Kind
from guandan_engine.rules.parameter import Several, Whole, choice, flag, parameter

WILD_KINDS = tuple(kind for kind in Kind if kind not in (Kind.SINGLE, Kind.JOKER_BOMB))
"""The kinds a wild can join, in order."""

WildAlone: TypeAlias = Literal["level_card", "last_only"]
WildReading: TypeAlias = Literal["declared", "declared_else_low", "declared_else_high"]
FlushTie: TypeAlias = Literal["equal", "hearts_top"]
RunLevelCard: TypeAlias = Literal["natural", "elevated"]
RunOrder: TypeAlias = Literal["natural", "level"]
AcePlace: TypeAlias = Literal["high", "low"]


@dataclass(frozen=True, kw_only=True)
class CombinationRules:
    """What combinations there are, how wilds read, and the order of strength."""

    wild_kinds: tuple[Kind, ...] = parameter(WILD_KINDS, Several(WILD_KINDS))
    """The kinds in which a wild may stand for another card (§4.1)."""
    wild_alone: WildAlone = choice("level_card", WildAlone)
    """Wilds without a natural card: level cards always, or only as the last cards of a hand (§4.2)."""
    wild_with_jokers: bool = flag(True)
    """Whether a wild and jokers may stand in one play (§4.1)."""
    wild_reading: WildReading = choice("declared", WildReading)
    """Undeclared cards with several readings of one kind: refused, read as the lowest, as the highest (§4.6)."""
    max_bomb: int = parameter(10, Whole(8, 10))
    """The most cards a bomb may have (§3.9)."""
    sf_beats_upto: int = parameter(5, Whole(4, 10))
    """The largest bomb that a straight flush beats (§5.4)."""
    sf_tie: FlushTie = choice("equal", FlushTie)
    """Straight flushes of the same ranks: equal, or the one of hearts beats the others (§5.3)."""
    seq_wrap: bool = flag(False)
    """Whether runs go on past the ace, as JQKA2 (§3.6)."""
    seq_level_card: RunLevelCard = choice("natural", RunLevelCard)
    """Where the level card stands in runs: at its natural rank, or above the ace (§3.7)."""
    seq_compare: RunOrder = choice("natural", RunOrder)
    """How runs compare: by natural order, or by their top card as a single (§5.2)."""
    single_ace: AcePlace = choice("high", AcePlace)
    """The ace in the order of single cards and groups: above the king, or below the 2 (§2.1)."""
    mixed_joker_pair: bool = flag(False)
    """Whether a small and a big joker are a pair; it counts as one of small jokers (§3.2)."""
    full_house_joker_pair: bool = flag(True)
    """Whether the pair of a full house may be of jokers (§3.5)."""
    full_house_same_rank: bool = flag(False)
    """Whether five equal cards may be laid as a full house (§3.5)."""
