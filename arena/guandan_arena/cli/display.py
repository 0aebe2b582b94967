"""What the operator sees of the parts: a table that lives on a terminal, lines anywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from rich.console import Console, Group
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
        self._children: Sequence[Child] = ()
        self._below: list[Text] = []

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
        self._children = children
        if self._live is not None:
            self._live.update(Group(_table(children), *self._below, _whole(children)), refresh=True)
            return
        for child in children:
            line = _line(child)
            if self._told.get(child.part.name) != line:
                self._told[child.part.name] = line
                self.say(line)

    def ready(self, *, grpc: str, web: str, sandboxes: Sequence[str]) -> None:
        """Say where the arena is to be reached and what its bots run in; a terminal keeps it in sight."""
        addresses = Text(f"gRPC {grpc}\nsite {web}")
        told = [_sandbox(statement) for statement in sandboxes]
        if self._live is None or not self._out.is_terminal:
            self._out.print(addresses, soft_wrap=True)
        if self._live is None:
            self._err.print(*told, _whole(self._children), sep="\n", soft_wrap=True)
        else:
            self._below = [addresses, *told]
            self.show(self._children)

    def say(self, text: str) -> None:
        """Say something else."""
        self._err.print(Text(text))


def _table(children: Sequence[Child]) -> Table:
    table = Table("part", "state", "pid", "restarts", "last end")
    for child in children:
        state = Text(child.state, style=_STYLES[child.state])
        table.add_row(child.part.name, state, str(child.pid or "-"), str(max(child.restarts, 0)), Text(child.note))
    return table


def _whole(children: Sequence[Child]) -> Text:
    """Say how the arena stands as a whole."""
    if all(child.state is State.STOPPED for child in children):
        return Text("all parts are stopped")
    if all(child.state is State.READY for child in children):
        return Text("all parts are ready; Ctrl-C stops them")
    return Text("not all parts are ready; Ctrl-C stops them")


def _sandbox(statement: str) -> Text:
    """Show what a worker says of its sandbox; the one that holds nothing back is not to be overlooked."""
    return Text(statement, style="bold red" if statement.startswith("Sandbox process") else "")


def _line(child: Child) -> str:
    words = [f"{child.part.name}: {child.state}"]
    if child.pid is not None:
        words.append(f"pid {child.pid}")
    if child.note:
        words.append(f"(last: {child.note})")
    return " ".join(words)
