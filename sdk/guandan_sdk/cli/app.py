"""The command tree, and what happens when a command cannot do its work."""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from guandan_sdk.cli import (
    account,
    bot,
    check,
    connect,
    init,
    ladder,
    logs,
    match,
    play,
    replay,
    repro,
    rules,
    submit,
    version,
)
from guandan_sdk.errors import SdkError


class _Commands(TyperGroup):
    """Tells a refusal as reason and hint, with the exit code of its cause, never as a traceback of ours."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except SdkError as error:
            raise typer.Exit(tell(error)) from None


app = typer.Typer(
    cls=_Commands,
    name="guandan",
    help="Write a Guandan bot, play it here, send it to the arena.",
    epilog="Start with: guandan init mybot && guandan play mybot greedy -n 20",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("init")(init.init)
app.command("play")(play.play)
app.command("check")(check.check)
app.add_typer(replay.app, name="replay")
app.add_typer(rules.app, name="rules")
app.command("login")(account.login)
app.command("submit")(submit.submit)
app.add_typer(bot.app, name="bot")
app.command("ladder")(ladder.ladder)
app.command("connect")(connect.connect)
app.add_typer(match.app, name="match")
app.command("logs")(logs.logs)
app.command("repro")(repro.repro)
app.command("version")(version.version)


def run_app() -> None:
    """Run the command line; a reader that closes the pipe early, as head does, is no error of ours to tell."""
    try:
        app()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def tell(error: SdkError) -> int:
    """Say what went wrong and what to do; return the exit code."""
    if isinstance(error.__cause__, Exception) and error.show_trace:
        import traceback  # noqa: PLC0415 - only when a bot broke

        traceback.print_exception(error.__cause__, file=sys.stderr)
    from guandan_engine.quoting import quoted_lines  # noqa: PLC0415 - not needed for --help

    print(quoted_lines(f"error: {error.reason}"), file=sys.stderr)  # noqa: T201
    if error.hint:
        print(quoted_lines(f"hint: {error.hint}"), file=sys.stderr)  # noqa: T201
    return error.exit_code
