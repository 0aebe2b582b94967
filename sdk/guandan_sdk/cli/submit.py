"""``guandan submit``: a bot's folder or archive becomes its next version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guandan_sdk.cli import stages
from guandan_sdk.cli.bot import version_row
from guandan_sdk.cli.output import Format, FormatOption, say, write_record
from guandan_sdk.cli.session import ServerOption, connect

if TYPE_CHECKING:
    from guandan_proto.v1 import arena_pb2
    from guandan_sdk.arena import Arena


def submit(
    path: Annotated[Path, typer.Argument(help="The bot's folder, or a .zip or .tar.gz of it.")],
    message: Annotated[str, typer.Option("--message", "-m", help="What is new in this version.")],
    bot: Annotated[str | None, typer.Option("--bot", help="Name of the bot; else the name in bot.toml.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Follow its stages until it plays or is refused.")] = False,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Send a new version of a bot; with --wait, exit 1 when it is refused or the arena cannot go on.

    A folder is packed without dotfiles, caches and what `.guandanignore` names (written as a .gitignore is).
    The name in bot.toml is reserved for you when nobody has it yet.

    Example: guandan submit mybot -m "keeps its bombs" --wait
    """
    from guandan_sdk.archive import manifest_name, pack  # noqa: PLC0415

    filename, data = pack(path)
    name = manifest_name(path.name, data)
    say(f"sending {filename}, {len(data)} bytes")
    with connect(server) as arena:
        sent = _sent(arena, bot or name, filename, data, message, reserve=bot is None)
        version = sent.version
        if not sent.created:
            say(f"these very bytes are version {version.number} already")
        version = stages.follow(arena, version) if wait else arena.version(version.id)
    write_record(version_row(version), style)
    if stages.stood(version) is not None:
        stages.explain(version)
        raise typer.Exit(1)


def _sent(
    arena: Arena, name: str, filename: str, data: bytes, message: str, *, reserve: bool
) -> arena_pb2.SubmitVersionResponse:
    """Send an archive; a bot that nobody has is created first."""
    from guandan_sdk.errors import ServerError  # noqa: PLC0415

    try:
        return arena.submit(name, filename, data, message)
    except ServerError as error:
        if not reserve or error.code != "unknown_bot":
            raise
    arena.create_bot(name)
    say(f"the bot {name} is yours now")
    return arena.submit(name, filename, data, message)
