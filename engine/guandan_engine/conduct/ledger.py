"""What is held against the seats of a match, and the ladder of what their next fault costs (docs/rules.md §11.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from guandan_engine.board import side_of
from guandan_engine.cards import Card
from guandan_engine.conduct.offences import Offence, Sanction
from guandan_engine.rules import RuleSet
from guandan_engine.seats import Four, put


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


CLEAN = Ledger()


def next_rung(ledger: Ledger, seat: int, rules: RuleSet, *, least: Sanction = Sanction.WARN) -> Sanction:
    """Return what the next fault of a seat costs by the ladder.

    ``least``: a grave fault skips the milder rungs. Past the last rung the last goes on; where no rung is as grave as
    ``least``, the fault costs ``least``.
    """
    ladder = tuple(map(Sanction, rules.ladder))
    step = max(ledger.rungs[counter_of(seat, rules)], _rung(ladder, least))
    return max(ladder[min(step, len(ladder) - 1)], least, key=lambda one: one.weight)


def violation(rules: RuleSet) -> Sanction:
    """Return what a violation (违例) costs, whatever came before it."""
    ladder = tuple(map(Sanction, rules.ladder))
    return next((rung for rung in ladder if rung.weight == Sanction.SKIP_LAP.weight), Sanction.SKIP_LAP)


def booked(ledger: Ledger, seat: int, offence: Offence, sanction: Sanction, rules: RuleSet) -> Ledger:
    """Return the ledger with a fault of a seat and what it cost: the rung is behind it.

    A warning for slow play is a reminder, and not held against the seat, unless a violation is to follow.
    """
    if offence is Offence.SLOW and sanction is Sanction.WARN and rules.play_clock.over != "warn_then_violation":
        return ledger
    if offence in (Offence.UNANNOUNCED, Offence.WRONG_COUNT):
        ledger = replace(ledger, silences=put(ledger.silences, seat, ledger.silences[seat] + 1))
    counter = counter_of(seat, rules)
    step = max(ledger.rungs[counter], _rung(tuple(map(Sanction, rules.ladder)), sanction))
    return replace(ledger, rungs=put(ledger.rungs, counter, step + 1))


def _rung(ladder: tuple[Sanction, ...], least: Sanction) -> int:
    """Return the first rung that is at least so grave, the length of the ladder when none is."""
    return next((i for i, rung in enumerate(ladder) if rung.weight >= least.weight), len(ladder))


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
