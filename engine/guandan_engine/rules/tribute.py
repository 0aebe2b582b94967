"""The parameters of dealing, of the first lead and of tribute (docs/rules.md §7 and §8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from guandan_engine.rules.parameter import OneOf, choice, flag, parameter

FirstDrawer: TypeAlias = Literal["count_from_cutter", "rank_mod_4", "north", "any"]
FirstLeader: TypeAlias = Literal["face_up_card", "random"]
LeadRule: TypeAlias = Literal["tribute", "face_up_card"]
LaterDrawerDouble: TypeAlias = Literal["next_of_first", "either_loser", "last"]
TributePairing: TypeAlias = Literal["by_rank", "clockwise"]
TributeTie: TypeAlias = Literal["clockwise", "first_chooses", "winners_choose", "random"]
TieLead: TypeAlias = Literal[
    "payer_of_first", "next_of_first", "prev_of_first", "lower_return", "payers_choose", "last_in_order"
]
ReturnTo: TypeAlias = Literal["payer", "next_seat", "payers_choose_on_tie"]
ReturnMax: TypeAlias = 'Literal[9, 10, "any"]'
ReturnMaxPartner: TypeAlias = 'Literal[9, 10, "below_level", "any"]'
ReturnFallback: TypeAlias = Literal["lowest", "any"]
AntiTributeWhen: TypeAlias = Literal["both_big", "off"]
AntiMode: TypeAlias = Literal["auto", "optional"]


@dataclass(frozen=True, kw_only=True)
class TributeRules:
    """Who draws and leads, and what the losers of a deal owe in the next."""

    first_drawer: FirstDrawer = choice("count_from_cutter", FirstDrawer)
    """Who draws the first card of a first deal (§7.4)."""
    first_leader: FirstLeader = choice("face_up_card", FirstLeader)
    """Who leads a first deal: the holder of the face-up card, or a drawn seat (§7.5)."""
    lead_rule: LeadRule = choice("tribute", LeadRule)
    """What names the leader of later deals (§7.5)."""
    later_drawer_double: LaterDrawerDouble = choice("next_of_first", LaterDrawerDouble)
    """Who draws first after a double-down (§7.4)."""
    tribute: bool = flag(True)
    """Whether the losers of a deal pay tribute in the next (§8.1)."""
    tribute_partner: bool = flag(True)
    """Whether the last pays also when it is the partner of the first (§8.1)."""
    tribute_pairing: TributePairing = choice("by_rank", TributePairing)
    """Who gets which of two tributes: the higher goes to the first, or each to the seat before its payer (§8.4)."""
    tribute_tie: TributeTie = choice("clockwise", TributeTie)
    """Who gets which of two equal tributes (§8.4)."""
    tie_lead: TieLead = choice("payer_of_first", TieLead)
    """Who leads after two equal tributes (§8.7)."""
    return_to: ReturnTo = choice("payer", ReturnTo)
    """To whom the returns of a double tribute go (§8.5)."""
    return_max_opponent: ReturnMax = parameter(10, OneOf((10, 9, "any")))
    """The highest rank that may be returned to an opponent (§8.5)."""
    return_max_partner: ReturnMaxPartner = parameter(10, OneOf((10, 9, "below_level", "any")))
    """The highest rank that may be returned to the partner (§8.5)."""
    return_level_card: bool = flag(False)
    """Whether a level card may be returned where its natural rank is within the limit (§8.5)."""
    return_fallback: ReturnFallback = choice("lowest", ReturnFallback)
    """What a receiver without a card within the limit returns: one of its lowest rank, or any card (§8.5)."""
    return_sealed: bool = flag(True)
    """Whether two returns are chosen before either is shown (§8.6)."""
    anti_tribute: AntiTributeWhen = choice("both_big", AntiTributeWhen)
    """What frees the payers from tribute: both big jokers, or nothing (§8.3)."""
    anti_mode: AntiMode = choice("auto", AntiMode)
    """Whether anti-tribute happens by itself, or those who hold the jokers are asked (§8.3)."""
    anti_show: bool = flag(True)
    """Whether the big jokers are shown by name of their holders (§8.3)."""
