"""Who calls: the account of the token in the call's metadata."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from guandan_arena.errors import Unauthenticated
from guandan_arena.ports import Ports
from guandan_arena.services import accounts
from guandan_arena.services.records import Account

_LONGEST_TOKEN: Final = 256
_HINT: Final = "send metadata authorization: Bearer TOKEN; `guandan login` gets a token"


async def caller_of(ports: Ports, context: Any) -> Account:
    """Return the account that calls; raise Unauthenticated when there is no token or it is not good."""
    return await asyncio.to_thread(accounts.authenticate, ports, text=_token(context.invocation_metadata() or ()))


async def caller_if_any(ports: Ports, context: Any) -> Account | None:
    """Return the account that calls, None when no token was sent; raise Unauthenticated when it is not good."""
    sent = any(key == "authorization" for key, _ in context.invocation_metadata() or ())
    return await caller_of(ports, context) if sent else None


def _token(metadata: Any) -> str:
    value = next((value for key, value in metadata if key == "authorization"), None)
    if value is None:
        raise Unauthenticated("token_missing", "this call needs a token, and none was sent", _HINT)
    scheme, _, token = str(value).partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > _LONGEST_TOKEN:
        raise Unauthenticated("token_malformed", "the authorization metadata is not `Bearer TOKEN`", _HINT)
    return token
