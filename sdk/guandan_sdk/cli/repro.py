"""``guandan repro MATCH#MOVE``: ask a local bot what its seat was asked in a match."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guandan_sdk.cli.output import Format, FormatOption, say, write_record
from guandan_sdk.cli.session import ServerOption, connect, ident
from guandan_sdk.errors import InvalidInput

if TYPE_CHECKING:
    from guandan_engine.replay import Replay
    from guandan_proto.v1 import nights_pb2
    from guandan_sdk.repro import Reproduced


def repro(
    where: Annotated[str, typer.Argument(metavar="MATCH#MOVE", help="A match, table or replay file, and a move.")],
    bot: Annotated[str, typer.Argument(help="The bot to ask: a folder, a .py file, or a reference bot.")] = ".",
    seat: Annotated[int | None, typer.Option("--seat", min=0, max=3, help="This seat; else the one asked.")] = None,
    board: Annotated[int, typer.Option("--board", min=1, help="Board of the match.")] = 1,
    way: Annotated[int, typer.Option("--way", min=0, max=1, help="Way of the board.")] = 0,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Restore what a seat knew at a move, ask your bot, and compare with what was played; exit 1 when it fails.

    The bot sits down afresh with the seed of that table, is told and asked all that came before, and then this one
    request. MOVE is the number of the last record before the request, as `guandan match show` and the replay page
    tell it. The replay can be had once the round is over.

    Examples: guandan repro MATCH#34 . --board 2; guandan repro TABLE#34; guandan repro game.gdr.jsonl#34 mybot
    """
    from guandan_sdk.loading import find_bot  # noqa: PLC0415 - needs the engine
    from guandan_sdk.repro import reproduce, request_at  # noqa: PLC0415

    place, number = _parse(where)
    replay = _replay(place, board, way, server)
    past = request_at(replay, number, seat=seat)
    found = reproduce(replay, find_bot(bot), past)
    _write(found, replay, style)
    if found.illegal:
        say(f"the table would refuse this answer: {found.illegal}")
        raise typer.Exit(1)


def _parse(where: str) -> tuple[str, int]:
    place, mark, number = where.rpartition("#")
    if not mark or not place or not (number.isascii() and number.isdigit()):
        raise InvalidInput(f"{where!r} names no move", "write MATCH#MOVE, as guandan match show tells it")
    return place, int(number)


def _replay(place: str, board: int, way: int, server: str | None) -> Replay:
    """Read a replay file, or fetch that of a table."""
    from guandan_sdk.replays import parse_replay, read_replay  # noqa: PLC0415

    if Path(place).is_file():
        return read_replay(Path(place))
    name = ident(place)
    with connect(server) as arena:
        table_id = name if "-" in name else _table(arena.match(name), board, way)
        return parse_replay(arena.replay(table_id), table_id)


def _table(match: nights_pb2.Match, board: int, way: int) -> str:
    for table in match.tables:
        if (table.board, table.way) == (board, way):
            return table.table_id
    raise InvalidInput(f"match {match.id} has no table at board {board}, way {way}", "guandan match show lists them")


def _write(found: Reproduced, replay: Replay, style: Format) -> None:
    from guandan_engine.cards import order_key  # noqa: PLC0415
    from guandan_engine.notation import play_text  # noqa: PLC0415

    view, past = found.view, found.request
    hand = sorted(view.hand or (), key=lambda card: (order_key(card.rank, view.level), card.index))
    record = {
        "table": replay.header.table,
        "move": past.n,
        "seat": past.seat,
        "asked": past.question.ask.value,
        "deal": view.deal,
        "level": str(view.level),
        "hand": " ".join(map(str, hand)),
        "to_beat": None if view.to_beat is None else play_text(view.to_beat, view.level),
        "counts": " ".join("?" if n is None else str(n) for n in view.counts),
        "options": len(past.question.options),
        "bank_ms": past.bank_ms,
        "seed": "as in the match" if found.seeded else "not known: 0",
        "played_then": found.played or None,
        "answered_by": _answerer(found),
        "answers_now": found.answer,
        "same": found.answer == found.played,
        "took_ms": round(found.took_ms, 1),
        "note": found.note or None,
    }
    write_record(record, style)


def _answerer(found: Reproduced) -> str:
    ruling = found.request.ruling
    return "the seat" if ruling is None else f"the table, for the seat: {ruling.fault} {ruling.detail}".rstrip()
