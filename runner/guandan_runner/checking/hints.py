"""What an author is told of a verdict: the one place for what to do about each."""

from __future__ import annotations

from typing import Final

from guandan_engine.conduct import SENTENCES, Verdict

__all__ = ["HINTS", "reason_of"]

HINTS: Final = {
    Verdict.ILLEGAL_PLAYS: "play it locally: `guandan play . random -n 1` shows every refused answer with its reason",
    Verdict.TIMED_OUT: "answer within the move time; `guandan play . random` prints the slowest decisions",
    Verdict.CRASHED: "the end of its output, told to its owner, says why; `guandan play . random -n 1` runs it too",
    Verdict.PROTOCOL_BROKEN: "use a guandan-sdk whose protocol version the arena speaks",
    Verdict.OUTPUT_EXCEEDED: "print less; only the end of it is kept",
    Verdict.MEMORY_EXCEEDED: "load smaller tables or models; the limit counts all that the process keeps",
    Verdict.NEVER_CONNECTED: "end bot.py with run(YourBot), and do long preparations after connecting",
}
"""For every verdict on a bot but OK, what to do."""


def reason_of(verdict: Verdict, detail: str) -> str:
    """Say what was wrong, in one sentence with its evidence."""
    return f"{SENTENCES[verdict][0]}: {detail}" if detail else SENTENCES[verdict][0]
