"""Which alerts are about what only strangers hear, or nobody vouches for: ``alerts.of_strangers``.

Revision ID: 0043
Revises: 0042
"""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

INDEX, COLUMNS = "ix_alerts_user_id_acknowledged", ["user_id", "acknowledged", "triggered_at", "size_bytes"]


def upgrade() -> None:
    # The default serves the version before.
    op.add_column("alerts", sa.Column("of_strangers", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.drop_index(INDEX, "alerts")
    op.create_index(INDEX, "alerts", [*COLUMNS, "of_strangers"])


def downgrade() -> None:
    op.drop_index(INDEX, "alerts")
    op.create_index(INDEX, "alerts", COLUMNS)
    op.drop_column("alerts", "of_strangers")
