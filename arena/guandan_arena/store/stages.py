"""The stages of versions in SQL."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, select, update
from sqlalchemy.engine import RowMapping

from guandan_arena.services.records import Stage
from guandan_arena.services.states import StageName, StageState, move
from guandan_arena.store.rows import insert_once
from guandan_arena.store.schema import version_stage

_ORDER: Final = {name: place for place, name in enumerate(StageName)}


class SqlStages:
    """The ``Stages`` repository. Who writes a stage holds the version's bot or its check."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, version_id: str) -> None:
        """Add all stages of a new version, waiting; adding them again changes nothing."""
        for name in StageName:
            key: dict[str, object] = {"version_id": version_id, "name": name}
            texts = dict.fromkeys(("code", "reason", "hint"), "")
            insert_once(self._connection, version_stage, {**key, **texts, "state": StageState.WAITING})

    def of(self, version_id: str) -> tuple[Stage, ...]:
        """Return a version's stages in their order."""
        rows = self._connection.execute(select(version_stage).where(version_stage.c.version_id == version_id))
        return tuple(sorted(map(_stage, rows.mappings()), key=lambda stage: _ORDER[stage.name]))

    def save(self, item: Stage) -> None:
        """Write a stage, if the table of states allows the move."""
        key = (version_stage.c.version_id == item.version_id) & (version_stage.c.name == item.name)
        before = StageState(self._connection.execute(select(version_stage.c.state).where(key)).scalar_one())
        if before is not item.state:
            move(before, item.state, subject=f"stage {item.name} of version {item.version_id}")
        self._connection.execute(
            update(version_stage)
            .where(key)
            .values(
                state=item.state,
                code=item.code,
                reason=item.reason,
                hint=item.hint,
                started_ms=item.started_ms,
                ended_ms=item.ended_ms,
                log_digest=item.log_digest,
            )
        )


def _stage(row: RowMapping) -> Stage:
    return Stage(
        version_id=row["version_id"],
        name=StageName(row["name"]),
        state=StageState(row["state"]),
        code=row["code"],
        reason=row["reason"],
        hint=row["hint"],
        started_ms=row["started_ms"],
        ended_ms=row["ended_ms"],
        log_digest=row["log_digest"],
    )
