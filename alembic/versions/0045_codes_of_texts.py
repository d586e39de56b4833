"""The codes and the parameters of stored texts, from which each language is worded.

Revision ID: 0045
Revises: 0044
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

TABLES = ("health_changes", "safety_events", "cannonball_alerts", "alerts")
WORDS = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("words", WORDS, nullable=True))


def downgrade() -> None:
    for table in TABLES:
        op.drop_column(table, "words")
