"""Flights, chunks of track points and the tail of what is not yet a chunk.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "history_flights",
        sa.Column("id", BIG_ID, primary_key=True),
        sa.Column("icao_hex", sa.String(7), nullable=False),
        sa.Column("callsign", sa.String(8)),
        sa.Column("registration", sa.String(12)),
        sa.Column("aircraft_type", sa.String(4)),
        sa.Column("operator", sa.String(128)),
        sa.Column("category", sa.String(2)),
        sa.Column("squawk", sa.String(4)),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("emergency", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("messages", sa.BigInteger(), nullable=False),
        sa.Column("positions", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("min_altitude_ft", sa.Integer()),
        sa.Column("max_altitude_ft", sa.Integer()),
        sa.Column("max_speed_kt", sa.Double()),
        sa.Column("distance_nm", sa.Double(), nullable=False),
        sa.Column("min_distance_nm", sa.Double()),
        sa.Column("max_distance_nm", sa.Double()),
        sa.Column("first_lat", sa.Double()),
        sa.Column("first_lon", sa.Double()),
        sa.Column("last_lat", sa.Double()),
        sa.Column("last_lon", sa.Double()),
    )
    op.create_index("ix_history_flights_first_seen_at_id", "history_flights", ["first_seen_at", "id"])
    for column in ("icao_hex", "callsign", "registration", "aircraft_type"):
        op.create_index(f"ix_history_flights_{column}_first_seen_at", "history_flights", [column, "first_seen_at"])
    op.create_table(
        "history_chunks",
        sa.Column("id", BIG_ID, primary_key=True),
        sa.Column("slice_at", sa.BigInteger(), nullable=False),
        sa.Column("shard", sa.SmallInteger(), nullable=False),
        sa.Column("aircraft", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
    )
    op.create_index("ix_history_chunks_slice_at", "history_chunks", ["slice_at"])
    op.create_index("ix_history_chunks_shard_slice_at", "history_chunks", ["shard", "slice_at"])
    op.create_table(
        "history_tail",
        sa.Column("id", BIG_ID, primary_key=True),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("points", sa.LargeBinary(), nullable=False),
        sa.Column("ends", sa.LargeBinary(), nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        # Chunks are compressed already; PostgreSQL need not try again. Flights change while they last.
        op.execute("ALTER TABLE history_chunks ALTER COLUMN data SET STORAGE EXTERNAL")
        op.execute("ALTER TABLE history_tail ALTER COLUMN points SET STORAGE EXTERNAL")
        op.execute("ALTER TABLE history_tail ALTER COLUMN ends SET STORAGE EXTERNAL")
        op.execute("ALTER TABLE history_flights SET (fillfactor = 85)")


def downgrade() -> None:
    op.drop_table("history_tail")
    op.drop_table("history_chunks")
    op.drop_table("history_flights")
