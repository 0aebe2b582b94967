"""Conduct: what seats may do wrong, what the table does about it, and how a seat's game ended (docs/rules.md §11)."""

from guandan_engine.conduct.faults import SENTENCES, VERDICTS, Fault, Verdict, verdict_of
from guandan_engine.conduct.ledger import Ledger
from guandan_engine.conduct.offences import Offence, Sanction
from guandan_engine.conduct.substitutes import action_of, substitute

__all__ = [
    "SENTENCES",
    "VERDICTS",
    "Fault",
    "Ledger",
    "Offence",
    "Sanction",
    "Verdict",
    "action_of",
    "substitute",
    "verdict_of",
]
