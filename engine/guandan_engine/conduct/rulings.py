"""A referee's ruling (裁判): what it says, and what the rules make of it where it leaves that to them."""

from __future__ import annotations

from dataclasses import dataclass

from guandan_engine.cards import Card
from guandan_engine.conduct.announcing import silence
from guandan_engine.conduct.ledger import Ledger, next_rung
from guandan_engine.conduct.offences import Offence, Sanction
from guandan_engine.errors import EngineError
from guandan_engine.rules import RuleSet

__all__ = ["APPLIED", "MOST_TURNS", "Cost", "NoSuchRuling", "RefereeRuling", "cost_of"]

MOST_TURNS = 3  # that an exposed card can cost (§11.9)
APPLIED = "applied"  # the answer to a ruling that was carried out


class NoSuchRuling(EngineError):
    """A referee cannot rule so. ``code`` is for machines, ``hint`` says what can be done."""

    def __init__(self, code: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeRuling:
    """What a referee rules about one seat. ``id`` names it, so that it is carried out once.

    ``sanction`` None leaves it to the rules what the offence costs; ``amount`` is how many turns, levels or points.
    ``cards``: what was exposed, or played out of turn. ``noticed_late``: a missing announcement was noticed only after
    another seat had acted. ``previous_passed``: the seat before passed after the play out of turn. ``leader``: who
    leads the next deal, where no tribute is paid for this one.
    """

    id: str
    seat: int
    offence: Offence
    sanction: Sanction | None = None
    amount: int = 1
    cards: tuple[Card, ...] = ()
    noticed_late: bool = False
    previous_passed: bool = False
    leader: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an offence costs: ``cards`` must be led one by one."""

    sanction: Sanction
    amount: int = 1
    cards: tuple[Card, ...] = ()


def cost_of(ledger: Ledger, ruling: RefereeRuling, rules: RuleSet, *, out_first: bool = False) -> Cost:
    """Return what a ruling costs the seat; raise NoSuchRuling when the rules know no cost for it.

    ``out_first``: the seat has already come out first in this deal.
    """
    seat, offence = ruling.seat, ruling.offence
    if ruling.sanction is not None:
        cards = ruling.cards if rules.exposed_card == "lead_singly" else ()
        return Cost(ruling.sanction, ruling.amount, cards)
    if offence is Offence.LATE:
        return Cost(Sanction.LOSE_MATCH)
    if offence in (Offence.UNANNOUNCED, Offence.WRONG_COUNT):
        sanction = silence(ledger, seat, rules, late=ruling.noticed_late, out_first=out_first)
        if sanction is None:
            raise NoSuchRuling("no_fault", "a missing announcement costs nothing here", "name a sanction")
        return Cost(sanction)
    if offence is Offence.OUT_OF_TURN:
        return _out_of_turn(ledger, ruling, rules)
    if offence is Offence.EXPOSED:
        return _exposed(ledger, ruling, rules)
    return Cost(next_rung(ledger, seat, rules))


def _out_of_turn(ledger: Ledger, ruling: RefereeRuling, rules: RuleSet) -> Cost:
    """Say what a play out of turn costs (§11.8)."""
    match rules.out_of_turn:
        case "foul":
            return Cost(next_rung(ledger, ruling.seat, rules, least=Sanction.FOUL))
        case "retract_skip_lap":
            return Cost(Sanction.SKIP_LAP)
        case "warn_or_exposed" if ruling.previous_passed:
            return Cost(Sanction.WARN)
        case "warn_or_exposed":
            return _exposed(ledger, ruling, rules)
        case "reject":
            return Cost(next_rung(ledger, ruling.seat, rules))


def _exposed(ledger: Ledger, ruling: RefereeRuling, rules: RuleSet) -> Cost:
    """Say what becomes of cards that were shown (§11.9)."""
    match rules.exposed_card:
        case "skip_by_count":
            return Cost(Sanction.SKIP_TURN, min(max(len(ruling.cards), 1), MOST_TURNS))
        case "lead_singly":
            if not ruling.cards:
                raise NoSuchRuling("no_cards", "no exposed cards are named", "name the cards that were shown")
            return Cost(Sanction.WARN, 1, ruling.cards)
        case "none":
            return Cost(next_rung(ledger, ruling.seat, rules))
