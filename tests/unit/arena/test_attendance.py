"""Attending for a remote bot: its owner only, one at a time, each seat while its ticket is good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guandan_arena.errors import NotFound, PermissionDenied, Refused
from guandan_arena.services import attendance, events, remotes, versions
from guandan_arena.services.attendance import Attended, Ended, Invited
from tests.arena import DOOR, author, operator, ports_on, quick, remote_author, work
from tests.databases import fresh_store

LIFETIME_MS = 30_000


@pytest.fixture
def ports(request, tmp_path):
    with fresh_store(request.getfixturevalue("sqlite_template")) as store:
        made = ports_on(store, tmp_path)
        yield replace(
            made,
            settings=replace(made.settings, **DOOR, night_rounds=1),
        )


@pytest.fixture
def owner(ports):
    """The owner of the remote bot `ada-bot`, which is active beside another bot."""
    author(ports, "bob")
    account = remote_author(ports, "ada").account
    ports.queue.waiting.clear()
    return account


def invite(ports, *, bot="ada-bot", event_id="e1", seat=0):
    remotes.invite(
        ports, bot=bot, event_id=event_id, table_id="m1-1-1a", seat=seat, address="https://here:7300",
        ticket=f"ticket-{bot}-{seat}", lifetime_ms=LIFETIME_MS,
    )  # fmt: skip


def next_of(notices):
    """What has happened since the last look."""
    found = []
    for notice in notices:
        if notice is None:
            break
        found.append(notice)
    return found


def test_the_owner_is_told_of_the_event_of_each_seat_and_of_the_end(ports, owner):
    attended = attendance.attend(ports, caller=owner, bot="ada-bot")
    notices = attendance.notices(ports, attended)
    assert next_of(notices) == []
    event = events.open_night(ports, remote=True)
    while not (told := next_of(notices)):
        pass
    ((first,),) = (told,)
    assert isinstance(first, Attended)
    assert (first.event.id, first.entrant.bot) == (event.id, "ada-bot")
    for seat in (0, 2):
        invite(ports, event_id=event.id, seat=seat)
    assert [(i.seat, i.ticket, i.lifetime_ms) for i in next_of(notices)] == [
        (0, "ticket-ada-bot-0", LIFETIME_MS),
        (2, "ticket-ada-bot-2", LIFETIME_MS),
    ]
    work(ports, play=quick)
    while not (told := next_of(notices)):
        pass
    ((ended,),) = (told,)
    assert isinstance(ended, Ended)
    assert ended.standing.entrant.bot == "ada-bot"
    assert next_of(notices) == []  # and goes on waiting for the next event


def test_attending_one_event_ends_with_it_and_hears_of_no_other(ports, owner):
    event = events.open_night(ports, remote=True)
    attended = attendance.attend(ports, caller=owner, bot="ada-bot", event_id=event.id)
    invite(ports, event_id="another")
    notices = attendance.notices(ports, attended)
    assert [type(notice) for notice in next_of(notices)] == [Attended]
    work(ports, play=quick)
    assert [type(notice) for notice in notices if notice] == [Ended]
    again = attendance.notices(ports, attendance.attend(ports, caller=owner, bot="ada-bot", event_id=event.id))
    assert [type(notice) for notice in again] == [Ended]


def test_who_attends_again_gets_what_is_still_good_and_ends_the_one_before(ports, owner):
    first = attendance.notices(ports, attendance.attend(ports, caller=owner, bot="ada-bot"))
    invite(ports, seat=0)
    assert len(next_of(first)) == 1
    ports.clock.pass_ms(LIFETIME_MS - 1)
    invite(ports, seat=2)
    second = attendance.notices(ports, attendance.attend(ports, caller=owner, bot="ada-bot"))
    assert [(i.seat, i.lifetime_ms) for i in next_of(second)] == [(0, 1), (2, LIFETIME_MS)]
    ports.clock.pass_ms(1)
    third = attendance.notices(ports, attendance.attend(ports, caller=owner, bot="ada-bot"))
    assert [i.seat for i in next_of(third)] == [2]
    with pytest.raises(Refused) as refused:
        next_of(second)
    assert refused.value.code == "attended_elsewhere"


def test_invitations_go_to_the_owner_of_the_bot_and_nobody_else(ports, owner):
    other = author(ports, "cyd").account
    for stranger in (other, operator(ports)):
        with pytest.raises(PermissionDenied) as refused:
            attendance.attend(ports, caller=stranger, bot="ada-bot")
        assert refused.value.code == "not_your_bot"
    invite(ports, bot="another")
    notices = attendance.notices(ports, attendance.attend(ports, caller=owner, bot="ada-bot"))
    assert not [notice for notice in next_of(notices) if isinstance(notice, Invited)]


def test_what_cannot_be_attended_is_refused_with_a_hint(ports, owner):
    cyd = author(ports, "cyd").account
    ports.queue.waiting.clear()
    night = events.open_night(ports)
    for caller, bot, event_id, error, code in (
        (owner, "nobody", "", NotFound, "unknown_bot"),
        (cyd, "cyd-bot", "", Refused, "not_remote"),
        (owner, "ada-bot", night.id, Refused, "not_an_entrant"),
        (owner, "ada-bot", "none", NotFound, "unknown_event"),
    ):
        with pytest.raises(error) as refused:
            attendance.attend(ports, caller=caller, bot=bot, event_id=event_id)
        assert (refused.value.code, bool(refused.value.hint)) == (code, True)
    events.stop(ports, event_id=night.id)
    (version,) = versions.history(ports, bot="ada-bot")
    versions.retire(ports, caller=owner, version_id=version.id)
    with pytest.raises(Refused) as retired:
        attendance.attend(ports, caller=owner, bot="ada-bot")
    assert (retired.value.code, retired.value.reason) == ("not_active", "ada-bot/1 is retired, not active")
    shut = replace(ports, settings=replace(ports.settings, remote_host="", remote_ports=""))
    with pytest.raises(Refused) as closed:
        attendance.attend(shut, caller=owner, bot="ada-bot")
    assert closed.value.code == "no_remote_bots"
