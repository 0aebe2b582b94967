"""What happens at a table, as frozen records; the one log from which every view is cut."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from guandan_engine.actions import Ask, Play
from guandan_engine.cards import Card, Hand, Rank

__all__ = [
    "DECISIONS",
    "AntiTribute",
    "CardOffered",
    "Chose",
    "DealEnded",
    "DealStarted",
    "DealVoided",
    "Decision",
    "Event",
    "Finished",
    "LeadPassed",
    "LeaderNamed",
    "LegEnded",
    "MatchEnd",
    "MatchEnded",
    "Passed",
    "Played",
    "Resisted",
    "Ruling",
    "Sanctioned",
    "TributePaid",
    "TributeReturned",
    "TrickWon",
]


@dataclass(frozen=True, slots=True)
class DealStarted:
    """Cards are dealt. ``hands`` holds None where a view may not see. ``levels``: of partnerships 0+2 and 1+3.

    ``leader`` is None while tribute decides it. ``order`` is the finishing order of the deal before, () if none.
    ``drawer`` drew the first card; ``face_up`` lay face up and its holder leads; ``lot`` (0 to 3) decides what is
    left to chance. These three are None where they were not drawn.
    """

    deal: int
    level: Rank
    levels: tuple[Rank, Rank]
    leader: int | None
    hands: tuple[Hand | None, Hand | None, Hand | None, Hand | None]
    order: tuple[int, ...] = ()
    drawer: int | None = None
    face_up: Card | None = None
    lot: int | None = None


@dataclass(frozen=True, slots=True)
class Resisted:
    """A payer that was asked resists: it holds a big joker and will not pay."""

    seat: int


@dataclass(frozen=True, slots=True)
class AntiTribute:
    """抗贡: the paying side holds both big jokers, so no tribute is paid.

    ``seats`` hold them; where they are not ``shown``, only these seats see who.
    """

    seats: tuple[int, ...]
    shown: bool = True


@dataclass(frozen=True, slots=True)
class CardOffered:
    """A seat laid a card on the table as tribute (``ask`` PAY) or as return (RETURN); who gets it will be chosen."""

    seat: int
    ask: Ask
    card: Card


@dataclass(frozen=True, slots=True)
class Chose:
    """A seat chose: the card offered by seat ``chosen``, or ``chosen`` as the leader, as ``ask`` says."""

    seat: int
    ask: Ask
    chosen: int


@dataclass(frozen=True, slots=True)
class TributePaid:
    """进贡: ``seat`` gave ``card`` to ``to``, face up."""

    seat: int
    to: int
    card: Card


@dataclass(frozen=True, slots=True)
class TributeReturned:
    """还贡: ``seat`` gave ``card`` back to ``to``; two returns are shown together."""

    seat: int
    to: int
    card: Card


@dataclass(frozen=True, slots=True)
class LeaderNamed:
    """Tribute has decided who leads the first trick."""

    seat: int


@dataclass(frozen=True, slots=True)
class Ruling:
    """The table answered for a seat: ``fault`` says why (a ``conduct.Fault`` value), the action follows as an event."""

    seat: int
    fault: str
    ask: Ask
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Sanctioned:
    """What a seat did wrong and what it costs (docs/rules.md §11).

    ``offence``: a ``conduct.Offence`` value; ``sanction``: a ``conduct.Sanction`` value; ``amount``: turns, levels or
    points. ``levels``: those of both sides afterwards, where they have moved. ``cards``: what was exposed.
    ``leader``: who leads the next deal, where no tribute is paid for this one. ``referee``: a referee has ruled so,
    for this ``reason``; otherwise the table applies the rules.
    """

    seat: int
    offence: str
    sanction: str
    amount: int = 0
    levels: tuple[Rank, Rank] | None = None
    cards: tuple[Card, ...] = ()
    leader: int | None = None
    referee: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LeadPassed:
    """A seat may not lead, so ``to`` leads in its place."""

    seat: int
    to: int


@dataclass(frozen=True, slots=True)
class Played:
    """A play was laid; ``left`` cards remain in the hand, None where a view may not see how many.

    ``told`` (报牌): the others were told how many remain. ``silent``: the player owed them that and did not say it.
    """

    seat: int
    play: Play
    left: int | None
    told: bool = False
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat passed."""

    seat: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A seat laid its last card; ``place`` from 1."""

    seat: int
    place: int


@dataclass(frozen=True, slots=True)
class TrickWon:
    """All others passed: ``seat`` leads next. ``jiefeng`` (接风) when it leads for its partner who has finished."""

    seat: int
    jiefeng: bool = False


@dataclass(frozen=True, slots=True)
class DealEnded:
    """The deal is over. ``order``: all four seats by place (open places filled as the rules say).

    ``side`` (0 or 1) won ``gain``; ``levels`` are those after promotion; ``hands`` are what was left, revealed.
    """

    deal: int
    order: tuple[int, int, int, int]
    side: int
    gain: int
    levels: tuple[Rank, Rank]
    hands: tuple[Hand, Hand, Hand, Hand]


@dataclass(frozen=True, slots=True)
class DealVoided:
    """The time of the match ran out in this deal, so it does not count. ``hands`` are what was left, revealed."""

    deal: int
    levels: tuple[Rank, Rank]
    hands: tuple[Hand, Hand, Hand, Hand]


class MatchEnd(StrEnum):
    """Why a match or board is over."""

    PASSED_FINAL = "passed_final"
    BOARD_PLAYED = "board_played"
    DEAL_LIMIT = "deal_limit"
    TIME_UP = "time_up"
    EXTRA_DEAL = "extra_deal"
    FORFEITED = "forfeited"
    DISQUALIFIED = "disqualified"


@dataclass(frozen=True, slots=True)
class LegEnded:
    """One match of a best-of-three meeting (三局两胜) is over and another may follow; ``wins`` of each side so far."""

    leg: int
    side: int | None
    levels: tuple[Rank, Rank]
    wins: tuple[int, int]
    reason: MatchEnd


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The table is over. ``side`` won, or None when level; ``points``: sum of gains of each side."""

    side: int | None
    points: tuple[int, int]
    levels: tuple[Rank, Rank]
    reason: MatchEnd


Decision: TypeAlias = Played | Passed | LeadPassed | TributePaid | TributeReturned | Resisted | CardOffered | Chose
DECISIONS: Final = (Played, Passed, LeadPassed, TributePaid, TributeReturned, Resisted, CardOffered, Chose)
"""What a seat decides itself: its record carries the time it took."""

Event: TypeAlias = (
    DealStarted
    | Resisted
    | AntiTribute
    | CardOffered
    | Chose
    | TributePaid
    | TributeReturned
    | LeaderNamed
    | Ruling
    | Sanctioned
    | LeadPassed
    | Played
    | Passed
    | Finished
    | TrickWon
    | DealEnded
    | DealVoided
    | LegEnded
    | MatchEnded
)
