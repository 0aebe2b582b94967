"""What commands that talk to the arena share: options, the connection, ids pasted as addresses, page text."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias
from urllib.parse import urlsplit

import typer

if TYPE_CHECKING:
    from guandan_sdk.arena import Arena

ServerOption: TypeAlias = Annotated[
    str | None, typer.Option("--server", help="Address of the arena; else GUANDAN_SERVER, else where you logged in.")
]
_ENDINGS: Final = re.compile(r"(\.gdr)?\.jsonl(\.zst)?$|\.json$")
_NOUNS: Final = ("match", "matches", "replay", "live", "bot", "bots", "version", "versions", "event", "events")


def connect(server: str | None) -> Arena:
    """Open a connection with the token that was stored for the server."""
    from guandan_sdk.arena import Arena  # noqa: PLC0415 - grpc is slow to import
    from guandan_sdk.credentials import current  # noqa: PLC0415

    login = current(server)
    return Arena(login.server, login.token)


def ident(text: str) -> str:
    """Return the id in a text that is an id or the address of its page."""
    if "://" not in text:
        return text
    parts = [part for part in urlsplit(text).path.split("/") if part]
    for noun, value in itertools.pairwise(parts):
        if noun in _NOUNS:
            return _ENDINGS.sub("", value)
    return _ENDINGS.sub("", parts[-1]) if parts else text
