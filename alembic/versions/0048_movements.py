"""Movements at airports, and the latest approaches to each.

Revision ID: 0048
Revises: 0047
"""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "airport_movements",
        sa.Column("id", ID, nullable=False),
        sa.Column("airport", sa.String(8), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("runway", sa.String(8), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sure", sa.Double(), nullable=False),
        sa.Column("icao_hex", sa.String(7), nullable=False),
        sa.Column("callsign", sa.String(8), nullable=True),
        sa.Column("registration", sa.String(12), nullable=True),
        sa.Column("aircraft_type", sa.String(4), nullable=True),
        sa.Column("flight_id", sa.BigInteger(), nullable=True),
        sa.Column("from_or_to", sa.String(8), nullable=True),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_airport_movements")),
        sqlite_autoincrement=True,
    )
    for columns in (["airport", "at"], ["icao_hex", "at"], ["at"]):
        op.create_index(f"ix_airport_movements_{'_'.join(columns)}", "airport_movements", columns)
    op.create_table(
        "airport_approaches",
        sa.Column("id", ID, nullable=False),
        sa.Column("airport", sa.String(8), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("icao_hex", sa.String(7), nullable=False),
        sa.Column("seen", sa.Boolean(), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_airport_approaches")),
    )
    op.create_index("ix_airport_approaches_airport_at", "airport_approaches", ["airport", "at"])


def downgrade() -> None:
    op.drop_table("airport_approaches")
    op.drop_table("airport_movements")
