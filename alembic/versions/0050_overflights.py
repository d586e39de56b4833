"""Overflights: an index of low tracks, the local pressure by hour, reports with editions, elevations of geofences.

Revision ID: 0050
Revises: 0049
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "airport_corrections",
        sa.Column("lat", sa.SmallInteger(), nullable=False, autoincrement=False),
        sa.Column("lon", sa.SmallInteger(), nullable=False, autoincrement=False),
        sa.Column("at", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("correction_ft", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("lat", "lon", "at", name=op.f("pk_airport_corrections")),
    )
    op.create_index("ix_airport_corrections_at", "airport_corrections", ["at"])
    op.create_table(
        "overflight_tiles",
        sa.Column("tile", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("block_at", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tile", "block_at", name=op.f("pk_overflight_tiles")),
    )
    op.create_index("ix_overflight_tiles_block_at", "overflight_tiles", ["block_at"])
    op.create_table(
        "overflight_index",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("chunk_id", sa.BigInteger(), nullable=False),
        sa.Column("slice_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_overflight_index")),
    )
    op.create_table(
        "overflight_reports",
        sa.Column("id", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("geofence_id", ID, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("below_ft", sa.Integer(), nullable=False),
        sa.Column("over", sa.String(8), nullable=False),
        sa.Column("every", sa.String(8), nullable=False),
        sa.Column("channels", JSON, nullable=False),
        sa.Column("done_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_overflight_reports_user_id_users"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["geofence_id"],
            ["alert_geofences.id"],
            name=op.f("fk_overflight_reports_geofence_id_alert_geofences"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_overflight_reports")),
        sqlite_autoincrement=True,
    )
    for column in ("user_id", "geofence_id"):
        op.create_index(f"ix_overflight_reports_{column}", "overflight_reports", [column])
    op.create_table(
        "overflight_editions",
        sa.Column("id", ID, nullable=False),
        sa.Column("report_id", ID, nullable=False),
        sa.Column("begin_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("end_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("night", sa.Integer(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["report_id"],
            ["overflight_reports.id"],
            name=op.f("fk_overflight_editions_report_id_overflight_reports"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_overflight_editions")),
        sa.UniqueConstraint("report_id", "end_at", name=op.f("uq_overflight_editions_report_id_end_at")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_overflight_editions_made_at", "overflight_editions", ["made_at"])
    op.add_column("alert_geofences", sa.Column("elevation_ft", sa.Double(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("alert_geofences") as table:
        table.drop_column("elevation_ft")
    op.drop_table("overflight_editions")
    op.drop_table("overflight_reports")
    op.drop_table("overflight_index")
    op.drop_table("overflight_tiles")
    op.drop_table("airport_corrections")
