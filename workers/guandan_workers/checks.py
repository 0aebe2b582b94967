"""The check of a new version: its bot in all four seats on one board, and what its author is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import structlog

from guandan_arena import errors
from guandan_arena.services import checks
from guandan_arena.services.records import CheckClaim
from guandan_arena.services.states import StageName
from guandan_engine.conduct import SENTENCES, Verdict
from guandan_engine.rules import from_dict
from guandan_runner.match import play_match
from guandan_runner.results import BotFiles, MatchEnd, MatchSpec
from guandan_workers.errors import LeaseLost
from guandan_workers.lease import work_under_lease
from guandan_workers.preparing import prepared
from guandan_workers.worker import Worker

LOG = structlog.get_logger(__name__)
LOG_TAIL_LINES: Final = 20

HINTS: Final = {
    Verdict.ILLEGAL_PLAYS: "play it locally: `guandan play . random -n 1` shows every refused answer with its reason",
    Verdict.TIMED_OUT: "answer within the move time; `guandan play . random` prints the slowest decisions",
    Verdict.CRASHED: "the end of its output, told to its owner, says why; `guandan play . random -n 1` runs it too",
    Verdict.PROTOCOL_BROKEN: "use a guandan-sdk whose protocol version the arena speaks",
    Verdict.OUTPUT_EXCEEDED: "print less; only the end of it is kept",
    Verdict.MEMORY_EXCEEDED: "load smaller tables or models; the limit counts all that the process keeps",
    Verdict.NEVER_CONNECTED: "end bot.py with run(YourBot), and do long preparations after connecting",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check found: ``detail`` is reason and hint, for everyone; ``log`` is all that was kept of the output.

    ``output`` is the end of what the seat wrote that did worst.
    """

    verdict: Verdict
    detail: str
    log: bytes
    output: str = ""


def check(worker: Worker, version_id: str) -> None:
    """Claim a version's check, play it and write its outcome; do nothing when another worker has it."""
    try:
        claim = checks.claim(worker.ports, version_id=version_id, worker=worker.name)
    except (errors.Refused, errors.NotFound) as refusal:
        LOG.info("version not checked", version=version_id, reason=refusal.reason)
        return
    try:
        bot = prepared(worker, claim)
        if bot is None:
            return
        checks.begin(worker.ports, claim, StageName.CHECKED)
        found = _check(worker, claim, bot)
        checks.finish(
            worker.ports, claim, verdict=found.verdict, detail=found.detail, output=found.output, log=found.log
        )
    except (LeaseLost, errors.LeaseLost) as lost:
        LOG.warning("check dropped", version=version_id, attempt=claim.fence, reason=str(lost))
    except Exception as error:  # whatever it is, the check must not hang until its lease ends
        LOG.exception("check given back", version=version_id, attempt=claim.fence)
        checks.give_back(worker.ports, claim, detail=f"{type(error).__name__}: {error}")


def _check(worker: Worker, claim: CheckClaim, bot: BotFiles) -> Outcome:
    version, settings = claim.version, worker.ports.settings
    spec = MatchSpec(
        match_id=version.id,
        a=bot,
        b=bot,
        rules=from_dict(claim.rules),
        clocks=claim.clocks,
        tables=(claim.table,),
    )
    end = work_under_lease(
        lambda: play_match(spec, sandbox=worker.sandbox, policy=worker.policy),
        lambda: checks.renew(worker.ports, claim),
        every_ms=settings.lease_renew_ms,
        lease_ms=settings.lease_ms,
        limit_ms=settings.match_limit_ms,
    )
    return judge(end)


def judge(end: MatchEnd) -> Outcome:
    """Return the worst that happened to any of the four seats, told to the author."""
    seats = end.tables[0].seats
    worst = max(seats, key=lambda seat: seat.verdict.priority)
    log = b"".join(f"--- seat {i}\n{seat.log}\n".encode() for i, seat in enumerate(seats) if seat.log)
    if worst.verdict is not Verdict.OK:
        return Outcome(worst.verdict, _told(worst.verdict, worst.detail), log, _tail(worst.log))
    clumsy = max(seats, key=lambda seat: seat.refusals)
    if clumsy.refusals:  # a match would forgive it, but its author should know
        detail = f"{clumsy.refusals} answers were not taken, the last because {clumsy.last_refusal}"
        return Outcome(Verdict.ILLEGAL_PLAYS, _told(Verdict.ILLEGAL_PLAYS, detail), log, _tail(clumsy.log))
    return Outcome(Verdict.OK, "", log)


def _told(verdict: Verdict, reason: str) -> str:
    """Say what was wrong and what to do."""
    return f"{SENTENCES[verdict][0]}: {reason}\nhint: {HINTS[verdict]}"


def _tail(log: str) -> str:
    return "\n".join(log.strip().splitlines()[-LOG_TAIL_LINES:])
