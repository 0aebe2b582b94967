"""Attending goes on through lines that break, and nothing is told twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from guandan_proto.v1 import lounge_pb2 as pb
from guandan_sdk import attending
from guandan_sdk.attending import attend
from guandan_sdk.errors import ServerError, ServerGone

EVENT = pb.AttendResponse(event=pb.EventAttended(event_id="e1"))
ENDED = pb.AttendResponse(ended=pb.EventEnded(event_id="e1"))
SIGN = pb.AttendResponse()
GONE = ServerGone("unavailable", "the server cannot be reached", "")


def seat(ticket: str) -> pb.AttendResponse:
    return pb.AttendResponse(invitation=pb.Invitation(ticket=ticket))


class Streams:
    """An arena whose calls each tell some notices, then break or end."""

    def __init__(self, *calls: Sequence[pb.AttendResponse | ServerError]) -> None:
        self._calls = iter(calls)

    def attend(self, bot: str, event_id: str) -> Iterator[pb.AttendResponse]:
        for item in next(self._calls):
            if isinstance(item, ServerError):
                raise item
            yield item


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attending, "_FIRST_PAUSE", 0.0)


def test_what_comes_again_after_a_break_is_told_once() -> None:
    lost: list[ServerGone] = []
    arena = Streams(
        [SIGN, EVENT, seat("a"), GONE],
        [GONE],
        [SIGN, EVENT, seat("a"), seat("b"), ENDED],
    )
    told = list(attend(arena, "owl", "e1", lost=lost.append))  # type: ignore[arg-type]
    assert told == [EVENT, seat("a"), seat("b"), ENDED]
    assert lost == [GONE, GONE]


def test_a_refusal_ends_it() -> None:
    refusal = ServerError("attended_elsewhere", "somebody else has begun to attend for owl")
    with pytest.raises(ServerError) as refused:
        list(attend(Streams([SIGN, refusal]), "owl", "", lost=lambda _: None))  # type: ignore[arg-type]
    assert refused.value is refusal


def test_an_arena_that_stays_away_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attending, "PATIENCE_SECONDS", -1.0)
    with pytest.raises(ServerGone):
        list(attend(Streams([GONE]), "owl", "", lost=lambda _: None))  # type: ignore[arg-type]
