"""``guandan connect``: a bot plays at the arena, unrated, from its author's own machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guandan_sdk.cli.attend import attend
from guandan_sdk.cli.output import Format, FormatOption, say, write_record
from guandan_sdk.cli.session import ServerOption, ident
from guandan_sdk.cli.session import connect as connect_to
from guandan_sdk.errors import InvalidInput

if TYPE_CHECKING:
    from guandan_proto.v1 import lounge_pb2
    from guandan_sdk.arena import Arena
    from guandan_sdk.loading import BotSource


def connect(
    bot: Annotated[str, typer.Argument(help="The bot's file, folder or name, as for `guandan play`.")],
    against: Annotated[
        str | None, typer.Option("--against", help="One game against the active version of this bot.")
    ] = None,
    event: Annotated[str | None, typer.Option("--event", help="Only this open event, to its end.")] = None,
    name: Annotated[str | None, typer.Option("--as", help="The name it plays under; else its own.")] = None,
    boards: Annotated[
        int, typer.Option("--boards", "-n", help="Boards, each played at two tables, at most 4.", min=1)
    ] = 1,
    replays: Annotated[Path, typer.Option("--replays", help="Folder for the replays.")] = Path("replays"),
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Play at the arena with a bot that stays on this machine: its open events, or one game with --against.

    A process is started here for every seat; each comes to its table over TLS with a one-time ticket. Nothing moves a
    rating. Without --against the bot must have been submitted with the runtime "remote"; it then waits for its events,
    and a line to the arena that breaks is taken up again. Exit 1 when a seat of yours did not play to the end as it
    should.

    Example: guandan connect mybot --as mybot-dev --against greedy --boards 2
    """
    from guandan_sdk.loading import find_bot  # noqa: PLC0415

    source = find_bot(bot)
    if against is None:
        with connect_to(server) as arena:
            clean = attend(arena, source, name or source.name, ident(event or ""), style)
        if not clean:
            raise typer.Exit(1)
        return
    if event is not None:
        raise InvalidInput("--against is one game, --event is an event", "give one of the two")
    with connect_to(server) as arena:
        score, clean, files = _played(arena, source, name or source.name, against, boards, replays)
    write_record({"score": score, "rated": "no", "replays": " ".join(map(str, files))}, style)
    if not clean:
        raise typer.Exit(1)


def _played(
    arena: Arena, source: BotSource, name: str, against: str, boards: int, replays: Path
) -> tuple[int, bool, list[Path]]:
    """Seat a process at every invitation until the game is over: (score, no fault of ours, replays)."""
    from guandan_sdk.errors import ServerError  # noqa: PLC0415
    from guandan_sdk.starting import Seats  # noqa: PLC0415

    clean, files = True, []
    with Seats(source) as seats:
        for notice in arena.wait_in_lounge(name, against, boards):
            kind = notice.WhichOneof("notice")
            if kind == "queued":
                say(f"game {notice.queued.game_id} against {notice.queued.against}: waiting for a table")
            elif kind == "invitation":
                seat = notice.invitation
                pid = seats.start(seat.address, seat.ticket)
                say(f"table {seat.table_id}, seat {seat.seat}: process {pid} plays at {seat.address}")
            elif kind == "table":
                files.append(_kept(notice.table, replays))
                clean &= _told(notice.table)
            elif kind == "over":
                return notice.over.score, clean, files
    raise ServerError("protocol_broken", "the arena ended the game without its end", "ask again")


def _kept(table: lounge_pb2.TablePlayed, folder: Path) -> Path:
    """Write a table's replay."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{Path(table.table_id).name}.gdr.jsonl.zst"
    file.write_bytes(table.replay)
    return file


def _told(table: lounge_pb2.TablePlayed) -> bool:
    """Say how a table ended, and why where a seat of ours was at fault; answer whether none was."""
    from guandan_engine.board import entrant_of  # noqa: PLC0415
    from guandan_engine.conduct import Verdict  # noqa: PLC0415
    from guandan_proto.codec import decode_verdict  # noqa: PLC0415

    say(f"table {table.table_id}: board {table.board}, {table.points:+} points")
    clean = True
    for seat, number in enumerate(table.verdicts):
        verdict = decode_verdict(number)
        if verdict is not Verdict.OK:
            ours = entrant_of(seat, table.way) == 0
            clean &= not ours
            say(f"  seat {seat} ({'yours' if ours else 'theirs'}): {verdict}: {table.details[seat]}")
    return clean
