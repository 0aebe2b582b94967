"""`guandan-arena table`: what an operator does at a running table."""

from __future__ import annotations

import os
import time
from typing import Annotated, Final

import typer

from guandan_arena.app import opened
from guandan_arena.cli import screen
from guandan_arena.errors import Refused, Unavailable
from guandan_arena.ports import Ports
from guandan_arena.services import rulings
from guandan_arena.settings import read as read_settings
from guandan_engine.conduct.rulings import APPLIED

app = typer.Typer(help="Running tables.", no_args_is_help=True)

_POLL_S: Final = 0.1
_KINDS: Final = f"What it is about, or what it imposes: {', '.join(rulings.kinds())}."


@app.callback()
def _tables() -> None:
    """Running tables."""


@app.command()
def rule(
    table: Annotated[str, typer.Argument(help="The table, as its live page names it.")],
    seat: Annotated[int, typer.Option(help="The seat that is ruled upon, 0 to 3.")],
    kind: Annotated[str, typer.Option(help=_KINDS)],
    reason: Annotated[str, typer.Option(help="Why; it stands in the replay.")],
    amount: Annotated[int, typer.Option(help="Turns, levels or points.")] = 1,
    cards: Annotated[str, typer.Option(help="Cards that were exposed or played out of turn, as 'S3 HT'.")] = "",
    late: Annotated[bool, typer.Option("--late", help="A missing announcement was noticed too late.")] = False,
    previous_passed: Annotated[
        bool, typer.Option("--previous-passed", help="The seat before passed after a play out of turn.")
    ] = False,
    leader: Annotated[int | None, typer.Option(help="Who leads the next deal, where no tribute is paid.")] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait for the table.")] = 10.0,
) -> None:
    """Rule as a referee on a running table: written in the journal, carried out once, shown in the replay.

    Example: guandan-arena table rule mf3k-1-1a --seat 2 --kind warn --reason "spoke to its partner"
    """
    with opened(read_settings(os.environ)) as ports:
        ruling_id = rulings.rule(
            ports,
            table_id=table,
            seat=seat,
            kind=kind,
            reason=reason,
            amount=amount,
            cards=cards,
            noticed_late=late,
            previous_passed=previous_passed,
            leader=leader,
        )
        answer = _answer(ports, table, ruling_id, wait)
    if answer != APPLIED:
        raise Refused("not_applied", f"ruling {ruling_id}: {answer}", "nothing has changed at the table")
    screen.out().print(f"{ruling_id} applied", highlight=False)


def _answer(ports: Ports, table: str, ruling_id: str, wait_s: float) -> str:
    deadline = time.monotonic() + wait_s
    while True:
        answer = rulings.answer(ports, table_id=table, ruling_id=ruling_id)
        if answer is not None:
            return answer
        if time.monotonic() > deadline:
            raise Unavailable(
                "no_answer", f"table {table} has not answered to {ruling_id}", "it may have ended; see its replay"
            )
        time.sleep(_POLL_S)
