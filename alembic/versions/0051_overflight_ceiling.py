"""Up to which height tracks are in the index of low tracks; one that is lower is completed by the tracker.

Revision ID: 0051
Revises: 0050
"""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The default is what the version before indexes up to, which may still run and insert the row.
    op.add_column("overflight_index", sa.Column("ceiling_ft", sa.Integer(), nullable=False, server_default="12000"))


def downgrade() -> None:
    op.drop_column("overflight_index", "ceiling_ft")
