"""Which matches of rules, and which alerts of Cannonball, are of aircraft that only one feeder had heard.

Revision ID: 0039
Revises: 0038
"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

TABLES, COLUMN = ("alert_matches", "cannonball_alerts"), "in_doubt"


def upgrade() -> None:
    # The default serves the version before. Not in batch mode: that would rebuild the tables on SQLite, and ids of
    # deleted alerts would be given again.
    for table in TABLES:
        op.add_column(table, sa.Column(COLUMN, sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    for table in TABLES:
        op.drop_column(table, COLUMN)
