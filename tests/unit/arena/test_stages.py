"""Where a version stands, what an account may do, and the way back to the version before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from guandan_arena.errors import Exhausted, InvalidArgument, LeaseLost, PermissionDenied, Refused
from guandan_arena.services import accounts, bots, checks, reaper, stages, versions
from guandan_arena.services.states import CheckState, StageName, StageState, VersionState
from guandan_engine.conduct import Verdict
from guandan_runner.building import Wheel
from tests.arena import archive, operator, ports_on, submit_checked
from tests.databases import fresh_store

WORKED = (StageName.UNPACKED, StageName.BUILT, StageName.CHECKED)


@pytest.fixture
def ports(sqlite_template, tmp_path):
    with fresh_store(sqlite_template) as store:
        yield ports_on(store, tmp_path)


@pytest.fixture
def ada(ports):
    account = accounts.register(ports, name="ada").account
    bots.create(ports, caller=account, name="greedy")
    return account


def submit(ports, caller, salt=""):
    return versions.submit(ports, caller=caller, bot="greedy", archive=archive(salt=salt)).version


def claimed(ports, caller, salt=""):
    return checks.claim(ports, version_id=submit(ports, caller, salt).id, worker="w")


def states(ports, version_id):
    return [report.stage.state.value for report in stages.of(ports, version_id=version_id)]


def one(ports, version_id, name):
    return next(report.stage for report in stages.of(ports, version_id=version_id) if report.stage.name is name)


def test_a_version_goes_through_its_stages_one_by_one(ports, ada):
    claim = claimed(ports, ada)
    version_id = claim.version.id
    assert states(ports, version_id) == ["done", "waiting", "waiting", "waiting", "waiting"]
    for place, name in enumerate(WORKED[:2], start=1):
        checks.begin(ports, claim, name)
        assert states(ports, version_id)[place] == "running"
        ports.clock.pass_ms(700)
        checks.done(ports, claim, name)
    built = one(ports, version_id, StageName.BUILT)
    assert built.ended_ms - built.started_ms == 700
    checks.begin(ports, claim, StageName.CHECKED)
    checks.finish(ports, claim, verdict=Verdict.OK)
    assert states(ports, version_id) == ["done"] * 5


def test_what_a_version_was_built_with_stays_with_it_and_with_its_matches(ports, ada):
    claim = claimed(ports, ada)
    wheels = (Wheel("tiny-1.0-py3-none-any.whl", "ab" * 32),)
    checks.done(ports, claim, StageName.BUILT, wheels=wheels)
    assert versions.get(ports, version_id=claim.version.id).wheels == wheels


def test_a_version_refused_while_it_is_built_was_never_started(ports, ada):
    claim = claimed(ports, ada)
    checks.begin(ports, claim, StageName.BUILT)
    told = {"code": "dependency_missing", "reason": "no torch\x1b[2J", "hint": "this arena has numpy"}
    assert checks.refuse(ports, claim, StageName.BUILT, **told).state is VersionState.REFUSED
    built = one(ports, claim.version.id, StageName.BUILT)
    assert (built.state, built.code, built.reason) == (StageState.REFUSED, "dependency_missing", "no torch\\x1b[2J")
    assert one(ports, claim.version.id, StageName.CHECKED).state is StageState.WAITING
    check = versions.check_of(ports, version_id=claim.version.id)
    assert (check.state, check.verdict) == (CheckState.FAILED, None)


def test_a_check_that_failed_says_so_at_its_stage(ports, ada):
    claim = claimed(ports, ada)
    checks.finish(ports, claim, verdict=Verdict.CRASHED, detail="exit code 1\nhint: look at its log", log=b"Traceback")
    found = one(ports, claim.version.id, StageName.CHECKED)
    assert (found.state, found.code, found.reason, found.hint) == (
        *(StageState.REFUSED, "crashed"),
        *("exit code 1", "look at its log"),
    )


def test_logs_of_stages_are_the_owners_and_command_no_terminal(ports, ada):
    claim = claimed(ports, ada)
    checks.done(ports, claim, StageName.UNPACKED, log=b"a secret\x1b[2J\nof two lines")
    eve, boss = accounts.register(ports, name="eve").account, operator(ports)
    seen = [
        next(r.log for r in stages.of(ports, version_id=claim.version.id, caller=c) if r.stage.name == "unpacked")
        for c in (ada, boss, eve, None)
    ]
    assert seen == ["a secret\\x1b[2J\nof two lines"] * 2 + [""] * 2
    assert stages.shown(ports, version_ids=[claim.version.id])[claim.version.id][1].log_digest is None


def test_an_attempt_that_is_over_moves_no_stage(ports, ada):
    first = claimed(ports, ada)
    checks.begin(ports, first, StageName.UNPACKED)
    checks.give_back(ports, first, cause="the disk is full")
    assert states(ports, first.version.id) == ["done", *["waiting"] * 4]
    checks.claim(ports, version_id=first.version.id, worker="w2")
    late = {"code": "x", "reason": "x", "hint": "x"}
    for act in (
        lambda: checks.begin(ports, first, StageName.BUILT),
        lambda: checks.done(ports, first, StageName.BUILT),
        lambda: checks.refuse(ports, first, StageName.BUILT, **late),
        lambda: checks.stall(ports, first, **late),
    ):
        with pytest.raises(LeaseLost):
            act()
    assert states(ports, first.version.id) == ["done", *["waiting"] * 4]


def test_what_broke_on_our_side_goes_to_the_log_and_everyone_reads_its_number(ports, ada):
    claim = claimed(ports, ada)
    broke = OSError("/srv/secret-place is full")
    with capture_logs() as logged:
        checks.give_back(ports, claim, cause=broke)
    reason = one(ports, claim.version.id, StageName.UNPACKED).reason
    (entry,) = logged
    assert reason == f"again: the arena failed; this is incident {entry['incident']}"
    assert (entry["cause"], entry["exc_info"]) == (str(broke), broke)
    assert "secret-place" not in versions.check_of(ports, version_id=claim.version.id, caller=ada).detail


def test_a_worker_that_dies_while_it_builds_leaves_the_stages_to_the_next(ports, ada):
    claim = claimed(ports, ada)
    checks.begin(ports, claim, StageName.BUILT)
    ports.clock.pass_ms(ports.settings.lease_ms + 1)
    reaper.reap(ports)
    assert states(ports, claim.version.id) == ["done", *["waiting"] * 4]


def test_too_many_attempts_stall_the_stage_where_it_stood(ports, ada):
    limited = replace(ports, settings=replace(ports.settings, match_attempts=1))
    claim = claimed(limited, ada)
    checks.done(limited, claim, StageName.UNPACKED)
    checks.begin(limited, claim, StageName.BUILT)
    checks.give_back(limited, claim, cause="the disk is full")
    assert states(ports, claim.version.id) == ["done", "done", "stalled", "waiting", "waiting"]
    assert "no fault of the bot" in one(ports, claim.version.id, StageName.BUILT).hint
    assert submit(ports, ada).id == claim.version.id
    assert states(ports, claim.version.id) == ["done", *["waiting"] * 4]


def test_only_what_an_operator_can_mend_is_tried_again_and_counts_as_an_upload(ports, ada):
    limited = replace(ports, settings=replace(ports.settings, submissions_per_hour=3))
    lacking, broken = (claimed(limited, ada, salt) for salt in "12")
    told = {"reason": "no torch", "hint": "ask"}
    checks.refuse(limited, lacking, StageName.BUILT, code="dependency_missing", **told)
    checks.refuse(limited, broken, StageName.BUILT, code="not_a_program", **told)
    assert submit(limited, ada, "2").state is VersionState.REFUSED
    assert submit(limited, ada, "1").state is VersionState.RECEIVED
    assert states(limited, lacking.version.id) == ["done", *["waiting"] * 4]
    check = versions.check_of(limited, version_id=lacking.version.id)
    assert (check.state, check.detail, check.finished_ms) == (CheckState.QUEUED, "", None)
    again = checks.claim(limited, version_id=lacking.version.id, worker="w")
    checks.refuse(limited, again, StageName.BUILT, code="dependency_missing", **told)
    with pytest.raises(Exhausted) as full:
        submit(limited, ada, "1")
    assert full.value.code == "quota_uploads"


def test_rollback_brings_back_the_version_that_played_before(ports, ada):
    first, second = (submit_checked(ports, ada, "greedy", salt=salt) for salt in "12")
    ports.clock.pass_ms(1000)
    assert versions.rollback(ports, caller=ada, bot="greedy").id == first.id
    assert bots.get(ports, name="greedy").active == first.id
    rested = one(ports, second.id, StageName.ACTIVE)
    assert (rested.state, rested.reason) == (StageState.WAITING, "version 1 plays instead")
    ports.clock.pass_ms(1000)
    assert versions.rollback(ports, caller=ada, bot="greedy").id == second.id


def test_rollback_never_picks_a_version_that_has_not_played(ports, ada):
    old, new = (submit(ports, ada, salt) for salt in "12")
    for version in (new, old):  # the older one passes late and is not activated
        checks.finish(ports, checks.claim(ports, version_id=version.id, worker="w"), verdict=Verdict.OK)
    assert one(ports, old.id, StageName.ACTIVE).code == "newer"
    with pytest.raises(Refused) as refused:
        versions.rollback(ports, caller=ada, bot="greedy")
    assert (refused.value.code, refused.value.hint) == ("nothing_before", "guandan bot versions greedy")
    with pytest.raises(PermissionDenied):
        versions.rollback(ports, caller=accounts.register(ports, name="eve").account, bot="greedy")


def test_an_account_has_only_so_many_active_versions(ports, ada):
    limited = replace(ports, settings=replace(ports.settings, active_per_account=1))
    submit_checked(limited, ada, "greedy", salt="1")
    assert submit_checked(limited, ada, "greedy", salt="2").state is VersionState.ACTIVE  # it takes the other's place
    bots.create(limited, caller=ada, name="second")
    held = submit_checked(limited, ada, "second", salt="3")
    found = one(limited, held.id, StageName.ACTIVE)
    assert (held.state, found.state, found.code) == (VersionState.CHECKED, StageState.REFUSED, "quota_active")
    assert found.hint == "retire one of another bot, then: guandan bot activate second --version 1"
    with pytest.raises(Exhausted) as full:
        versions.activate(limited, caller=ada, version_id=held.id)
    assert full.value.code == "quota_active"
    versions.retire(limited, caller=ada, version_id=versions.find(limited, bot="greedy").id)
    assert versions.activate(limited, caller=ada, version_id=held.id).state is VersionState.ACTIVE
    assert one(limited, held.id, StageName.ACTIVE).state is StageState.DONE


def test_uploads_that_are_refused_count_too(ports, ada):
    limited = replace(ports, settings=replace(ports.settings, submissions_per_hour=2))
    for salt in "12":
        with pytest.raises(InvalidArgument):
            versions.submit(limited, caller=ada, bot="greedy", archive=f"no archive {salt}".encode())
    with pytest.raises(Exhausted) as full:
        submit(limited, ada)
    assert (full.value.code, full.value.reason) == (
        "quota_uploads",
        "an account may send 2 archives an hour, those that are refused included",
    )
    eve = accounts.register(limited, name="eve").account
    bots.create(limited, caller=eve, name="other")
    assert versions.submit(limited, caller=eve, bot="other", archive=archive()).created  # the quota is an account's
    ports.clock.pass_ms(3_600_001)
    assert submit(limited, ada).number == 1


@pytest.mark.parametrize(
    "message",
    ["a\x1b[31mb", "a\u202eb", "a\u2066b", "a\x9b1mb", "two\nlines", "a\0b", "a\u200bb", "x" * 501],
    ids=ascii,
)
def test_a_message_that_commands_a_terminal_or_turns_the_reading_is_refused(ports, ada, message):
    with pytest.raises(InvalidArgument) as refused:
        versions.submit(ports, caller=ada, bot="greedy", archive=archive(), message=message)
    assert refused.value.code == "bad_text"


@pytest.mark.parametrize("message", ["<script>alert(1)</script>", "掼蛋 第一版", "ניסיון", "تجربة", "🂡 & <b>"])
def test_a_message_in_any_script_is_kept_as_it_is_and_left_to_the_page_to_escape(ports, ada, message):
    found = versions.submit(ports, caller=ada, bot="greedy", archive=archive(), message=message)
    assert found.version.message == message
