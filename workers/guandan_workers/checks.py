"""The check of a new version on a worker: the stages that its author can run too, and what they are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import structlog

from guandan_arena import errors
from guandan_arena.services import checks
from guandan_arena.services.records import CheckClaim
from guandan_arena.services.states import StageName
from guandan_engine.conduct import Verdict
from guandan_engine.rules import from_dict
from guandan_runner.checking import CheckSpec, Outcome, Report, StageEnd, check_bot, fact_lines
from guandan_runner.results import BotFiles
from guandan_workers.errors import LeaseLost
from guandan_workers.lease import work_under_lease
from guandan_workers.preparing import prepared, register
from guandan_workers.worker import Worker

LOG = structlog.get_logger(__name__)
LOG_TAIL_LINES: Final = 20
LOG_BYTES: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found: ``detail`` is reason and hint, for everyone; ``log`` is all that was kept of the output.

    ``output`` is the end of what the bot wrote in the stage that did not go well.
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
        if claim.version.remote:
            register(worker, claim)
            return
        bot = prepared(worker, claim)
        if bot is None:
            return
        checks.begin(worker.ports, claim, StageName.CHECKED)
        found = told(_check(worker, claim, bot))
        checks.finish(
            worker.ports, claim, verdict=found.verdict, detail=found.detail, output=found.output, log=found.log
        )
    except (LeaseLost, errors.LeaseLost) as lost:
        LOG.warning("check dropped", version=version_id, attempt=claim.fence, reason=str(lost))
    except Exception as error:  # whatever it is, the check must not hang until its lease ends
        checks.give_back(worker.ports, claim, cause=error)


def _check(worker: Worker, claim: CheckClaim, bot: BotFiles) -> Report:
    """Go through the stages after building, under the claim's lease."""
    settings = worker.ports.settings
    spec = CheckSpec(
        bot=bot,
        rules=from_dict(claim.rules),
        secret=claim.secret,
        boards=claim.boards,
        batch=claim.version.manifest.batch,
        clocks=claim.clocks,
    )
    return work_under_lease(
        lambda: check_bot(spec, sandbox=worker.sandbox, policy=worker.policy),
        lambda: checks.renew(worker.ports, claim),
        every_ms=settings.lease_renew_ms,
        lease_ms=settings.lease_ms,
        limit_ms=settings.match_limit_ms,
    )


def told(report: Report) -> Found:
    """Return what an author is told of a check: why it failed, else what it warns of."""
    parts = [(f"{end.stage}: {end.outcome}, {end.duration_ms} ms", end.log) for end in report.stages]
    parts.append(("report", "\n".join(fact_lines(report))))
    log = "\n".join(f"--- {title}\n{text.strip()}".strip() for title, text in parts).encode()
    bad = [end for end in report.stages if end.outcome is not Outcome.PASSED]
    detail = "".join(map(_detail, bad[-1:])) if not report.passed else "\n".join(map(_detail, bad))
    return Found(report.verdict, detail, log[-LOG_BYTES:], _tail(bad[-1].log) if bad else "")


def _detail(end: StageEnd) -> str:
    """Say what was wrong and what to do."""
    return f"{end.stage}: {end.reason}\nhint: {end.hint}"


def _tail(log: str) -> str:
    return "\n".join(log.strip().splitlines()[-LOG_TAIL_LINES:])
