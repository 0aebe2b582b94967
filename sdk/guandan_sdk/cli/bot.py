"""``guandan bot create | list | submit | status``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from guandan_sdk.cli.output import Format, FormatOption, say, write_record, write_rows
from guandan_sdk.cli.session import ServerOption, connect, ident
from guandan_sdk.cli.times import rows_of, write_times

if TYPE_CHECKING:
    from guandan_proto.v1 import bots_pb2
    from guandan_sdk.arena import Arena

app = typer.Typer(help="Your bots in the arena.", no_args_is_help=True)

WAIT_SECONDS: Final = (2.0, 60.0)
"""How long to wait between looks at a version's check: from the first to the second, growing by half."""


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


@app.command("submit")
def submit(
    path: Annotated[Path, typer.Argument(help="The bot's folder, or a .zip or .tar.gz of it.")],
    message: Annotated[str, typer.Option("--message", "-m", help="What is new in this version.")],
    bot: Annotated[str | None, typer.Option("--bot", help="Name of the bot; else the name in bot.toml.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the version is checked.")] = False,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Send a new version of a bot; with --wait, exit 1 when its check fails or the arena cannot finish it.

    Example: guandan bot submit . -m "keeps its bombs" --wait
    """
    from guandan_sdk.archive import manifest_name, pack  # noqa: PLC0415

    filename, data = pack(path)
    name = bot or manifest_name(path.name, data)
    say(f"sending {filename}, {len(data)} bytes")
    with connect(server) as arena:
        sent = arena.submit(name, filename, data, message)
        version = sent.version
        if not sent.created:
            say(f"these very bytes are version {version.number} already")
            version = arena.version(version.id)
        if wait:
            version = _wait(arena, version)
    write_record(_version(version), style)
    _exit_unless_well(version)


@app.command("status")
def status(
    bot: Annotated[str, typer.Argument(help="Name of the bot, or the address of its page.")],
    last: Annotated[int, typer.Option("--last", min=1, max=50, help="How many versions.")] = 5,
    server: ServerOption = None,
    style: FormatOption = Format.TABLE,
) -> None:
    """Tell the state of a bot's newest versions, why one was refused, and how long the one that plays takes to decide.

    Decision times are those of its newest matches; above 80 % of the limit there is a warning.

    Example: guandan bot status mybot
    """
    with connect(server) as arena:
        versions = arena.versions(ident(bot), last)
        played = next((version for version in versions if _state(version) == "active"), None)
        times = None if played is None else arena.decision_times(played.id)
    rows = [_version(version) for version in versions]
    if style is Format.JSON:
        rows = [row | {"times": rows_of(times) if times and row["state"] == "active" else []} for row in rows]
        write_rows(rows, (*_COLUMNS, "times"), style)
    else:
        write_rows(rows, _COLUMNS, style)
    if style is Format.TABLE and played is not None and times is not None:
        write_times(f"{played.bot}/{played.number}", times)
    for version in versions:
        if version.check.evidence:
            say(f"version {version.number}: {version.check.evidence}")


_COLUMNS: Final = ("bot", "version", "state", "message", "check", "found", "id")


def _version(version: bots_pb2.Version) -> dict[str, object]:
    """Write a version as a row."""
    check = version.check
    return {
        "bot": version.bot,
        "version": version.number,
        "state": _state(version),
        "message": version.message,
        "check": _check_state(check),
        "found": check.sentence or None,
        "id": version.id,
    }


def _state(version: bots_pb2.Version) -> str:
    from guandan_proto.v1 import bots_pb2  # noqa: PLC0415

    return bots_pb2.VersionState.Name(version.state).removeprefix("VERSION_STATE_").lower()


def _check_state(check: bots_pb2.Check) -> str | None:
    from guandan_proto.v1 import bots_pb2  # noqa: PLC0415

    if not check.state:
        return None
    return bots_pb2.CheckState.Name(check.state).removeprefix("CHECK_STATE_").lower()


def _wait(arena: Arena, version: bots_pb2.Version) -> bots_pb2.Version:
    """Look again until the check was played, ever less often."""
    pause, longest = WAIT_SECONDS
    while _state(version) == "received" and _check_state(version.check) != "stalled":
        say(f"version {version.number} waits for its check")
        time.sleep(pause)
        pause = min(pause * 1.5, longest)
        version = arena.version(version.id)
    return version


def _exit_unless_well(version: bots_pb2.Version) -> None:
    stalled = _check_state(version.check) == "stalled"
    if _state(version) != "refused" and not stalled:
        return
    if version.check.evidence:
        say(version.check.evidence)
    if stalled:
        say("the arena could not finish the check, which is no fault of the bot; send the same bytes again later")
    raise typer.Exit(1)
