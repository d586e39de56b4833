"""Which rows are of simulated aircraft, and since when a receiver that is not simulated is heard.

Revision ID: 0046
Revises: 0045
"""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

TABLES = (
    "history_flights", "safety_events", "safety_regions", "safety_places", "cannonball_sessions",
    "cannonball_patterns", "cannonball_alerts", "alerts", "receiver_quality", "receiver_connections",
)  # fmt: skip
INDEX, COLUMNS = "ix_history_flights_first_seen_at", ["first_seen_at", "icao_hex", "military", "emergency", "active"]


def upgrade() -> None:
    for table in TABLES:
        # The default serves the version before.
        op.add_column(table, sa.Column("simulated", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.drop_index(INDEX, "history_flights")
    op.create_index(INDEX, "history_flights", [*COLUMNS, "simulated"])
    op.create_table(
        "real_sky",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_real_sky")),
    )


def downgrade() -> None:
    op.drop_table("real_sky")
    op.drop_index(INDEX, "history_flights")
    op.create_index(INDEX, "history_flights", COLUMNS)
    for table in TABLES:
        op.drop_column(table, "simulated")
