"""Accounts and the tokens by which they are known."""

from __future__ import annotations

from guandan_arena.ports import Ports
from guandan_arena.services.records import Account, IssuedToken, Token


def register(ports: Ports, *, name: str) -> IssuedToken:
    """Open an account and return its first token, whose text is shown this once."""
    raise NotImplementedError


def authenticate(ports: Ports, *, text: str) -> Account:
    """Return the account of a token's text; raise Unauthenticated saying whether it is malformed, unknown, expired, revoked."""
    raise NotImplementedError


def issue_token(ports: Ports, *, caller: Account, label: str, days: int | None = None) -> IssuedToken:
    """Give the caller another token."""
    raise NotImplementedError


def tokens(ports: Ports, *, caller: Account) -> tuple[Token, ...]:
    """Return the caller's tokens, newest first, without their secrets."""
    raise NotImplementedError


def revoke_token(ports: Ports, *, caller: Account, token_id: str) -> None:
    """End one of the caller's tokens."""
    raise NotImplementedError


def set_operator(ports: Ports, *, name: str, operator: bool) -> Account:
    """Make an account an operator, or no longer one. For the operator's own command line, so no caller."""
    raise NotImplementedError


def require_operator(caller: Account) -> None:
    """Raise PermissionDenied unless the caller is an operator."""
    raise NotImplementedError
