"""What a schema says of itself: from which revision on code runs on it (``compatible_from``).

Revision ID: 0036
Revises: 0035
"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The row is written by every migration: see skywatch/core/database/migrations.py.
    op.create_table(
        "schema_properties",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("value", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_schema_properties"),
    )


def downgrade() -> None:
    op.drop_table("schema_properties")
