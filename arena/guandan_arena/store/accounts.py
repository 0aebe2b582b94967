"""Accounts and tokens in SQL."""

from __future__ import annotations

from sqlalchemy import Connection, Select, func, select, update
from sqlalchemy.engine import RowMapping

from guandan_arena.errors import AlreadyExists
from guandan_arena.services.records import Account, Token
from guandan_arena.store.rows import insert_once, locking, one
from guandan_arena.store.schema import account, token


class SqlAccounts:
    """The ``Accounts`` repository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, item: Account) -> None:
        """Add an account."""
        values = {"id": item.id, "name": item.name, "operator": item.operator, "created_ms": item.created_ms}
        if not insert_once(self._connection, account, values):
            raise AlreadyExists("name_taken", f"the account name {item.name!r} is taken", "choose another name")

    def get(self, account_id: str) -> Account:
        """Return an account."""
        return _account(one(self._connection, _accounts(id=account_id), what="account", key=account_id))

    def find(self, name: str) -> Account | None:
        """Return the account of this name."""
        row = self._connection.execute(_accounts(name=name)).mappings().one_or_none()
        return None if row is None else _account(row)

    def count_since(self, since_ms: int) -> int:
        """Return how many accounts were created at or after a time."""
        return self._connection.execute(
            select(func.count()).select_from(account).where(account.c.created_ms >= since_ms)
        ).scalar_one()

    def lock(self, account_id: str) -> None:
        """Hold an account's row until the transaction ends."""
        self._connection.execute(locking(select(account.c.id).where(account.c.id == account_id), account))

    def set_operator(self, account_id: str, operator: bool) -> None:
        """Write the operator flag."""
        self._connection.execute(update(account).where(account.c.id == account_id).values(operator=operator))

    def add_token(self, item: Token, secret_hash: str) -> None:
        """Add a token with the hash of its secret."""
        self._connection.execute(
            token.insert().values(
                id=item.id,
                account_id=item.account_id,
                label=item.label,
                secret_hash=secret_hash,
                created_ms=item.created_ms,
                expires_ms=item.expires_ms,
                revoked_ms=item.revoked_ms,
            )
        )

    def token(self, token_id: str) -> tuple[Token, str] | None:
        """Return a token and the hash of its secret."""
        row = self._connection.execute(select(token).where(token.c.id == token_id)).mappings().one_or_none()
        return None if row is None else (_token(row), row["secret_hash"])

    def tokens(self, account_id: str) -> tuple[Token, ...]:
        """Return an account's tokens, newest first."""
        query = select(token).where(token.c.account_id == account_id).order_by(token.c.created_ms.desc(), token.c.id)
        return tuple(map(_token, self._connection.execute(query).mappings()))

    def revoke(self, token_id: str, at_ms: int) -> None:
        """Write when a token ended, if it has not ended yet."""
        self._connection.execute(
            update(token).where(token.c.id == token_id, token.c.revoked_ms.is_(None)).values(revoked_ms=at_ms)
        )


def _accounts(**where: str) -> Select[tuple[object, ...]]:
    return select(account).filter_by(**where)


def _account(row: RowMapping) -> Account:
    return Account(row["id"], row["name"], row["operator"], row["created_ms"])


def _token(row: RowMapping) -> Token:
    return Token(row["id"], row["account_id"], row["label"], row["created_ms"], row["expires_ms"], row["revoked_ms"])
