"""Versions and their checks in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Select, and_, func, or_, select, update
from sqlalchemy.engine import RowMapping

from guandan_arena.services.records import Check, Version
from guandan_arena.services.states import CheckState, VersionState, move
from guandan_arena.store.rows import insert_once, locking, one
from guandan_arena.store.schema import account, bot, version, version_check
from guandan_arena.store.stages import SqlStages
from guandan_engine.conduct import Verdict
from guandan_runner.building import Wheel
from guandan_runner.manifest import Manifest


class SqlVersions:
    """The ``Versions`` repository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, item: Version) -> bool:
        """Add a version and its queued check, unless the bot already has this digest."""
        values: dict[str, object] = {
            "id": item.id,
            "bot_id": item.bot_id,
            "number": item.number,
            "digest": item.digest,
            "size_bytes": item.size_bytes,
            "manifest": asdict(item.manifest),
            "wheels": [],
            "filename": item.filename,
            "message": item.message,
            "state": item.state,
            "created_ms": item.created_ms,
        }
        if not insert_once(self._connection, version, values):
            return False
        SqlStages(self._connection).add(item.id)
        check = {"version_id": item.id, "state": CheckState.QUEUED, "fence": 0, "detail": "", "output": ""}
        self._connection.execute(version_check.insert().values(**check, queued_ms=item.created_ms))
        return True

    def get(self, version_id: str) -> Version:
        """Return a version."""
        query = _VERSIONS.where(version.c.id == version_id)
        return version_of(one(self._connection, query, what="version", key=version_id))

    def find(self, bot_id: str, digest: str) -> Version | None:
        """Return a bot's version of this digest."""
        query = _VERSIONS.where(version.c.bot_id == bot_id, version.c.digest == digest)
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else version_of(row)

    def of_bot(self, bot_id: str) -> tuple[Version, ...]:
        """Return a bot's versions, newest first."""
        return self._all(_VERSIONS.where(version.c.bot_id == bot_id).order_by(version.c.number.desc()))

    def active(self) -> tuple[Version, ...]:
        """Return every active version."""
        return self._all(_VERSIONS.where(version.c.state == VersionState.ACTIVE).order_by(version.c.id))

    def get_many(self, version_ids: Iterable[str]) -> Mapping[str, Version]:
        """Return versions by id; ids that are unknown are left out."""
        return {item.id: item for item in self._all(_VERSIONS.where(version.c.id.in_(tuple(version_ids))))}

    def count_since(self, account_id: str, since_ms: int) -> int:
        """Return how many versions an account has submitted at or after a time."""
        query = select(func.count()).select_from(version.join(bot))
        return self._connection.execute(
            query.where(bot.c.account_id == account_id, version.c.created_ms >= since_ms)
        ).scalar_one()

    def set_state(self, item: Version, state: VersionState) -> Version:
        """Move a version to another state, if the table of states allows it."""
        move(item.state, state, subject=f"version {item.title}")
        self._connection.execute(update(version).where(version.c.id == item.id).values(state=state))
        return self.get(item.id)

    def set_wheels(self, version_id: str, wheels: Sequence[Wheel]) -> None:
        """Write what a version's dependencies were resolved to."""
        listed = [[wheel.filename, wheel.digest] for wheel in wheels]
        self._connection.execute(update(version).where(version.c.id == version_id).values(wheels=listed))

    def active_count(self, account_id: str) -> int:
        """Return how many active versions an account has."""
        query = select(func.count()).select_from(version.join(bot))
        return self._connection.execute(
            query.where(bot.c.account_id == account_id, version.c.state == VersionState.ACTIVE)
        ).scalar_one()

    def check(self, version_id: str) -> Check:
        """Return a version's check."""
        query = select(version_check).where(version_check.c.version_id == version_id)
        return _check(one(self._connection, query, what="version", key=version_id))

    def lock_check(self, version_id: str) -> Check:
        """Return a version's check, holding its row."""
        query = locking(select(version_check).where(version_check.c.version_id == version_id), version_check)
        return _check(one(self._connection, query, what="version", key=version_id))

    def save_check(self, item: Check) -> None:
        """Write a check, if the table of states allows the move."""
        before = self.check(item.version_id).state
        if before is not item.state:
            move(before, item.state, subject=f"check of version {item.version_id}")
        self._connection.execute(
            update(version_check)
            .where(version_check.c.version_id == item.version_id)
            .values(
                state=item.state,
                fence=item.fence,
                attempts=item.attempts,
                worker=item.worker,
                lease_until_ms=item.lease_until_ms,
                verdict=item.verdict,
                detail=item.detail,
                output=item.output,
                log_digest=item.log_digest,
                queued_ms=item.queued_ms,
                finished_ms=item.finished_ms,
            )
        )

    def stale_checks(self, *, now_ms: int, queued_before_ms: int) -> tuple[str, ...]:
        """Return version ids whose check has an expired lease, or has been queued since before a time."""
        query = select(version_check.c.version_id).where(
            or_(
                and_(version_check.c.state == CheckState.PLAYING, version_check.c.lease_until_ms <= now_ms),
                and_(version_check.c.state == CheckState.QUEUED, version_check.c.queued_ms <= queued_before_ms),
            )
        )
        return tuple(self._connection.execute(query.order_by(version_check.c.version_id)).scalars())

    def _all(self, query: Select[Any]) -> tuple[Version, ...]:
        return tuple(map(version_of, self._connection.execute(query).mappings()))


_VERSIONS: Select[Any] = select(version, bot.c.name.label("bot"), account.c.name.label("owner")).select_from(
    version.join(bot).join(account)
)


def manifest_of(value: Mapping[str, Any]) -> Manifest:
    """Read a manifest as it is kept in SQL."""
    lists = {"entry": tuple(value["entry"]), "dependencies": tuple(value["dependencies"])}
    return Manifest(**{**value, **lists})


def wheels_of(value: Iterable[Sequence[str]]) -> tuple[Wheel, ...]:
    """Read wheels as they are kept in SQL."""
    return tuple(Wheel(filename, digest) for filename, digest in value)


def version_of(row: RowMapping) -> Version:
    """Read a version from a row that also has the names of owner and bot."""
    return Version(
        id=row["id"],
        bot_id=row["bot_id"],
        owner=row["owner"],
        bot=row["bot"],
        number=row["number"],
        digest=row["digest"],
        size_bytes=row["size_bytes"],
        manifest=manifest_of(row["manifest"]),
        wheels=wheels_of(row["wheels"]),
        filename=row["filename"],
        message=row["message"],
        state=VersionState(row["state"]),
        created_ms=row["created_ms"],
    )


def _check(row: RowMapping) -> Check:
    return Check(
        version_id=row["version_id"],
        state=CheckState(row["state"]),
        fence=row["fence"],
        attempts=row["attempts"],
        worker=row["worker"],
        lease_until_ms=row["lease_until_ms"],
        verdict=None if row["verdict"] is None else Verdict(row["verdict"]),
        detail=row["detail"],
        log_digest=row["log_digest"],
        queued_ms=row["queued_ms"],
        finished_ms=row["finished_ms"],
        output=row["output"],
    )
