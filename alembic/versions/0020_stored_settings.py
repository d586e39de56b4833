"""Settings that administrators make in the console, and the changes of health.

Revision ID: 0020
Revises: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stored_settings",
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("sealed", sa.Boolean, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_by", sa.String(254), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_stored_settings"),
    )
    op.create_table(
        "health_changes",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("part", sa.String(64), nullable=False),
        sa.Column("before", sa.String(16), nullable=False),
        sa.Column("after", sa.String(16), nullable=False),
        sa.Column("reason", sa.String(500), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_health_changes"),
    )
    op.create_index("ix_health_changes_at", "health_changes", ["at"])


def downgrade() -> None:
    op.drop_table("health_changes")
    op.drop_table("stored_settings")
