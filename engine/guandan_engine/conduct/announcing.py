"""Announcing (报牌): who owes the number of cards left, who is told it, and what silence costs (docs/rules.md §6.6)."""

from __future__ import annotations

from guandan_engine.conduct.ledger import Ledger, next_rung
from guandan_engine.conduct.offences import Sanction
from guandan_engine.rules import RuleSet

__all__ = ["hears", "owes", "silence"]

_ONCE = ("auto_once", "auto_and_request")
_ASKED = ("on_request", "auto_and_request")


def owes(left: int, *, told: bool, rules: RuleSet) -> bool:
    """Whether a player who keeps ``left`` cards owes their number, unasked. ``told``: it said it in this deal."""
    if not 0 < left <= rules.announce_max:
        return False
    mode = _mode(rules)
    return mode == "auto_each_play" or (mode in _ONCE and not told)


def hears(left: int, *, owed: bool, said: bool, rules: RuleSet) -> bool:
    """Whether the others are told how many cards are left; that none are left is seen by all.

    They are where the table always shows it; when it is owed, for what is not said is made good; when it is said
    though it was not owed; and where they may ask, for asking costs nothing and is never forgotten.
    """
    if left == 0:
        return False
    if owed or rules.count_view == "always":
        return True
    mode = _mode(rules)
    return left <= rules.announce_max and (mode in _ASKED or (said and mode != "none"))


def silence(
    ledger: Ledger, seat: int, rules: RuleSet, *, late: bool = False, out_first: bool = False
) -> Sanction | None:
    """Return what a missing or wrong announcement costs (§11.10), None where it costs nothing.

    ``late``: it was noticed only after another seat had acted. ``out_first``: the player has already come out first.
    """
    again = ledger.silences[seat] > 0
    match rules.announce_fault:
        case "none":
            return None
        case "skip_follow":
            return Sanction.SKIP_TURN
        case "warn_then_skip_lap":
            return Sanction.SKIP_LAP if again else Sanction.WARN
        case "replay_then_foul":
            return next_rung(ledger, seat, rules, least=Sanction.FOUL) if again else Sanction.WARN
        case "graded" if out_first:
            return next_rung(ledger, seat, rules, least=Sanction.FOUL)
        case "graded":
            return Sanction.SKIP_LAP if late else Sanction.WARN


def _mode(rules: RuleSet) -> str:
    if rules.announce != "by_agreement":
        return rules.announce
    return "auto_once" if rules.announce_agreed else "none"
