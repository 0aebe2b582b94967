"""``guandan bot create | list | status | versions | activate | retire | rollback``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from guandan_sdk.cli import stages
from guandan_sdk.cli.output import Format, FormatOption, say, write_record, write_rows
from guandan_sdk.cli.session import ServerOption, connect, ident
from guandan_sdk.cli.times import rows_of, write_times

if TYPE_CHECKING:
    from guandan_proto.v1 import bots_pb2
    from guandan_sdk.arena import Arena

app = typer.Typer(help="Your bots in the arena.", no_args_is_help=True)

_ALL: Final = 100_000


@app.command("create")
def create(name: str, server: ServerOption = None, style: FormatOption = Format.TABLE) -> None:
    """Reserve a name for a bot.

    Example: guandan bot create mybot
    """
    with connect(server) as arena:
        bot = arena.create_bot(name)
    write_record({"name": bot.name, "owner": bot.owner, "id": bot.id}, style)


@app.command("list")
def list_bots(
    mine: Annotated[bool, typer.Option("--mine", help="Only your own.")] = False,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """List bots and the version of each that plays.

    Example: guandan bot list --mine --format csv
    """
    with connect(server) as arena:
        owner = arena.who_am_i().name if mine else ""
        rows = [
            {"name": bot.name, "owner": bot.owner, "active_version": bot.active_version_id or None}
            for bot in arena.bots(owner)
        ]
    write_rows(rows, ("name", "owner", "active_version"), style)


@app.command("status")
def status(
    bot: Annotated[str, typer.Argument(help="Name of the bot, or the address of its page.")],
    last: Annotated[int, typer.Option("--last", min=1, max=50, help="How many versions.")] = 5,
    log: Annotated[bool, typer.Option("--log", help="Also what was printed at each stage; only of your own.")] = False,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Tell the state of a bot's newest versions, why one was refused, and how long the one that plays takes to decide.

    Decision times are those of its newest matches; above 80 % of the limit there is a warning.

    Example: guandan bot status mybot
    """
    with connect(server) as arena:
        versions = arena.versions(ident(bot), last)
        played = next((version for version in versions if stages.state_of(version) in _PLAYED), None)
        times = None if played is None else arena.decision_times(played.id)
    rows = [version_row(version) for version in versions]
    if style is Format.JSON:
        rows = [row | {"times": rows_of(times) if times and row["state"] in _PLAYED else []} for row in rows]
        write_rows(rows, (*_COLUMNS, "times"), style)
    else:
        write_rows(rows, _COLUMNS, style)
    if style is Format.TABLE and played is not None and times is not None:
        write_times(f"{played.bot}/{played.number}", times)
    for version in versions:
        stages.explain(version, logs=log)


@app.command("versions")
def list_versions(
    bot: Annotated[str, typer.Argument(help="Name of the bot, or the address of its page.")],
    last: Annotated[int, typer.Option("--last", min=1, max=200, help="How many versions.")] = 20,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """List a bot's versions, newest first, with the digest that names each for good.

    Example: guandan bot versions mybot --format csv
    """
    with connect(server) as arena:
        versions = arena.version_list(ident(bot), last)
    rows = [
        {
            "version": version.number,
            "state": stages.state_of(version),
            "runtime": version.runtime,
            "message": version.message,
            "digest": version.digest,
            "id": version.id,
        }
        for version in versions
    ]
    write_rows(rows, ("version", "state", "runtime", "message", "digest", "id"), style)


@app.command("activate")
def activate(
    bot: Annotated[str, typer.Argument(help="Name of the bot.")],
    number: Annotated[int | None, typer.Option("--version", min=1, help="Which; else the newest.")] = None,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Make a checked version the one that plays in coming events; a suspended one is checked again first.

    Example: guandan bot activate mybot --version 3
    """
    with connect(server) as arena:
        version = arena.activate(_numbered(arena, ident(bot), number).id)
    write_record(_brief(version), style)
    if stages.state_of(version) == "received":
        say(f"it was suspended, so it is checked again and plays when that goes well: guandan bot status {version.bot}")


@app.command("retire")
def retire(
    bot: Annotated[str, typer.Argument(help="Name of the bot.")],
    number: Annotated[int, typer.Option("--version", min=1, help="Which version.")],
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Take a version out of coming events for good.

    Example: guandan bot retire mybot --version 2
    """
    with connect(server) as arena:
        version = arena.retire(_numbered(arena, ident(bot), number).id)
    write_record(_brief(version), style)


@app.command("rollback")
def rollback(
    bot: Annotated[str, typer.Argument(help="Name of the bot.")],
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Bring back the version that played before the present one.

    Example: guandan bot rollback mybot
    """
    with connect(server) as arena:
        version = arena.rollback(ident(bot))
    write_record(_brief(version), style)


_PLAYED: Final = ("active", "suspended")
_COLUMNS: Final = ("bot", "version", "state", "stage", "message", "check", "found", "id")


def version_row(version: bots_pb2.Version) -> dict[str, object]:
    """Write a version as a row."""
    return {
        "bot": version.bot,
        "version": version.number,
        "state": stages.state_of(version),
        "stage": stages.furthest(version),
        "message": version.message,
        "check": _check_state(version.check),
        "found": version.check.sentence or None,
        "id": version.id,
    }


def _brief(version: bots_pb2.Version) -> dict[str, object]:
    return {"bot": version.bot, "version": version.number, "state": stages.state_of(version), "id": version.id}


def _numbered(arena: Arena, bot: str, number: int | None) -> bots_pb2.Version:
    """Return a bot's version by its number, or its newest; raise InvalidInput when there is none."""
    from guandan_sdk.errors import InvalidInput  # noqa: PLC0415

    for version in arena.version_list(bot, _ALL):
        if number in (None, version.number):
            return version
    wanted = "no version yet" if number is None else f"no version {number}"
    raise InvalidInput(f"the bot {bot} has {wanted}", f"guandan bot versions {bot}")


def _check_state(check: bots_pb2.Check) -> str | None:
    from guandan_proto.v1 import bots_pb2  # noqa: PLC0415

    if not check.state:
        return None
    return bots_pb2.CheckState.Name(check.state).removeprefix("CHECK_STATE_").lower()
