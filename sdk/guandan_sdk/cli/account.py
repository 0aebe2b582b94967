"""``guandan login``."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from guandan_sdk.cli.output import say
from guandan_sdk.cli.session import ServerOption
from guandan_sdk.errors import InvalidInput


def login(
    server: ServerOption = None,
    name: Annotated[str | None, typer.Option("--name", help="Open a new account with this name.")] = None,
) -> None:
    """Store a token for an arena, in a file that only you can read.

    With --name a new account is opened. Otherwise the token comes from GUANDAN_TOKEN, or is asked for; it is never an
    argument, for those can be seen by others.

    Example: guandan login --server arena.example.org --name ada
    """
    from guandan_sdk.arena import Arena  # noqa: PLC0415 - grpc is slow to import
    from guandan_sdk.credentials import Login, current, keep  # noqa: PLC0415

    address = current(server).server
    if name is not None:
        with Arena(address) as arena:
            created = arena.create_account(name)
        account, token = created.account, created.token
    else:
        token = os.environ.get("GUANDAN_TOKEN") or _ask_token()
        with Arena(address, token) as arena:
            account = arena.who_am_i()
    path = keep(Login(address, token))
    say(f"logged in at {address} as {account.name}; the token is in {path}")


def _ask_token() -> str:
    if not sys.stdin.isatty():
        token = sys.stdin.readline().strip()
    else:
        token = str(typer.prompt("Token", hide_input=True, err=True)).strip()
    if not token:
        raise InvalidInput("no token given", "set GUANDAN_TOKEN, type it, or open an account with --name")
    return token
