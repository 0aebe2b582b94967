"""What the operator sees of the parts: a table that lives on a terminal, lines anywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from guandan_arena.cli.child import Child, State

_STYLES: Final = {
    State.STARTING: "yellow",
    State.READY: "green",
    State.WAITING: "red",
    State.STOPPED: "dim",
}


class Display:
    """Addresses go to ``out``, everything else to ``err``."""

    def __init__(self, *, out: Console, err: Console) -> None:
        self._out = out
        self._err = err
        self._live = Live(console=err, auto_refresh=False, redirect_stdout=False) if err.is_terminal else None
        self._told: dict[str, str] = {}

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, children: Sequence[Child]) -> None:
        """Show the state of all parts."""
        if self._live is not None:
            self._live.update(_table(children), refresh=True)
            return
        for child in children:
            line = _line(child)
            if self._told.get(child.part.name) != line:
                self._told[child.part.name] = line
                self.say(line)

    def ready(self, *, grpc: str, web: str) -> None:
        """Say where the arena is to be reached."""
        self._out.print(f"gRPC {grpc}\nsite {web}", highlight=False)
        self.say("all parts are ready; Ctrl-C stops them")

    def say(self, text: str) -> None:
        """Say something else."""
        self._err.print(text, highlight=False, markup=False)


def _table(children: Sequence[Child]) -> Table:
    table = Table("part", "state", "pid", "restarts", "last end")
    for child in children:
        state = f"[{_STYLES[child.state]}]{child.state}[/]"
        table.add_row(child.part.name, state, str(child.pid or "-"), str(max(child.restarts, 0)), Text(child.note))
    return table


def _line(child: Child) -> str:
    words = [f"{child.part.name}: {child.state}"]
    if child.pid is not None:
        words.append(f"pid {child.pid}")
    if child.note:
        words.append(f"(last: {child.note})")
    return " ".join(words)
