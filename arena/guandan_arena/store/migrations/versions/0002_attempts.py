"""Attempts of a check are counted apart from its fence, and a stage that was refused unbegun has not begun."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.add_column("version_check", sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"))
    op.execute("UPDATE version_check SET attempts = fence")
    op.execute(
        "UPDATE version_stage SET started_ms = NULL "
        "WHERE name = 'active' AND state = 'refused' AND started_ms = ended_ms"
    )


def downgrade() -> None:
    """Take back."""
    with op.batch_alter_table("version_check") as batch:
        batch.drop_column("attempts")
