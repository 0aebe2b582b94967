"""The parameters of a rule set, each with its default (that of ``standard``) and the values this engine plays."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Final, TypeAlias, TypeVar, cast

from guandan_engine.cards import Rank
from guandan_engine.combos import Kind

T = TypeVar("T")
Plain: TypeAlias = bool | int | str | list["bool | int | str"]


def _one_of(default: T, *others: T) -> T:
    """Declare a parameter: its default, then the other values the engine can play."""
    return field(default=default, metadata={"allowed": (default, *others)})


_WILD_KINDS: Final = tuple(kind for kind in Kind if kind not in (Kind.SINGLE, Kind.JOKER_BOMB))


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """How Guandan is played at a table. Paragraph numbers (§) are those of ``docs/rules.md``.

    Every value a field allows is played exactly; what is not played yet is refused when a rule set is read.
    """

    name: str = "standard"

    # Combinations (§3, §4, §5)
    wild_kinds: tuple[Kind, ...] = _one_of(_WILD_KINDS)
    wild_alone: str = _one_of("level_card")
    wild_with_jokers: bool = _one_of(True)
    wild_reading: str = _one_of("declared")
    max_bomb: int = _one_of(10, 8, 9)
    sf_beats_upto: int = _one_of(5)
    sf_tie: str = _one_of("equal")
    seq_wrap: bool = _one_of(False)
    seq_level_card: str = _one_of("natural")
    seq_compare: str = _one_of("natural")
    single_ace: str = _one_of("high")
    mixed_joker_pair: bool = _one_of(False)
    full_house_joker_pair: bool = _one_of(True)
    full_house_same_rank: bool = _one_of(False)

    # Trick (§6)
    jiefeng: str = _one_of("partner")
    jiefeng_scope: str = _one_of("any")

    # Tribute (§8)
    tribute: bool = _one_of(True)
    tribute_partner: bool = _one_of(True)
    tribute_pairing: str = _one_of("by_rank")
    tribute_tie: str = _one_of("clockwise")
    tie_lead: str = _one_of("payer_of_first")
    return_to: str = _one_of("payer")
    return_max_opponent: int = _one_of(10)
    return_max_partner: int = _one_of(10)
    return_level_card: bool = _one_of(False)
    return_fallback: str = _one_of("lowest")
    return_sealed: bool = _one_of(True)
    anti_tribute: str = _one_of("both_big")
    anti_mode: str = _one_of("auto")

    # Promotion and the end of a match (§9)
    gains: tuple[int, int, int] = _one_of((3, 2, 1))
    final_level: Rank = _one_of(Rank.ACE)  # noqa: RUF009 - the call returns a field
    must_play: tuple[Rank, ...] = _one_of((Rank.ACE,))
    a_pass: str = _one_of("not_last")
    a_owner_only: bool = _one_of(True)
    a_fail_limit: int = _one_of(0)  # 0: failing has no limit
    end_on: tuple[str, ...] = _one_of(("final",))

    # Conduct (§11)
    bad_move_policy: str = _one_of("reject_retry")

    def as_dict(self) -> dict[str, Plain]:
        """Return every parameter by name, ranks and kinds as text; ``from_dict`` reads it back."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}


def plain(value: object) -> Plain:
    """Return the text-file form of a parameter's value."""
    if isinstance(value, tuple):
        return [cast("bool | int | str", plain(item)) for item in value]
    if isinstance(value, Rank | Kind):
        return str(value)
    if isinstance(value, bool | int | str):
        return value
    raise TypeError(f"{value!r} cannot stand in a rule set")
