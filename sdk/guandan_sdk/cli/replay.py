"""``guandan replay show | verify | get``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from guandan_sdk.cli.output import Format, FormatOption, say, stdout, write_rows
from guandan_sdk.cli.session import ServerOption, connect, ident
from guandan_sdk.errors import InvalidInput

app = typer.Typer(help="Replays of games: GDR files, plain or .zst.", no_args_is_help=True)

FileArgument = Annotated[Path, typer.Argument(help="A .gdr.jsonl or .gdr.jsonl.zst file.")]


@app.command("show")
def show(
    file: FileArgument,
    seat: Annotated[int | None, typer.Option("--seat", min=0, max=3, help="Show only what this seat knew.")] = None,
    move: Annotated[int | None, typer.Option("--move", min=1, help="Stop after this number; show all hands.")] = None,
) -> None:
    """Print a game move by move; a wild card is followed by what it stands for, as H2=S7.

    Example: guandan replay show game-b1w0.gdr.jsonl --seat 0
    """
    from guandan_sdk.cli.replay_text import game_text  # noqa: PLC0415 - needs the engine
    from guandan_sdk.replays import read_replay  # noqa: PLC0415

    console = stdout()
    for line in game_text(read_replay(file), seat=seat, move=move):
        console.print(line)


@app.command("verify")
def verify(
    files: Annotated[list[Path], typer.Argument(help="One or more .gdr.jsonl or .gdr.jsonl.zst files.")],
    secret: Annotated[str, typer.Option("--secret", help="The event's revealed secret, in hex.")] = "",
    style: FormatOption = Format.TABLE,
) -> None:
    """Play replays again by the rules and compare every line; exit 1 when a line of any does not follow.

    Example: guandan replay verify replays/*.gdr.jsonl
    """
    rows = [_verified(file, _secret(secret)) for file in files]
    write_rows(rows, ("file", "verified", "records", "shuffle", "reason"), style)
    if not all(row["verified"] for row in rows):
        raise typer.Exit(1)


def _verified(file: Path, secret: bytes | None) -> dict[str, object]:
    """Play one replay again and return what was found."""
    from guandan_engine.errors import BrokenReplay  # noqa: PLC0415
    from guandan_engine.replay import verify as verify_lines  # noqa: PLC0415
    from guandan_sdk.replays import open_replay  # noqa: PLC0415

    try:
        replay = verify_lines(open_replay(file), secret=secret)
    except BrokenReplay as error:
        return {"file": str(file), "verified": False, "records": None, "shuffle": None, "reason": str(error)}
    shuffle = "follows from the secret" if replay.secrets or secret else "not checked: no secret"
    found = {"file": str(file), "verified": True, "records": len(replay.records), "shuffle": shuffle}
    return {**found, "reason": None}


def _secret(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text) if text else None
    except ValueError:
        raise InvalidInput(f"{text!r} is not hex", "the event's page shows its secret") from None


@app.command("get")
def get(
    match: Annotated[str, typer.Argument(help="Id of the match, or the address of its page.")],
    board: Annotated[int | None, typer.Option("--board", min=0, help="Only this board.")] = None,
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")] = Path(),
    server: ServerOption = None,
) -> None:
    """Download the replays of a match; the names of the files are printed.

    Example: guandan replay get MATCH -o replays
    """
    from guandan_sdk.replays import save  # noqa: PLC0415

    if not folder.is_dir():
        raise InvalidInput(f"there is no folder {folder}", "make it first")
    with connect(server) as arena:
        found = arena.match(ident(match))
        tables = [table for table in found.tables if board is None or table.board == board]
        if not tables:
            say("there is no such table; has the match been played?")
            raise typer.Exit(1)
        for table in tables:
            path = folder / f"{found.id}-b{table.board}w{table.way}.gdr.jsonl"
            save(path, arena.replay(table.table_id))
            print(path)  # noqa: T201
