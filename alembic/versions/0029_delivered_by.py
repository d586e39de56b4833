"""What delivered an alert of Cannonball to its user, and when.

Revision ID: 0029
Revises: 0028
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

json_document = sa.JSON().with_variant(JSONB(), "postgresql")
TABLE, COLUMN = "cannonball_alerts", "delivered_by"


def upgrade() -> None:
    # The default serves the version before, which writes alerts without the column. Not in batch mode: that would
    # rebuild the table on SQLite, and ids of deleted alerts would be given again.
    op.add_column(TABLE, sa.Column(COLUMN, json_document, nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column(TABLE, COLUMN)
