"""Firsts and records: what was seen first, the best of each day, each day's counts, and up to where they are counted.

Revision ID: 0049
Revises: 0048
"""

import sqlalchemy as sa
from alembic import op

from skywatch.core.database.columns import Moment
from skywatch.core.database.engine import JSONDocument

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

BY_TIME = ["kind", "first_at", "icao_hex", "military", "simulated"]
BY_KEY = ["kind", "key", "first_at", "icao_hex", "military", "simulated", "is_open"]


def upgrade() -> None:
    op.create_table(
        "first_sightings",
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("key", sa.String(8), nullable=False),
        sa.Column("icao_hex", sa.String(7), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("first_at", Moment(), nullable=False),
        sa.Column("last_at", Moment(), nullable=True),
        sa.Column("flights", sa.Integer(), nullable=False),
        sa.Column("callsign", sa.String(8), nullable=True),
        sa.Column("flight_id", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.String(128), nullable=True),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "key", "icao_hex", "simulated", name="pk_first_sightings"),
    )
    op.create_index("ix_first_sightings_kind_first_at", "first_sightings", BY_TIME)
    op.create_index("ix_first_sightings_kind_key", "first_sightings", BY_KEY)
    op.create_index("ix_first_sightings_icao_hex", "first_sightings", ["icao_hex"])
    op.create_table(
        "first_records",
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("icao_hex", sa.String(7), nullable=False),
        sa.Column("callsign", sa.String(8), nullable=True),
        sa.Column("aircraft_type", sa.String(4), nullable=True),
        sa.Column("flight_id", sa.BigInteger(), nullable=True),
        sa.Column("receiver", sa.String(64), nullable=True),
        sa.Column("source", sa.String(16), nullable=True),
        sa.PrimaryKeyConstraint("name", "day", "simulated", "military", name="pk_first_records"),
    )
    op.create_table(
        "first_days",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("flights", sa.Integer(), nullable=False),
        sa.Column("airframes", sa.Integer(), nullable=False),
        sa.Column("first_at", Moment(), nullable=False),
        sa.Column("last_at", Moment(), nullable=False),
        sa.Column("hour_at", Moment(), nullable=False),
        sa.Column("hour_flights", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("day", "simulated", "military", name="pk_first_days"),
    )
    op.create_table(
        "first_open_flights",
        sa.Column("flight_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("is_missing", sa.Boolean(), nullable=False),
        sa.Column("since", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("flight_id", name="pk_first_open_flights"),
    )
    op.create_table(
        "history_flight_numbers",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("highest", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_history_flight_numbers"),
    )
    op.create_table(
        "first_state",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("flight_id", sa.BigInteger(), nullable=False),
        sa.Column("military_revision", sa.BigInteger(), nullable=False),
        sa.Column("zone", sa.String(64), nullable=False),
        sa.Column("dirty", JSONDocument, nullable=False),
        sa.Column("summary_from", sa.Date(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_first_state"),
    )


def downgrade() -> None:
    op.drop_table("history_flight_numbers")
    for table in ("first_state", "first_open_flights", "first_days", "first_records", "first_sightings"):
        op.drop_table(table)
