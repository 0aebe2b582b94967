"""Accounts and the tokens by which they are known.

A token is ``gda_<id>_<secret>``: the id finds the row, and the secret is 256 random bits of which SQL keeps the
SHA-256. A slow password hash would protect a guessable secret; this one cannot be guessed, and it is checked at every
call, so the fast hash is the right one.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Final

from guandan_arena.errors import Exhausted, InvalidArgument, NotFound, PermissionDenied, Unauthenticated
from guandan_arena.ports import Ports, Transaction
from guandan_arena.services.identity import fresh_id, require_name, require_text, text_of
from guandan_arena.services.records import Account, AuditEntry, IssuedToken, Token

_TOKEN: Final = re.compile(r"gda_(t[a-z2-7]{13})_([a-z2-7]{52})")
COMMAND_LINE: Final = "command line"
_SECRET_BYTES: Final = 32
_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS
_MOST_DAYS: Final = 3_650


def register(ports: Ports, *, name: str) -> IssuedToken:
    """Open an account and return its first token, whose text is shown this once."""
    if not ports.settings.open_registration:
        raise PermissionDenied("registration_closed", "this arena opens no accounts by itself", "ask its operator")
    require_name(name, what="an account")
    now = ports.clock.now_ms()
    account = Account(fresh_id(ports.entropy, "a"), name, operator=False, created_ms=now)
    issued, secret_hash = _new_token(ports, account, label="first", days=ports.settings.token_days)
    with ports.store.transaction() as tx:
        if tx.accounts.count_since(now - _HOUR_MS) >= ports.settings.registrations_per_hour:
            raise Exhausted("too_many_registrations", "too many accounts were opened this hour", "try again in an hour")
        tx.accounts.add(account)
        tx.accounts.add_token(issued.token, secret_hash)
        tx.audit.add(AuditEntry(now, name, "account.register", account.id))
    return issued


def authenticate(ports: Ports, *, text: str) -> Account:
    """Return the account of a token's text.

    Raises Unauthenticated with code ``malformed_token``, ``unknown_token``, ``expired_token`` or ``revoked_token``.
    """
    parts = _TOKEN.fullmatch(text)
    if parts is None:
        raise Unauthenticated(
            "malformed_token", "that is not a token", "a token looks like gda_t..._...; copy all of it"
        )
    token_id, secret = parts.groups()
    with ports.store.snapshot() as tx:
        found = tx.accounts.token(token_id)
        if found is None or not hmac.compare_digest(found[1], _hash(secret)):
            raise Unauthenticated("unknown_token", "no account has this token", "log in again with a valid one")
        token = found[0]
        if token.revoked_ms is not None:
            raise Unauthenticated("revoked_token", "this token was revoked", "log in again with another one")
        if token.expires_ms <= ports.clock.now_ms():
            raise Unauthenticated("expired_token", "this token has expired", "ask the operator for a new one")
        return tx.accounts.get(token.account_id)


def issue_token(ports: Ports, *, account: str, label: str, days: int | None = None) -> IssuedToken:
    """Give an account, by name, another token. For the operator's own command line, so no caller."""
    require_text(label, what="label", most=64)
    lifetime = ports.settings.token_days if days is None else days
    if not 1 <= lifetime <= _MOST_DAYS:
        raise InvalidArgument("bad_days", f"a token cannot live {lifetime} days", f"choose 1 to {_MOST_DAYS}")
    with ports.store.transaction() as tx:
        issued, secret_hash = _new_token(ports, _named(tx, account), label=label, days=lifetime)
        tx.accounts.add_token(issued.token, secret_hash)
        tx.audit.add(AuditEntry(issued.token.created_ms, COMMAND_LINE, "token.issue", issued.token.id))
    return issued


def tokens(ports: Ports, *, account: str) -> tuple[Token, ...]:
    """Return an account's tokens, newest first, without their secrets. For the operator's own command line."""
    with ports.store.snapshot() as tx:
        return tx.accounts.tokens(_named(tx, account).id)


def revoke_token(ports: Ports, *, account: str, token_id: str) -> None:
    """End one of an account's tokens; ending it again changes nothing. For the operator's own command line."""
    with ports.store.transaction() as tx:
        owner, found = _named(tx, account), tx.accounts.token(token_id)
        if found is None or found[0].account_id != owner.id:
            hint = f"list its tokens: guandan-arena account tokens {owner.name}"
            raise NotFound("unknown_token", f"{owner.name} has no token {token_id[:80]!r}", hint)
        if found[0].revoked_ms is None:
            now = ports.clock.now_ms()
            tx.accounts.revoke(token_id, now)
            tx.audit.add(AuditEntry(now, COMMAND_LINE, "token.revoke", token_id))


def set_operator(ports: Ports, *, name: str, operator: bool) -> Account:
    """Make an account an operator, or no longer one. For the operator's own command line, so no caller."""
    with ports.store.transaction() as tx:
        account = _named(tx, name)
        tx.accounts.set_operator(account.id, operator)
        detail = "on" if operator else "off"
        tx.audit.add(AuditEntry(ports.clock.now_ms(), COMMAND_LINE, "account.operator", account.id, detail))
        return tx.accounts.get(account.id)


def require_operator(caller: Account) -> None:
    """Raise PermissionDenied unless the caller is an operator."""
    if not caller.operator:
        raise PermissionDenied("operators_only", f"{caller.name} is not an operator", "ask an operator to do it")


def _named(tx: Transaction, name: str) -> Account:
    account = tx.accounts.find(name)
    if account is None:
        raise NotFound("unknown_account", f"there is no account {name[:80]!r}", "check the name")
    return account


def _new_token(ports: Ports, account: Account, *, label: str, days: int) -> tuple[IssuedToken, str]:
    now = ports.clock.now_ms()
    token = Token(fresh_id(ports.entropy, "t"), account.id, label, now, now + days * _DAY_MS)
    secret = text_of(ports.entropy.token_bytes(_SECRET_BYTES))
    return IssuedToken(account, token, f"gda_{token.id}_{secret}"), _hash(secret)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
