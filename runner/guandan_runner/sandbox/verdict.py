"""From the end of a process to the fault of its seat: what the operating system tells outweighs what the table saw."""

from __future__ import annotations

import signal

from guandan_engine.conduct import VERDICTS, Fault, Verdict
from guandan_runner.sandbox.seat import Evidence

__all__ = ["fault_of", "final_verdict"]


def fault_of(evidence: Evidence) -> tuple[Fault, str]:
    """Return the fault of a bot whose process ended during play, and one sentence of evidence.

    The sentence is for everyone: what the bot wrote is its owner's, and stays in its log.
    """
    if evidence.memory_exceeded:
        return Fault.MEMORY_EXCEEDED, f"ended for its use of memory ({_end(evidence)})"
    if evidence.output_exceeded:
        return Fault.OUTPUT_EXCEEDED, "wrote more output than is allowed"
    return Fault.CRASHED, _end(evidence)


def final_verdict(at_table: Verdict, evidence: Evidence) -> Verdict:
    """Return the verdict on a seat after the game: limits passed without a death count too."""
    verdicts = [at_table]
    if evidence.memory_exceeded:
        verdicts.append(VERDICTS[Fault.MEMORY_EXCEEDED])
    if evidence.output_exceeded:
        verdicts.append(VERDICTS[Fault.OUTPUT_EXCEEDED])
    return max(verdicts, key=lambda verdict: verdict.priority)


def _end(evidence: Evidence) -> str:
    """Say how a process ended."""
    if evidence.signal is not None:
        names = {int(number): number.name for number in signal.Signals}
        return f"process ended by signal {names.get(evidence.signal, evidence.signal)}"
    return f"process ended with exit code {evidence.exit_code}"
