"""What an attempt that is over may still do, and what has really played, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_arena.errors import LeaseLost, Refused
from guandan_arena.ports import Ports, Store
from guandan_arena.services import accounts, bots, checks, stages, versions
from guandan_arena.services.states import CheckState, StageName, StageState, VersionState
from guandan_engine.conduct import Verdict
from tests.arena import archive, ports_on, submit_checked


@pytest.fixture
def ports(store: Store, tmp_path) -> Ports:
    return ports_on(store, tmp_path)


@pytest.fixture
def ada(ports):
    account = accounts.register(ports, name="ada").account
    bots.create(ports, caller=account, name="greedy")
    return account


def submit(ports, caller):
    return versions.submit(ports, caller=caller, bot="greedy", archive=archive()).version


def claimed(ports, version):
    return checks.claim(ports, version_id=version.id, worker="w")


def assert_over(ports, claim):
    """Nothing can be written with this claim."""
    told = {"code": "late", "reason": "late", "hint": "late"}
    for late in (
        lambda: checks.renew(ports, claim),
        lambda: checks.begin(ports, claim, StageName.BUILT),
        lambda: checks.refuse(ports, claim, StageName.BUILT, **told),
        lambda: checks.stall(ports, claim, **told),
        lambda: checks.finish(ports, claim, verdict=Verdict.CRASHED),
    ):
        with pytest.raises(LeaseLost):
            late()
    checks.give_back(ports, claim, cause="late")


def test_a_worker_of_before_writes_nothing_when_the_same_bytes_come_again(ports, ada):
    version = submit(ports, ada)
    old = claimed(ports, version)
    checks.stall(ports, old, code="no_runtime", reason="no runtime", hint="wait")
    submit(ports, ada)
    new = claimed(ports, version)
    assert_over(ports, old)
    assert checks.finish(ports, new, verdict=Verdict.OK).state is VersionState.ACTIVE


def test_a_worker_of_before_writes_nothing_when_what_was_lacking_is_there(ports, ada):
    version = submit(ports, ada)
    old = claimed(ports, version)
    told = {"code": "dependency_missing", "reason": "no torch", "hint": "wait"}
    checks.refuse(ports, old, StageName.BUILT, **told)
    submit(ports, ada)
    new = claimed(ports, version)
    assert_over(ports, old)
    assert new.fence > old.fence


def stall_by_attempts(ports, version):
    """Let every attempt at a check break by our fault; the fences they had."""
    fences = []
    for _ in range(ports.settings.match_attempts):
        claim = claimed(ports, version)
        checks.give_back(ports, claim, cause="no sandbox")
        fences.append(claim.fence)
    assert versions.check_of(ports, version_id=version.id).state is CheckState.STALLED
    return fences


def test_every_fresh_start_has_all_its_attempts_and_fences_that_were_never_given(ports, ada):
    version = submit(ports, ada)
    first = stall_by_attempts(ports, version)
    submit(ports, ada)
    second = stall_by_attempts(ports, version)
    assert min(second) > max(first)


def suspend(ports, version):
    with ports.store.transaction() as tx:
        tx.versions.set_state(version, VersionState.SUSPENDED)
        stages.end(tx, version.id, StageName.ACTIVE, StageState.WAITING, at_ms=ports.clock.now_ms())


def test_a_check_after_a_suspension_has_all_its_attempts(ports, ada):
    version = submit(ports, ada)
    for _ in range(ports.settings.match_attempts - 1):
        checks.give_back(ports, claimed(ports, version), cause="no sandbox")
    suspend(ports, checks.finish(ports, claimed(ports, version), verdict=Verdict.OK))
    versions.activate(ports, caller=ada, version_id=version.id)
    assert checks.give_back(ports, claimed(ports, version), cause="no sandbox").state is CheckState.QUEUED


def test_the_way_back_leads_to_no_version_that_never_played(ports, ada):
    full = replace(ports, settings=replace(ports.settings, active_per_account=1, submissions_per_hour=20))
    bots.create(full, caller=ada, name="other")
    other = submit_checked(full, ada, "other", salt="other")
    refused = submit_checked(full, ada, "greedy", salt="1")
    assert refused.state is VersionState.CHECKED
    versions.retire(full, caller=ada, version_id=other.id)
    submit_checked(full, ada, "greedy", salt="2")
    with pytest.raises(Refused, match="no other version of greedy has played"):
        versions.rollback(full, caller=ada, bot="greedy")


def test_the_way_back_leads_to_a_version_that_played_and_was_then_refused_for_want_of_room(ports, ada):
    full = replace(ports, settings=replace(ports.settings, active_per_account=1))
    version = submit_checked(full, ada, "greedy", salt="1")
    suspend(full, version)
    bots.create(full, caller=ada, name="other")
    other = submit_checked(full, ada, "other", salt="other")
    versions.activate(full, caller=ada, version_id=version.id)
    again = checks.finish(full, claimed(full, version), verdict=Verdict.OK)
    assert again.state is VersionState.CHECKED
    versions.retire(full, caller=ada, version_id=other.id)
    assert versions.rollback(full, caller=ada, bot="greedy").id == version.id
    assert stages.of(full, version_id=version.id)[-1].stage.code == ""
