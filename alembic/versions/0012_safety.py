"""Safety events, changed thresholds, what was learnt by place, and regions of disturbed navigation signals.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WHEN = sa.DateTime(timezone=True)
DOCUMENT = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    _events()
    op.create_table(
        "safety_thresholds",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_safety_thresholds"),
    )
    op.create_table(
        "safety_places",
        sa.Column("y", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("x", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("levels", DOCUMENT, nullable=False),
        sa.Column("runway_lat", sa.Double()),
        sa.Column("runway_lon", sa.Double()),
        sa.Column("runway_visits", sa.Integer(), nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("y", "x", name="pk_safety_places"),
    )
    op.create_table(
        "safety_regions",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("region", sa.String(64), nullable=False),
        sa.Column("from_at", WHEN, nullable=False),
        sa.Column("until_at", WHEN, nullable=False),
        sa.Column("cell_deg", sa.Double(), nullable=False),
        sa.Column("cells", DOCUMENT, nullable=False),
        sa.Column("bad", sa.Integer(), nullable=False),
        sa.Column("good", sa.Integer(), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_safety_regions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_safety_regions_from_at", "safety_regions", ["from_at"])


def _events() -> None:
    op.create_table(
        "safety_events",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("key", sa.String(160), nullable=False),
        sa.Column("active_key", sa.String(200)),
        sa.Column("icao_hex", sa.String(7)),
        sa.Column("icao_hex_2", sa.String(7)),
        sa.Column("hexes", DOCUMENT, nullable=False),
        sa.Column("callsigns", DOCUMENT, nullable=False),
        sa.Column("message", sa.String(300), nullable=False),
        sa.Column("began_at", WHEN, nullable=False),
        sa.Column("last_at", WHEN, nullable=False),
        sa.Column("ended_at", WHEN),
        sa.Column("numbers", DOCUMENT, nullable=False),
        sa.Column("lat", sa.Double()),
        sa.Column("lon", sa.Double()),
        sa.Column("altitude_ft", sa.Integer()),
        sa.Column("closest", DOCUMENT),
        sa.Column("suppressed_by", DOCUMENT, nullable=False),
        sa.Column("held_back", sa.Boolean(), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("acknowledged", sa.Boolean(), nullable=False),
        sa.Column("acknowledged_by", sa.String(254)),
        sa.Column("acknowledged_at", WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_safety_events"),
        sa.UniqueConstraint("active_key", name="uq_safety_events_active_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_safety_events_began_at_id", "safety_events", ["began_at", "id"])
    op.create_index("ix_safety_events_icao_hex", "safety_events", ["icao_hex"])
    op.create_index("ix_safety_events_ended_at", "safety_events", ["ended_at"])


def downgrade() -> None:
    op.drop_table("safety_regions")
    op.drop_table("safety_places")
    op.drop_table("safety_thresholds")
    op.drop_table("safety_events")
