"""The tables of SQL. Whatever can be produced twice has a unique key that makes the second a no-op."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

_ID: Final = String(40)
_NAME: Final = String(64)
_STATE: Final = String(24)
_DIGEST: Final = String(64)

account: Final = Table(
    "account",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("name", _NAME, nullable=False, unique=True),
    Column("operator", Boolean, nullable=False),
    Column("created_ms", BigInteger, nullable=False, index=True),
)

token: Final = Table(
    "token",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("account_id", _ID, ForeignKey("account.id"), nullable=False, index=True),
    Column("label", _NAME, nullable=False),
    Column("secret_hash", _DIGEST, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("expires_ms", BigInteger, nullable=False),
    Column("revoked_ms", BigInteger),
)

bot: Final = Table(
    "bot",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("account_id", _ID, ForeignKey("account.id"), nullable=False, index=True),
    Column("name", _NAME, nullable=False, unique=True),
    Column("created_ms", BigInteger, nullable=False),
)

version: Final = Table(
    "version",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("bot_id", _ID, ForeignKey("bot.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("digest", _DIGEST, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("manifest", JSON, nullable=False),
    Column("wheels", JSON, nullable=False),
    Column("filename", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("state", _STATE, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    UniqueConstraint("bot_id", "digest"),
    UniqueConstraint("bot_id", "number"),
)
Index(
    "uq_version_active_bot",
    version.c.bot_id,
    unique=True,
    sqlite_where=text("state = 'active'"),
    postgresql_where=text("state = 'active'"),
)

version_check: Final = Table(
    "version_check",
    metadata,
    Column("version_id", _ID, ForeignKey("version.id"), primary_key=True),
    Column("state", _STATE, nullable=False, index=True),
    Column("fence", Integer, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("worker", Text),
    Column("lease_until_ms", BigInteger),
    Column("verdict", _STATE),
    Column("detail", Text, nullable=False),
    Column("output", Text, nullable=False),
    Column("log_digest", _DIGEST),
    Column("queued_ms", BigInteger, nullable=False),
    Column("finished_ms", BigInteger),
)

version_stage: Final = Table(
    "version_stage",
    metadata,
    Column("version_id", _ID, ForeignKey("version.id"), primary_key=True),
    Column("name", _STATE, primary_key=True),
    Column("state", _STATE, nullable=False),
    Column("code", _NAME, nullable=False),
    Column("reason", Text, nullable=False),
    Column("hint", Text, nullable=False),
    Column("started_ms", BigInteger),
    Column("ended_ms", BigInteger),
    Column("log_digest", _DIGEST),
)

event: Final = Table(
    "event",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("name", _NAME, nullable=False, unique=True),
    Column("kind", _STATE, nullable=False),
    Column("state", _STATE, nullable=False),
    Column("rules", JSON, nullable=False),
    Column("spec", JSON, nullable=False),
    Column("commitment", _DIGEST, nullable=False, unique=True),
    Column("secret", LargeBinary, nullable=False),
    Column("created_ms", BigInteger, nullable=False, index=True),
    Column("closed_ms", BigInteger),
)
Index(
    "uq_event_running_kind",
    event.c.kind,
    unique=True,
    sqlite_where=text("state = 'running'"),
    postgresql_where=text("state = 'running'"),
)

entrant: Final = Table(
    "entrant",
    metadata,
    Column("event_id", _ID, ForeignKey("event.id"), primary_key=True),
    Column("version_id", _ID, ForeignKey("version.id"), primary_key=True, index=True),
    Column("bot_id", _ID, ForeignKey("bot.id"), nullable=False),
    Column("seed", Integer, nullable=False),
    Column("elo_milli", BigInteger, nullable=False),
    Column("games", Integer, nullable=False),
    UniqueConstraint("event_id", "bot_id"),
    UniqueConstraint("event_id", "seed"),
)

round_: Final = Table(
    "round",
    metadata,
    Column("event_id", _ID, ForeignKey("event.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("state", _STATE, nullable=False),
    Column("opened_ms", BigInteger, nullable=False),
    Column("closed_ms", BigInteger),
)

pairing: Final = Table(
    "pairing",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("event_id", _ID, nullable=False),
    Column("round", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("a", _ID, nullable=False),
    Column("b", _ID),
    Column("a_elo_milli", BigInteger, nullable=False),
    Column("b_elo_milli", BigInteger, nullable=False),
    Column("a_games", Integer, nullable=False),
    Column("b_games", Integer, nullable=False),
    Column("state", _STATE, nullable=False, index=True),
    Column("fence", Integer, nullable=False),
    Column("worker", Text),
    Column("lease_until_ms", BigInteger),
    Column("ending", _STATE),
    Column("score", Integer, nullable=False),
    Column("delta_milli", BigInteger, nullable=False),
    Column("queued_ms", BigInteger, nullable=False),
    Column("finished_ms", BigInteger),
    ForeignKeyConstraint(["event_id", "round"], ["round.event_id", "round.number"]),
    ForeignKeyConstraint(["event_id", "a"], ["entrant.event_id", "entrant.version_id"]),
    ForeignKeyConstraint(["event_id", "b"], ["entrant.event_id", "entrant.version_id"]),
    UniqueConstraint("event_id", "round", "number"),
    UniqueConstraint("event_id", "round", "a"),
    UniqueConstraint("event_id", "round", "b"),
    CheckConstraint("a <> b", name="two_entrants"),
    Index(None, "a"),
    Index(None, "b"),
)

played_table: Final = Table(
    "played_table",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("match_id", _ID, ForeignKey("pairing.id"), nullable=False),
    Column("fence", Integer, nullable=False),
    Column("board", Integer, nullable=False),
    Column("way", Integer, nullable=False),
    Column("points", Integer, nullable=False),
    Column("finishing", JSON, nullable=False),
    Column("verdicts", JSON, nullable=False),
    Column("details", JSON, nullable=False),
    Column("decisions", JSON, nullable=False),
    Column("pace", JSON, nullable=False),
    Column("replay_digest", _DIGEST, nullable=False),
    Column("log_digests", JSON, nullable=False),
    Column("facts", JSON, nullable=False),
    Column("lost", JSON, nullable=False),
    UniqueConstraint("match_id", "board", "way"),
    CheckConstraint("way IN (0, 1)", name="way"),
)

rating_fit: Final = Table(
    "rating_fit",
    metadata,
    Column("event_id", _ID, ForeignKey("event.id"), primary_key=True),
    Column("version_id", _ID, ForeignKey("version.id"), primary_key=True),
    Column("elo_milli", BigInteger, nullable=False),
    Column("low_milli", BigInteger, nullable=False),
    Column("high_milli", BigInteger, nullable=False),
    Column("rank_best", Integer, nullable=False),
    Column("rank_worst", Integer, nullable=False),
    Column("boards", Integer, nullable=False),
)

audit_entry: Final = Table(
    "audit_entry",
    metadata,
    # SQLite numbers rows by itself only where the key is a plain INTEGER.
    Column("id", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", _NAME, nullable=False),
    Column("subject", _ID, nullable=False, index=True),
    Column("detail", Text, nullable=False),
)

switch: Final = Table(
    "switch",
    metadata,
    Column("name", _NAME, primary_key=True),
    Column("is_on", Boolean, nullable=False),
)
