"""``guandan connect`` without an opponent: a remote bot plays the events that it is in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from guandan_sdk.cli.output import Format, say, write_rows

if TYPE_CHECKING:
    from guandan_proto.v1 import lounge_pb2
    from guandan_sdk.arena import Arena
    from guandan_sdk.errors import ServerGone
    from guandan_sdk.loading import BotSource
    from guandan_sdk.starting import Seats

_COLUMNS: Final = ("event", "place", "match_points", "won_drawn_lost", "boards", "points", "faults", "rated")


def attend(arena: Arena, source: BotSource, name: str, event_id: str, style: Format) -> bool:
    """Seat a process at every invitation until the event is over; no event: for ever, in all of the bot's.

    Writes how it came out, and tells whether no seat was at fault.
    """
    from guandan_sdk.attending import attend as notices  # noqa: PLC0415
    from guandan_sdk.starting import Seats  # noqa: PLC0415

    rows: list[dict[str, object]] = []
    with Seats(source) as seats:
        say(f"{name} attends {event_id or 'its events'}; Ctrl-C ends it")
        for notice in notices(arena, name, event_id, lost=_tell_lost):
            kind = notice.WhichOneof("notice")
            if kind == "event":
                entrant = notice.event.entrant
                say(f"event {notice.event.event_id} ({notice.event.name}): {entrant.bot}/{entrant.number} is in it")
            elif kind == "invitation":
                _seat(seats, notice.invitation)
            elif kind == "ended":
                rows.append(_row(notice.ended))
                say(f"event {notice.ended.event_id} is over: place {notice.ended.standing.place}")
    write_rows(rows, _COLUMNS, style)
    return all(row["faults"] == "none" for row in rows)


def _seat(seats: Seats, seat: lounge_pb2.Invitation) -> None:
    pid = seats.start(seat.address, seat.ticket)
    say(f"table {seat.table_id}, seat {seat.seat}: process {pid} plays at {seat.address}")


def _tell_lost(gone: ServerGone) -> None:
    say(f"the arena is not heard ({gone.reason}); trying again")


def _row(ended: lounge_pb2.EventEnded) -> dict[str, object]:
    from guandan_proto.codec import decode_verdict  # noqa: PLC0415

    line = ended.standing
    faults = ", ".join(f"{fault.tables}x {decode_verdict(fault.verdict)}" for fault in line.faults)
    return {
        "event": ended.event_id,
        "place": line.place,
        "match_points": line.match_points,
        "won_drawn_lost": f"{line.wins}-{line.draws}-{line.losses}",
        "boards": line.boards,
        "points": line.points,
        "faults": faults or "none",
        "rated": "no",
    }
