"""Routes: the imported table, where it comes from, and the flights whose ends are known.

Revision ID: 0047
Revises: 0046
"""

import sqlalchemy as sa
from alembic import op

from skywatch.core.database.columns import Moment
from skywatch.core.database.engine import BigId

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "route_table",
        sa.Column("callsign", sa.String(8), nullable=False),
        sa.Column("airports", sa.String(119), nullable=False),
        sa.PrimaryKeyConstraint("callsign", name="pk_route_table"),
    )
    op.create_table(
        "route_imports",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("source", sa.String(255), nullable=False),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("routes", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_route_imports"),
    )
    op.create_table(
        "route_flights",
        sa.Column("flight_id", BigId, autoincrement=False, nullable=False),
        sa.Column("icao_hex", sa.String(7), nullable=False),
        sa.Column("callsign", sa.String(8), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("origin", sa.String(4), nullable=False),
        sa.Column("destination", sa.String(4), nullable=False),
        sa.Column("began_at", Moment(), nullable=False),
        sa.Column("ended_at", Moment(), nullable=False),
        sa.Column("learnt_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("flight_id", name="pk_route_flights"),
    )
    op.create_index("ix_route_flights_callsign_ended_at", "route_flights", ["callsign", "ended_at"])
    op.create_index("ix_route_flights_ended_at", "route_flights", ["ended_at"])
    op.create_index("ix_route_flights_learnt_at", "route_flights", ["learnt_at"])
    op.create_table(
        "route_learning",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("movement_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_route_learning"),
    )


def downgrade() -> None:
    op.drop_table("route_learning")
    op.drop_table("route_flights")
    op.drop_table("route_imports")
    op.drop_table("route_table")
