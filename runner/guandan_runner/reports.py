"""What is reported of a seat after its table: the verdict, the sentence and the facts that show it."""

from __future__ import annotations

from typing import Final

from guandan_engine.conduct import VERDICTS, Fault, Verdict
from guandan_engine.exchange import Evidence as TableEvidence
from guandan_engine.table import Table
from guandan_runner.host import TableHost
from guandan_runner.results import SeatEnd, SeatFacts, SeatNote
from guandan_runner.sandbox.seat import Evidence
from guandan_runner.sandbox.verdict import fault_of, final_verdict

__all__ = ["ANSWERED_FOR_ALLOWED", "is_given_up", "seat_end"]

ANSWERED_FOR_ALLOWED: Final = 3  # at the third answer that the table had to give for it, a seat has lost the rest
_PASSED_LIMITS: Final = frozenset({Verdict.MEMORY_EXCEEDED, Verdict.OUTPUT_EXCEEDED})


def is_given_up(table: Table, seat: int) -> bool:
    """Whether a seat's fault loses the boards that remain: the table gave it up, or answered for it three times.

    A single answer that was illegal or late costs what the substitute plays, and no more.
    """
    return table.state_of(seat).given_up or len(_own_faults(table, seat)) >= ANSWERED_FOR_ALLOWED


def seat_end(seat: int, evidence: Evidence, host: TableHost) -> SeatEnd:
    """Return how a seat's game ended: what its process did in the end outweighs what the table saw."""
    table = host.table
    verdict = final_verdict(table.verdicts[seat], evidence)
    shown = [e for e in table.evidence if e.seat == seat and VERDICTS[e.fault] is verdict]
    detail = shown[-1].detail if shown else fault_of(evidence)[1] if verdict.is_bots else ""
    refusals, last_refusal = host.refusals(seat)
    here, (silent_ms, stalled_ms) = table.state_of(seat), host.signs_of_life(seat)
    facts = SeatFacts(
        exit_code=evidence.exit_code,
        signal=evidence.signal,
        killed=evidence.killed,
        memory_exceeded=evidence.memory_exceeded,
        output_exceeded=evidence.output_exceeded,
        peak_memory_bytes=evidence.peak_memory_bytes,
        cpu_ms=evidence.cpu_ms,
        throttled_ms=evidence.throttled_ms,
        started_ms=evidence.started_ms,
        silent_ms=silent_ms,
        bank_ms=here.bank_ms,
        timeouts=here.timeouts,
        answered_for=len(_own_faults(table, seat)),
        refusals=refusals,
        streams=here.streams,
        given_up=is_given_up(table, seat) or verdict in _PASSED_LIMITS,
        move=shown[0].n if shown else None,
        stalled_ms=stalled_ms,
    )
    notes = tuple(SeatNote(n, text) for n, noted, text in table.notes if noted == seat)
    return SeatEnd(verdict, detail, evidence.log, table.timed[seat], facts, last_refusal, notes)


def _own_faults(table: Table, seat: int) -> list[TableEvidence]:
    """Return the times the table answered for a seat because its answer was illegal or did not come."""
    counted = (Fault.ILLEGAL, Fault.TIMEOUT, Fault.DISCONNECTED)
    return [e for e in table.evidence if e.seat == seat and e.fault in counted]
