"""One event of each kind runs at a time, where there was one kind."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_RUNNING = sa.text("state = 'running'")
_NIGHT_RUNNING = sa.text("kind = 'night' AND state = 'running'")


def upgrade() -> None:
    """Apply."""
    op.drop_index("uq_event_running_night", table_name="event")
    op.create_index(
        "uq_event_running_kind", "event", ["kind"], unique=True, sqlite_where=_RUNNING, postgresql_where=_RUNNING
    )


def downgrade() -> None:
    """Take back."""
    op.drop_index("uq_event_running_kind", table_name="event")
    op.create_index(
        "uq_event_running_night",
        "event",
        ["kind"],
        unique=True,
        sqlite_where=_NIGHT_RUNNING,
        postgresql_where=_NIGHT_RUNNING,
    )
