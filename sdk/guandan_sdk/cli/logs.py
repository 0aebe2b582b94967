"""``guandan logs MATCH``: what one's own bots wrote at each seat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from guandan_sdk.cli.output import Format, FormatOption, say, write_rows, write_text
from guandan_sdk.cli.session import ServerOption, connect, ident

if TYPE_CHECKING:
    from guandan_proto.v1 import nights_pb2

_COLUMNS = ("table", "seat", "output", "notes")


def logs(
    match: Annotated[str, typer.Argument(help="Id or address of a match, or of a version for the log of its check.")],
    seat: Annotated[int | None, typer.Option("--seat", min=0, max=3, help="Only this seat.")] = None,
    table: Annotated[str, typer.Option("--table", help="Only this table of the match.")] = "",
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Print what your bots wrote in a match: the end of the output of each seat, and their notes beside answers.

    Only the owner of a bot can read this, and not before the round is over: others still play the same boards.
    Characters that could command a terminal are written out, as \\\\x1b.

    Examples: guandan logs MATCH --seat 2; guandan logs VERSION
    """
    wanted = ident(match)
    with connect(server) as arena:
        if wanted.startswith("v"):
            write_text(arena.check_log(wanted))
            return
        told = arena.logs(wanted)
    found = [log for log in told if seat in (None, log.seat) and table in ("", log.table_id)]
    if style is Format.TABLE:
        for log in found:
            _print(log)
    else:
        write_rows([_row(log) for log in found], _COLUMNS, style)
    if not found:
        say("nothing is kept here; was the table played?")


def _row(log: nights_pb2.SeatLog) -> dict[str, object]:
    notes = [{"move": note.move, "text": note.text} for note in log.notes]
    return {"table": log.table_id, "seat": log.seat, "output": log.output, "notes": notes}


def _print(log: nights_pb2.SeatLog) -> None:
    write_text(f"--- table {log.table_id}, seat {log.seat}")
    write_text(log.output.rstrip("\n") if log.output else "(it wrote nothing)")
    for note in log.notes:
        write_text(f"note before move {note.move + 1}: {note.text}")
