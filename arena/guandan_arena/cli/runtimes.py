"""`guandan-arena runtimes`: what versions may name as their runtime, and whether this machine can offer it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Annotated, Final

import typer

from guandan_arena.cli import screen
from guandan_arena.cli.screen import Format
from guandan_arena.errors import InvalidArgument, Unavailable
from guandan_arena.settings import Settings
from guandan_arena.settings import read as read_settings

app = typer.Typer(help="The runtimes that bots are started in.", no_args_is_help=True)

Form = Annotated[Format, typer.Option("--format", help="How the answer is written.")]

_COLUMNS: Final = ("runtime", "state", "where_or_why")
_FAILED: Final = 1


@app.command("list")
def list_runtimes(form: Form = Format.TABLE) -> None:
    """List the runtimes and whether this machine has built them, can build them, or why not; builds nothing.

    Example: guandan-arena runtimes list
    """
    rows = _told(read_settings(os.environ), "list", ())
    screen.write(rows, columns=_COLUMNS, title="Runtimes", form=form)


@app.command()
def build(
    names: Annotated[list[str] | None, typer.Argument(help="Which; else all that this machine can build.")] = None,
    form: Form = Format.TABLE,
) -> None:
    """Build runtimes on this machine, without network; exit code 1 when one that was named cannot be built.

    A worker builds a missing one by itself when the first version asks for it.

    Example: guandan-arena runtimes build node python-3.11-numpy
    """
    read = read_settings(os.environ)
    wanted = tuple(names or ())
    for name in wanted:
        if name not in read.runtimes:
            known = ", ".join(sorted(read.runtimes))
            raise InvalidArgument("unknown_runtime", f"there is no runtime {name!r}", f"there are {known}")
    rows = _told(read, "build", wanted)
    screen.write(rows, columns=_COLUMNS, title="Runtimes", form=form)
    if wanted and any(row["state"] != "built" for row in rows):
        raise typer.Exit(_FAILED)


def _told(read: Settings, verb: str, names: tuple[str, ...]) -> list[dict[str, object]]:
    """Let the runner look or build in a process of its own: the arena itself knows no sandbox."""
    command = [sys.executable, "-m", "guandan_runner.sandbox.roots", verb, str(read.data_dir.resolve() / "runtime")]
    command += [*names, "--wheels", str(read.wheel_folder.resolve())]
    if read.runtimes_file is not None:
        command += ["--runtimes", str(read.runtimes_file.resolve())]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    if done.returncode not in (0, _FAILED) or not done.stdout:
        raise Unavailable("no_runner", "runtimes cannot be built here", "install guandan-workers on this machine")
    return [dict(zip(_COLUMNS, line.split("\t"), strict=True)) for line in done.stdout.splitlines()]
