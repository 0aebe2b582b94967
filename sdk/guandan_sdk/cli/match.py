"""``guandan match list | show``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from guandan_sdk.cli.output import Format, FormatOption, write_record, write_rows, write_text
from guandan_sdk.cli.session import ServerOption, connect, ident

if TYPE_CHECKING:
    from guandan_proto.v1 import nights_pb2

app = typer.Typer(help="Matches played in the arena.", no_args_is_help=True)

_COLUMNS: Final = ("id", "round", "state", "a", "b", "ending", "score", "elo_change")
_SEAT_COLUMNS: Final = (
    "table", "board", "way", "points", "seat", "bot", "verdict", "decisions", "p50_ms", "p95_ms", "p99_ms", "max_ms",
    "overhead_us", "evidence",
)  # fmt: skip


@app.command("list")
def list_matches(
    bot: Annotated[str, typer.Option("--bot", help="Only matches of this bot.")] = "",
    event: Annotated[str, typer.Option("--event", help="Only matches of this event.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many.")] = 50,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """List the newest matches.

    Example: guandan match list --bot mybot
    """
    with connect(server) as arena:
        rows = [_match(match) for match in arena.matches(event=ident(event), bot=ident(bot), limit=limit)]
    write_rows(rows, _COLUMNS, style)


@app.command("show")
def show(
    match: Annotated[str, typer.Argument(help="Id of the match, or the address of its page.")],
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Tell a match: its result, and how each seat fared at each table.

    Example: guandan match show MATCH --format json
    """
    with connect(server) as arena:
        found = arena.match(ident(match))
    rows = [row for table in found.tables for row in _seats(found, table)]
    if style is Format.JSON:
        write_record({**_match(found), "seats": rows}, style)
        return
    if style is Format.TABLE:
        write_record(_match(found), style)
    write_rows(rows, _SEAT_COLUMNS, style)
    if style is Format.TABLE:
        for row in rows:
            _explain(row)


def _explain(row: dict[str, object]) -> None:
    """Say what shows a seat's fault and what its author does next."""
    from guandan_engine.conduct.facts import fact_words  # noqa: PLC0415

    if row["verdict"] in ("ok", "not played") or not row["next_step"]:
        return
    facts = row["facts"]
    assert isinstance(facts, dict)
    write_text(f"{row['table']} seat {row['seat']}, {row['bot']}: {row['sentence']}: {row['evidence'] or ''}")
    write_text(f"  shown by: {', '.join(fact_words(facts))}")
    write_text(f"  next: {row['next_step']}")


def _match(match: nights_pb2.Match) -> dict[str, object]:
    """Write a match as a row."""
    from guandan_proto.v1 import nights_pb2  # noqa: PLC0415

    state = nights_pb2.MatchState.Name(match.state).removeprefix("MATCH_STATE_").lower()
    ending = nights_pb2.MatchEnding.Name(match.ending).removeprefix("MATCH_ENDING_").lower()
    return {
        "id": match.id,
        "round": match.round,
        "state": state,
        "a": _entrant(match.a),
        "b": _entrant(match.b) if match.HasField("b") else None,
        "ending": ending if match.ending else None,
        "score": match.score if state == "done" else None,
        "elo_change": round(match.delta_milli / 1000, 1) if state == "done" and match.rated else None,
    }


def _entrant(entrant: nights_pb2.Entrant) -> str:
    return f"{entrant.bot}/{entrant.number}"


def _seats(match: nights_pb2.Match, table: nights_pb2.TableResult) -> list[dict[str, object]]:
    """Write a table as a row for each seat."""
    from guandan_engine.board import entrant_of  # noqa: PLC0415

    return [
        {
            "table": table.table_id,
            "board": table.board,
            "way": table.way,
            "points": table.points,
            "seat": seat.seat,
            "bot": (match.a, match.b)[entrant_of(seat.seat, table.way)].bot,
            "verdict": "not played" if _lost_by(match, table) else _verdict(seat),
            "decisions": seat.decisions.count,
            "p50_ms": seat.decisions.p50_ms,
            "p95_ms": seat.decisions.p95_ms,
            "p99_ms": seat.decisions.p99_ms,
            "max_ms": seat.decisions.max_ms,
            "overhead_us": table.pace.overhead_us,
            "evidence": seat.evidence or None,
            "sentence": seat.sentence,
            "facts": {field.name: value for field, value in seat.facts.ListFields()},
            "next_step": seat.next_step or None,
            "times": _times(seat.times),
            "lost_by": _lost_by(match, table),
        }
        for seat in table.seats
    ]


def _verdict(seat: nights_pb2.SeatReport) -> str:
    from guandan_proto.v1 import table_pb2  # noqa: PLC0415

    return table_pb2.Verdict.Name(seat.verdict).removeprefix("VERDICT_").lower()


def _lost_by(match: nights_pb2.Match, table: nights_pb2.TableResult) -> str | None:
    """Name the bots that lost a table beforehand."""
    sides = ((match.a, table.lost_by_a), (match.b, table.lost_by_b))
    return " and ".join(side.bot for side, lost in sides if lost) or None


def _times(times: nights_pb2.DecisionTimes) -> dict[str, dict[str, int]]:
    """Write decision times by what was decided."""
    phases = {"leading": times.leading, "following": times.following, "tribute": times.tribute}
    return {name: {field.name: value for field, value in part.ListFields()} for name, part in phases.items()}
