"""`guandan-arena account`: tokens of accounts, for authors who have lost theirs or shown it to others."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Annotated, Final

import typer

from guandan_arena.app import opened
from guandan_arena.cli import screen
from guandan_arena.cli.screen import Format
from guandan_arena.services import accounts
from guandan_arena.services.records import Token
from guandan_arena.settings import read as read_settings

app = typer.Typer(help="Accounts and their tokens.", no_args_is_help=True)

_COLUMNS: Final = ("token", "label", "created", "expires", "revoked")
Name = Annotated[str, typer.Argument(help="Name of the account.")]


@app.command()
def token(
    name: Name,
    label: Annotated[str, typer.Option(help="What it is for.")] = "by the operator",
    days: Annotated[int | None, typer.Option(help="How long it is valid; else the setting token_days.")] = None,
) -> None:
    """Give an account another token and write it, this once. Those it has stay good until they are revoked.

    Example: guandan-arena account token ada
    """
    with opened(read_settings(os.environ)) as ports:
        issued = accounts.issue_token(ports, account=name, label=label, days=days)
    screen.out().print(issued.text, highlight=False, soft_wrap=True)
    told = f"{issued.token.id} for {name}, until {_day(issued.token.expires_ms)}; end others with: account revoke"
    screen.err().print(told, highlight=False, soft_wrap=True)


@app.command()
def tokens(
    name: Name, form: Annotated[Format, typer.Option("--format", help="How the answer is written.")] = Format.TABLE
) -> None:
    """List an account's tokens, newest first; nobody can read their secrets any more.

    Example: guandan-arena account tokens ada
    """
    with opened(read_settings(os.environ)) as ports:
        found = accounts.tokens(ports, account=name)
    screen.write([_row(item) for item in found], columns=_COLUMNS, title=f"Tokens of {name}", form=form)


@app.command()
def revoke(name: Name, token_id: Annotated[str, typer.Argument(metavar="TOKEN", help="Id of the token.")]) -> None:
    """End one of an account's tokens at once; doing it again changes nothing.

    Example: guandan-arena account revoke ada tabcdefghijklm
    """
    with opened(read_settings(os.environ)) as ports:
        accounts.revoke_token(ports, account=name, token_id=token_id)
    screen.out().print(f"{token_id} is revoked", highlight=False)


def _row(item: Token) -> dict[str, str]:
    revoked = "" if item.revoked_ms is None else _day(item.revoked_ms)
    return {
        "token": item.id,
        "label": item.label,
        "created": _day(item.created_ms),
        "expires": _day(item.expires_ms),
        "revoked": revoked,
    }


def _day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, tz=UTC).strftime("%Y-%m-%d")
