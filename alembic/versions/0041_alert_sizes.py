"""How much each alert counts for its user: ``alerts.size_bytes``.

Revision ID: 0041
Revises: 0040
"""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

INDEX = "ix_alerts_user_id_acknowledged"


def upgrade() -> None:
    op.add_column("alerts", sa.Column("size_bytes", sa.Integer(), nullable=False, server_default="0"))
    # 400: the other columns, and the entries of the indexes, as in skywatch/alerts/tracker/quota.py.
    op.execute(
        "UPDATE alerts SET size_bytes = length(message) + length(CAST(aircraft AS TEXT))"
        " + length(CAST(matched AS TEXT)) + 400"
    )
    op.create_index(INDEX, "alerts", ["user_id", "acknowledged", "triggered_at", "size_bytes"])


def downgrade() -> None:
    op.drop_index(INDEX, "alerts")
    op.drop_column("alerts", "size_bytes")
