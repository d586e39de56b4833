"""Feeders: receivers that connect to us.

Revision ID: 0032
Revises: 0031
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "feeders",
        sa.Column("id", number, nullable=False),
        sa.Column("owner_id", number, nullable=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("name_key", sa.String(64), nullable=False),
        sa.Column("uuid_hash", sa.String(64), nullable=False),
        sa.Column("uuid_start", sa.String(8), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("trusted", sa.Boolean(), nullable=False),
        sa.Column("mlat", sa.Boolean(), nullable=False),
        sa.Column("lat", sa.Double(), nullable=True),
        sa.Column("lon", sa.Double(), nullable=True),
        sa.Column("altitude_ft", sa.Integer(), nullable=True),
        sa.Column("place_privacy", sa.String(8), nullable=False),
        sa.Column("notice", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=True),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name="fk_feeders_owner_id_users", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_feeders"),
        sa.UniqueConstraint("name_key", name="uq_feeders_name_key"),
        sa.UniqueConstraint("uuid_hash", name="uq_feeders_uuid_hash"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_feeders_owner_id", "feeders", ["owner_id"])


def downgrade() -> None:
    op.drop_index("ix_feeders_owner_id", "feeders")
    op.drop_table("feeders")
