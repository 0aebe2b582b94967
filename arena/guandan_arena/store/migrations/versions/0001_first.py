"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "account",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("operator", sa.Boolean(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("name", name=op.f("uq_account_name")),
    )
    op.create_index(op.f("ix_account_created_ms"), "account", ["created_ms"], unique=False)
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=40), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
    )
    op.create_index(op.f("ix_audit_entry_subject"), "audit_entry", ["subject"], unique=False)
    op.create_table(
        "event",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("state", sa.String(length=24), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("closed_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint("commitment", name=op.f("uq_event_commitment")),
        sa.UniqueConstraint("name", name=op.f("uq_event_name")),
    )
    op.create_index(op.f("ix_event_created_ms"), "event", ["created_ms"], unique=False)
    op.create_index(
        "uq_event_running_night",
        "event",
        ["kind"],
        unique=True,
        sqlite_where=sa.text("kind = 'night' AND state = 'running'"),
        postgresql_where=sa.text("kind = 'night' AND state = 'running'"),
    )
    op.create_table(
        "switch",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_switch")),
    )
    op.create_table(
        "bot",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_bot_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bot")),
        sa.UniqueConstraint("name", name=op.f("uq_bot_name")),
    )
    op.create_index(op.f("ix_bot_account_id"), "bot", ["account_id"], unique=False)
    op.create_table(
        "round",
        sa.Column("event_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=24), nullable=False),
        sa.Column("opened_ms", sa.BigInteger(), nullable=False),
        sa.Column("closed_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_round_event_id")),
        sa.PrimaryKeyConstraint("event_id", "number", name=op.f("pk_round")),
    )
    op.create_table(
        "token",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("account_id", sa.String(length=40), nullable=False),
        sa.Column("label", sa.String(length=64), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("revoked_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name=op.f("fk_token_account_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
    )
    op.create_index(op.f("ix_token_account_id"), "token", ["account_id"], unique=False)
    op.create_table(
        "version",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("bot_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("wheels", sa.JSON(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=24), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_version_bot_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_version")),
        sa.UniqueConstraint("bot_id", "digest", name=op.f("uq_version_bot_id_digest")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_version_bot_id_number")),
    )
    op.create_index(
        "uq_version_active_bot",
        "version",
        ["bot_id"],
        unique=True,
        sqlite_where=sa.text("state = 'active'"),
        postgresql_where=sa.text("state = 'active'"),
    )
    op.create_table(
        "entrant",
        sa.Column("event_id", sa.String(length=40), nullable=False),
        sa.Column("version_id", sa.String(length=40), nullable=False),
        sa.Column("bot_id", sa.String(length=40), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("elo_milli", sa.BigInteger(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_entrant_bot_id")),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_entrant_event_id")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_entrant_version_id")),
        sa.PrimaryKeyConstraint("event_id", "version_id", name=op.f("pk_entrant")),
        sa.UniqueConstraint("event_id", "bot_id", name=op.f("uq_entrant_event_id_bot_id")),
        sa.UniqueConstraint("event_id", "seed", name=op.f("uq_entrant_event_id_seed")),
    )
    op.create_index(op.f("ix_entrant_version_id"), "entrant", ["version_id"], unique=False)
    op.create_table(
        "version_check",
        sa.Column("version_id", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=24), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("lease_until_ms", sa.BigInteger(), nullable=True),
        sa.Column("verdict", sa.String(length=24), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("output", sa.Text(), nullable=False),
        sa.Column("log_digest", sa.String(length=64), nullable=True),
        sa.Column("queued_ms", sa.BigInteger(), nullable=False),
        sa.Column("finished_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_version_check_version_id")),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_version_check")),
    )
    op.create_index(op.f("ix_version_check_state"), "version_check", ["state"], unique=False)
    op.create_table(
        "version_stage",
        sa.Column("version_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=24), nullable=False),
        sa.Column("state", sa.String(length=24), nullable=False),
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=False),
        sa.Column("started_ms", sa.BigInteger(), nullable=True),
        sa.Column("ended_ms", sa.BigInteger(), nullable=True),
        sa.Column("log_digest", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_version_stage_version_id")),
        sa.PrimaryKeyConstraint("version_id", "name", name=op.f("pk_version_stage")),
    )
    op.create_table(
        "pairing",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("event_id", sa.String(length=40), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("a", sa.String(length=40), nullable=False),
        sa.Column("b", sa.String(length=40), nullable=True),
        sa.Column("a_elo_milli", sa.BigInteger(), nullable=False),
        sa.Column("b_elo_milli", sa.BigInteger(), nullable=False),
        sa.Column("a_games", sa.Integer(), nullable=False),
        sa.Column("b_games", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=24), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("lease_until_ms", sa.BigInteger(), nullable=True),
        sa.Column("ending", sa.String(length=24), nullable=True),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("delta_milli", sa.BigInteger(), nullable=False),
        sa.Column("queued_ms", sa.BigInteger(), nullable=False),
        sa.Column("finished_ms", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("a <> b", name=op.f("ck_pairing_two_entrants")),
        sa.ForeignKeyConstraint(
            ["event_id", "a"], ["entrant.event_id", "entrant.version_id"], name=op.f("fk_pairing_event_id_a")
        ),
        sa.ForeignKeyConstraint(
            ["event_id", "b"], ["entrant.event_id", "entrant.version_id"], name=op.f("fk_pairing_event_id_b")
        ),
        sa.ForeignKeyConstraint(
            ["event_id", "round"], ["round.event_id", "round.number"], name=op.f("fk_pairing_event_id_round")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairing")),
        sa.UniqueConstraint("event_id", "round", "a", name=op.f("uq_pairing_event_id_round_a")),
        sa.UniqueConstraint("event_id", "round", "b", name=op.f("uq_pairing_event_id_round_b")),
        sa.UniqueConstraint("event_id", "round", "number", name=op.f("uq_pairing_event_id_round_number")),
    )
    op.create_index(op.f("ix_pairing_a"), "pairing", ["a"], unique=False)
    op.create_index(op.f("ix_pairing_b"), "pairing", ["b"], unique=False)
    op.create_index(op.f("ix_pairing_state"), "pairing", ["state"], unique=False)
    op.create_table(
        "played_table",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("match_id", sa.String(length=40), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("way", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("finishing", sa.JSON(), nullable=False),
        sa.Column("verdicts", sa.JSON(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("decisions", sa.JSON(), nullable=False),
        sa.Column("pace", sa.JSON(), nullable=False),
        sa.Column("replay_digest", sa.String(length=64), nullable=False),
        sa.Column("log_digests", sa.JSON(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("lost", sa.JSON(), nullable=False),
        sa.CheckConstraint("way IN (0, 1)", name=op.f("ck_played_table_way")),
        sa.ForeignKeyConstraint(["match_id"], ["pairing.id"], name=op.f("fk_played_table_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_played_table")),
        sa.UniqueConstraint("match_id", "board", "way", name=op.f("uq_played_table_match_id_board_way")),
    )
    op.create_table(
        "rating_fit",
        sa.Column("event_id", sa.String(length=40), nullable=False),
        sa.Column("version_id", sa.String(length=40), nullable=False),
        sa.Column("elo_milli", sa.BigInteger(), nullable=False),
        sa.Column("low_milli", sa.BigInteger(), nullable=False),
        sa.Column("high_milli", sa.BigInteger(), nullable=False),
        sa.Column("rank_best", sa.Integer(), nullable=False),
        sa.Column("rank_worst", sa.Integer(), nullable=False),
        sa.Column("boards", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name=op.f("fk_rating_fit_event_id")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_rating_fit_version_id")),
        sa.PrimaryKeyConstraint("event_id", "version_id", name=op.f("pk_rating_fit")),
    )


def downgrade() -> None:
    """Take back."""
    op.drop_table("rating_fit")
    op.drop_table("played_table")
    op.drop_index(op.f("ix_pairing_state"), table_name="pairing")
    op.drop_index(op.f("ix_pairing_b"), table_name="pairing")
    op.drop_index(op.f("ix_pairing_a"), table_name="pairing")
    op.drop_table("pairing")
    op.drop_table("version_stage")
    op.drop_index(op.f("ix_version_check_state"), table_name="version_check")
    op.drop_table("version_check")
    op.drop_index(op.f("ix_entrant_version_id"), table_name="entrant")
    op.drop_table("entrant")
    op.drop_index(
        "uq_version_active_bot",
        table_name="version",
        sqlite_where=sa.text("state = 'active'"),
        postgresql_where=sa.text("state = 'active'"),
    )
    op.drop_table("version")
    op.drop_index(op.f("ix_token_account_id"), table_name="token")
    op.drop_table("token")
    op.drop_table("round")
    op.drop_index(op.f("ix_bot_account_id"), table_name="bot")
    op.drop_table("bot")
    op.drop_table("switch")
    op.drop_index(
        "uq_event_running_night",
        table_name="event",
        sqlite_where=sa.text("kind = 'night' AND state = 'running'"),
        postgresql_where=sa.text("kind = 'night' AND state = 'running'"),
    )
    op.drop_index(op.f("ix_event_created_ms"), table_name="event")
    op.drop_table("event")
    op.drop_index(op.f("ix_audit_entry_subject"), table_name="audit_entry")
    op.drop_table("audit_entry")
    op.drop_index(op.f("ix_account_created_ms"), table_name="account")
    op.drop_table("account")
