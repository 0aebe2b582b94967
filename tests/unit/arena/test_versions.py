"""From an upload to the version that plays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_arena.errors import Exhausted, InvalidArgument, LeaseLost, NotFound, PermissionDenied, Refused
from guandan_arena.services import accounts, bots, checks, reaper, versions
from guandan_arena.services.states import CheckState, VersionState
from guandan_engine.conduct import Verdict
from tests.arena import archive, operator, ports_on, submit_checked
from tests.databases import fresh_store


@pytest.fixture
def ports(sqlite_template, tmp_path):
    with fresh_store(sqlite_template) as store:
        yield ports_on(store, tmp_path)


@pytest.fixture
def ada(ports):
    account = accounts.register(ports, name="ada").account
    bots.create(ports, caller=account, name="greedy")
    return account


def submit(ports, caller, salt="", **options):
    return versions.submit(ports, caller=caller, bot="greedy", archive=archive(salt=salt), **options)


def test_an_upload_waits_for_its_check_and_keeps_its_bytes(ports, ada):
    submission = submit(ports, ada, filename="greedy.zip", message="first try")
    version = submission.version
    assert (submission.created, version.number, version.state) == (True, 1, VersionState.RECEIVED)
    assert (version.title, version.filename, version.message) == ("greedy/1", "greedy.zip", "first try")
    assert ports.queue.waiting == [("guandan.check_version", version.id)]
    assert versions.archive(ports, version_id=version.id) == archive()


def test_the_same_bytes_again_are_the_same_version(ports, ada):
    first = submit(ports, ada)
    again = submit(ports, ada, message="other words")
    assert (again.created, again.version) == (False, first.version)
    assert len(versions.history(ports, bot="greedy")) == 1


def test_an_upload_may_come_in_pieces(ports, ada):
    data = archive()
    pieces = (data[i : i + 50] for i in range(0, len(data), 50))
    assert versions.submit(ports, caller=ada, bot="greedy", archive=pieces).version.size_bytes == len(data)


def test_an_upload_that_is_too_large_is_refused_before_it_is_all_read(ports, ada):
    small = replace(ports, settings=replace(ports.settings, archive_max_bytes=1000, unpacked_max_bytes=1000))
    read = []

    def endless():
        while True:
            read.append(1)
            yield b"x" * 100

    with pytest.raises(Exhausted) as refused:
        versions.submit(small, caller=ada, bot="greedy", archive=endless())
    assert (refused.value.code, len(read)) == ("archive_too_large", 11)


def test_a_refused_upload_leaves_nothing_behind(ports, ada):
    for data in (b"", b"no archive"):
        with pytest.raises(InvalidArgument):
            versions.submit(ports, caller=ada, bot="greedy", archive=data)
    assert versions.history(ports, bot="greedy") == ()
    assert ports.queue.waiting == []
    assert not (ports.settings.data_dir / "blobs").exists()


def test_only_the_owner_submits(ports, ada):
    other = operator(ports)
    with pytest.raises(PermissionDenied) as refused:
        submit(ports, other)
    assert refused.value.code == "not_your_bot"
    with pytest.raises(NotFound):
        versions.submit(ports, caller=ada, bot="nobody", archive=archive())


def test_submissions_have_a_rate(ports, ada):
    limited = replace(ports, settings=replace(ports.settings, submissions_per_hour=2))
    for n in range(2):
        submit(limited, ada, salt=str(n))
    with pytest.raises(Exhausted):
        submit(limited, ada, salt="3")
    assert not submit(limited, ada, salt="1").created
    ports.clock.pass_ms(3_600_001)
    assert submit(limited, ada, salt="3").version.number == 3


def test_a_passed_check_activates_and_the_next_takes_over(ports, ada):
    first = submit_checked(ports, ada, "greedy", salt="1")
    second = submit_checked(ports, ada, "greedy", salt="2")
    assert first.state is second.state is VersionState.ACTIVE
    assert versions.get(ports, version_id=first.id).state is VersionState.CHECKED
    assert bots.get(ports, name="greedy").active == second.id
    assert versions.find(ports, bot="greedy") == second
    assert versions.find(ports, bot="greedy", number=1).id == first.id
    with pytest.raises(NotFound, match="no version 7"):
        versions.find(ports, bot="greedy", number=7)


def test_an_older_version_that_passes_late_does_not_replace_a_newer_one(ports, ada):
    old, new = (submit(ports, ada, salt=salt).version for salt in "12")
    for version in (new, old):
        checks.finish(ports, checks.claim(ports, version_id=version.id, worker="w"), verdict=Verdict.OK)
    assert bots.get(ports, name="greedy").active == new.id
    assert versions.get(ports, version_id=old.id).state is VersionState.CHECKED


def test_a_bots_fault_refuses_the_version_with_its_evidence_for_the_owner_only(ports, ada):
    version = submit(ports, ada).version
    claim = checks.claim(ports, version_id=version.id, worker="w")
    told = {"detail": "exit code 1", "output": "KeyError", "log": b"Traceback ..."}
    refused = checks.finish(ports, claim, verdict=Verdict.CRASHED, **told)
    assert refused.state is VersionState.REFUSED
    check = versions.check_of(ports, version_id=version.id)
    assert (check.state, check.verdict, check.detail) == (CheckState.FAILED, Verdict.CRASHED, "exit code 1")
    boss, eve = operator(ports), accounts.register(ports, name="eve").account
    assert versions.check_log(ports, caller=ada, version_id=version.id) == b"Traceback ..."
    assert versions.check_log(ports, caller=boss, version_id=version.id) == b"Traceback ..."
    with pytest.raises(PermissionDenied):
        versions.check_log(ports, caller=eve, version_id=version.id)
    outputs = [versions.check_of(ports, version_id=version.id, caller=c).output for c in (ada, boss, eve, None)]
    assert outputs == ["KeyError", "KeyError", "", ""]
    with pytest.raises(Refused) as no:
        versions.activate(ports, caller=ada, version_id=version.id)
    assert no.value.code == "state_not_allowed"


def test_an_outcome_is_written_once(ports, ada):
    version = submit(ports, ada).version
    claim = checks.claim(ports, version_id=version.id, worker="w")
    done = checks.finish(ports, claim, verdict=Verdict.OK)
    assert checks.finish(ports, claim, verdict=Verdict.CRASHED) == done
    with pytest.raises(Refused):
        checks.claim(ports, version_id=version.id, worker="w")


def test_a_check_whose_worker_died_is_claimed_by_another(ports, ada):
    version = submit(ports, ada).version
    dead = checks.claim(ports, version_id=version.id, worker="w1")
    ports.queue.waiting.clear()
    ports.clock.pass_ms(ports.settings.lease_renew_ms)
    dead = checks.renew(ports, dead)
    ports.clock.pass_ms(ports.settings.lease_ms)
    assert reaper.reap(ports).checks == (version.id,)
    assert ports.queue.waiting == [("guandan.check_version", version.id)]
    again = checks.claim(ports, version_id=version.id, worker="w2")
    assert again.fence == 2
    for late in (lambda: checks.renew(ports, dead), lambda: checks.finish(ports, dead, verdict=Verdict.OK)):
        with pytest.raises(LeaseLost):
            late()
    assert checks.finish(ports, again, verdict=Verdict.OK).state is VersionState.ACTIVE


def test_a_check_whose_task_was_lost_is_queued_again(ports, ada):
    version = submit(ports, ada).version
    ports.queue.waiting.clear()
    ports.clock.pass_ms(ports.settings.requeue_ms)
    assert reaper.reap(ports).checks == (version.id,)
    assert reaper.reap(ports).checks == ()


def test_our_faults_stall_a_check_without_refusing_the_version_and_the_same_bytes_start_it_again(ports, ada):
    version = submit(ports, ada).version
    for _ in range(ports.settings.match_attempts):
        claim = checks.claim(ports, version_id=version.id, worker="w")
        checks.finish(ports, claim, verdict=Verdict.HARNESS_FAULT, detail="no sandbox")
    assert versions.check_of(ports, version_id=version.id).state is CheckState.STALLED
    assert versions.get(ports, version_id=version.id).state is VersionState.RECEIVED
    ports.queue.waiting.clear()
    assert not submit(ports, ada).created
    assert ports.queue.waiting == [("guandan.check_version", version.id)]
    claim = checks.claim(ports, version_id=version.id, worker="w")
    assert checks.finish(ports, claim, verdict=Verdict.OK).state is VersionState.ACTIVE


def test_an_author_may_go_back_to_an_older_version(ports, ada):
    old = submit_checked(ports, ada, "greedy", salt="1")
    new = submit_checked(ports, ada, "greedy", salt="2")
    assert versions.activate(ports, caller=ada, version_id=old.id).state is VersionState.ACTIVE
    assert versions.activate(ports, caller=ada, version_id=old.id).state is VersionState.ACTIVE
    assert versions.get(ports, version_id=new.id).state is VersionState.CHECKED


def test_a_retired_version_never_plays_again(ports, ada):
    version = submit_checked(ports, ada, "greedy", salt="1")
    assert versions.retire(ports, caller=ada, version_id=version.id).state is VersionState.RETIRED
    assert versions.retire(ports, caller=ada, version_id=version.id).state is VersionState.RETIRED
    assert bots.get(ports, name="greedy").active is None
    with pytest.raises(Refused, match="retired, so it cannot become active"):
        versions.activate(ports, caller=ada, version_id=version.id)


def test_nobody_activates_or_retires_the_version_of_another(ports, ada):
    version = submit_checked(ports, ada, "greedy", salt="1")
    eve = accounts.register(ports, name="eve").account
    for act in (versions.activate, versions.retire):
        with pytest.raises(PermissionDenied):
            act(ports, caller=eve, version_id=version.id)


def test_a_claim_of_a_check_holds_everything_its_boards_need(ports, ada):
    version = submit(ports, ada).version
    claim = checks.claim(ports, version_id=version.id, worker="w")
    assert claim.version == version
    assert (len(claim.secret), claim.boards) == (32, ports.settings.check_boards)
    assert claim.rules["name"] == "standard"
