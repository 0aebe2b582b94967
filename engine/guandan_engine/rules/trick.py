"""The parameters of a trick and of what players may know (docs/rules.md §6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from guandan_engine.rules.parameter import Whole, choice, flag, parameter

Jiefeng: TypeAlias = Literal["partner", "next_seat"]
JiefengScope: TypeAlias = Literal["any", "first_only"]
Announce: TypeAlias = Literal["none", "on_request", "auto_once", "auto_each_play", "auto_and_request", "by_agreement"]
CountView: TypeAlias = Literal["announced", "always"]
Review: TypeAlias = Literal["current_trick", "none", "all"]


@dataclass(frozen=True, kw_only=True)
class TrickRules:
    """Who leads on when the best player is out, and what is told of the cards left and laid."""

    jiefeng: Jiefeng = choice("partner", Jiefeng)
    """Who leads when the last play of a trick was its player's last cards (§6.5)."""
    jiefeng_scope: JiefengScope = choice("any", JiefengScope)
    """Whether the partner leads on for whoever goes out, or only for the first; else the next seat leads (§6.5)."""
    announce: Announce = choice("auto_once", Announce)
    """When a player tells how many cards are left (§6.6)."""
    announce_max: int = parameter(10, Whole(0, 27))
    """The largest number of cards left that is told (§6.6)."""
    announce_agreed: bool = flag(False)
    """The answer of both sides where announcing goes by agreement (§6.6)."""
    count_view: CountView = choice("announced", CountView)
    """Whether the table shows the cards left of others as announced, or always (§6.7)."""
    review: Review = choice("current_trick", Review)
    """Which laid plays a player may look at again: those of the trick, none, or all (§6.8)."""
