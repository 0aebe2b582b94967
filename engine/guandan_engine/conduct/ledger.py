"""What is held against the seats of a match, and the ladder of what their next fault costs (docs/rules.md §11.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from guandan_engine.board import side_of
from guandan_engine.cards import Card
from guandan_engine.conduct.offences import Sanction
from guandan_engine.rules import RuleSet

T = TypeVar("T")
Four: TypeAlias = tuple[T, T, T, T]


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is held against the seats, by seat unless it says otherwise.

    ``rungs``: the next step of the ladder, for each seat, or for each side in the first two places where sides are
    counted. ``silences``: missing announcements in the match. ``skips``: turns in which it may not follow. ``laps``:
    whether it may not play in this trick. ``told``: whether it has announced its cards in this deal. ``exposed``:
    cards it must lead one by one. ``next_leader``: who leads the next deal, for which no tribute is paid; else None.
    """

    rungs: Four[int] = (0, 0, 0, 0)
    silences: Four[int] = (0, 0, 0, 0)
    skips: Four[int] = (0, 0, 0, 0)
    laps: Four[bool] = (False, False, False, False)
    told: Four[bool] = (False, False, False, False)
    exposed: Four[tuple[Card, ...]] = ((), (), (), ())
    next_leader: int | None = None

    @property
    def binds(self) -> bool:
        """Whether any seat is not free to play as the rules of play allow."""
        return any(self.skips) or any(self.laps) or any(self.exposed)


CLEAN = Ledger()


def put(values: Four[T], seat: int, value: T) -> Four[T]:
    """Return the four values with that of one seat replaced."""
    a, b, c, d = (value if i == seat else old for i, old in enumerate(values))
    return (a, b, c, d)


def climb(ledger: Ledger, seat: int, rules: RuleSet, *, least: Sanction = Sanction.WARN) -> tuple[Ledger, Sanction]:
    """Return what the next fault of a seat costs, and the ledger with that fault in it.

    ``least``: a grave fault skips the milder rungs. Past the last rung the last goes on; a ladder without a rung as
    grave as ``least`` is at its end, and the fault costs ``least``.
    """
    ladder = tuple(map(Sanction, rules.ladder))
    counter = counter_of(seat, rules)
    grave = next((i for i, rung in enumerate(ladder) if rung.weight >= least.weight), len(ladder))
    step = max(ledger.rungs[counter], grave)
    sanction = ladder[min(step, len(ladder) - 1)]
    climbed = replace(ledger, rungs=put(ledger.rungs, counter, step + 1))
    return climbed, max(sanction, least, key=lambda one: one.weight)


def violate(ledger: Ledger, seat: int, rules: RuleSet) -> tuple[Ledger, Sanction]:
    """Return what a violation (违例) costs, whatever came before it, and the ledger with that rung behind the seat."""
    ladder = tuple(map(Sanction, rules.ladder))
    at = next((i for i, rung in enumerate(ladder) if rung.weight >= Sanction.SKIP_LAP.weight), len(ladder))
    counter = counter_of(seat, rules)
    climbed = replace(ledger, rungs=put(ledger.rungs, counter, max(ledger.rungs[counter], at + 1)))
    mild = at < len(ladder) and ladder[at].weight == Sanction.SKIP_LAP.weight
    return climbed, ladder[at] if mild else Sanction.SKIP_LAP


def counter_of(seat: int, rules: RuleSet) -> int:
    """Return the place in ``rungs`` where the faults of a seat are counted: its own, or that of its side."""
    return seat if rules.ladder_counts == "seat" else side_of(seat)


def next_deal(ledger: Ledger, rules: RuleSet) -> Ledger:
    """Return the ledger at the start of another deal: what concerned the last one is forgotten."""
    rungs = ledger.rungs if rules.ladder_span == "match" else CLEAN.rungs
    return Ledger(rungs, ledger.silences)


def next_trick(ledger: Ledger) -> Ledger:
    """Return the ledger when a trick is over: whoever might not play in it may play again."""
    return replace(ledger, laps=CLEAN.laps) if any(ledger.laps) else ledger
