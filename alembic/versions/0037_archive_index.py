"""Where a flight is in the archive, and how many rows of a table a day had.

Revision ID: 0037
Revises: 0036
"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("first_id", "last_id", "entries"):
        op.add_column("archive_days", sa.Column(name, sa.BigInteger(), nullable=True))


def downgrade() -> None:
    for name in ("entries", "last_id", "first_id"):
        op.drop_column("archive_days", name)
