"""A ticket lets one bot in to one seat, once and in time; a session token brings the same bot back."""

from __future__ import annotations

from pathlib import Path

import pytest

from guandan_runner.tickets import NotAdmitted, Tickets

SEAT, OTHER = Path("0/table.sock"), Path("1/table.sock")


class Hand:
    """A clock set by hand."""

    ms = 0

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def tickets(clock: Hand) -> Tickets:
    return Tickets(clock)


def refused(tickets: Tickets, ticket: str, session: str = "") -> NotAdmitted:
    with pytest.raises(NotAdmitted) as caught:
        tickets.admit(ticket, session)
    assert str(caught.value)
    assert caught.value.hint
    return caught.value


def test_a_ticket_opens_its_own_seat(tickets: Tickets) -> None:
    first, _ = tickets.issue(SEAT, lifetime_ms=1000)
    second, _ = tickets.issue(OTHER, lifetime_ms=1000)
    assert first != second
    assert tickets.admit(second, "").socket == OTHER
    assert tickets.admit(first, "").socket == SEAT


@pytest.mark.parametrize("ticket", ["", "wrong", "\ud800", "x" * 100_000])
def test_a_ticket_nobody_issued_is_refused(tickets: Tickets, ticket: str) -> None:
    tickets.issue(SEAT, lifetime_ms=1000)
    assert refused(tickets, ticket).code == "ticket_unknown"


def test_a_ticket_is_refused_when_its_time_is_over(tickets: Tickets, clock: Hand) -> None:
    ticket, _ = tickets.issue(SEAT, lifetime_ms=1000)
    clock.ms = 1000
    assert refused(tickets, ticket).code == "ticket_expired"


def test_a_ticket_is_used_once_even_before_the_table_has_answered(tickets: Tickets) -> None:
    ticket, _ = tickets.issue(SEAT, lifetime_ms=1000)
    tickets.admit(ticket, "")
    assert refused(tickets, ticket).code == "ticket_used"


def test_a_stream_that_broke_before_its_welcome_has_not_used_its_ticket(tickets: Tickets) -> None:
    ticket, admission = tickets.issue(SEAT, lifetime_ms=1000)
    tickets.admit(ticket, "")
    tickets.give_back(admission)
    assert tickets.admit(ticket, "") is admission


def test_a_session_resumes_with_its_token_also_after_the_ticket_has_expired(tickets: Tickets, clock: Hand) -> None:
    ticket, admission = tickets.issue(SEAT, lifetime_ms=1000)
    tickets.admit(ticket, "")
    admission.welcomed("session")
    tickets.give_back(admission)
    clock.ms = 5000
    assert tickets.admit(ticket, "session") is admission
    assert refused(tickets, ticket).code == "ticket_used"
    assert refused(tickets, ticket, "guessed").code == "ticket_used"


def test_a_session_token_of_another_seat_opens_nothing(tickets: Tickets) -> None:
    ticket, _ = tickets.issue(SEAT, lifetime_ms=1000)
    partners, admission = tickets.issue(OTHER, lifetime_ms=1000)
    tickets.admit(partners, "")
    admission.welcomed("partner's session")
    assert refused(tickets, ticket, "partner's session").code == "ticket_of_another_seat"
    assert refused(tickets, "", "partner's session").code == "ticket_unknown"


def test_a_session_nobody_began_is_refused(tickets: Tickets) -> None:
    ticket, _ = tickets.issue(SEAT, lifetime_ms=1000)
    assert refused(tickets, ticket, "invented").code == "session_unknown"


def test_nobody_comes_in_once_the_seat_has_ended(tickets: Tickets) -> None:
    ticket, admission = tickets.issue(SEAT, lifetime_ms=1000)
    tickets.admit(ticket, "")
    admission.welcomed("session")
    tickets.withdraw(admission)
    assert refused(tickets, ticket, "session").code == "ticket_unknown"
