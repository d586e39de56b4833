"""How far the publisher over MQTT has come.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
DOCUMENT = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "notify_publishers",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("position", BIG_ID, nullable=False),
        sa.Column("announced", DOCUMENT, nullable=False),
        sa.Column("lease", sa.String(32)),
        sa.Column("leased_until", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("name", name="pk_notify_publishers"),
    )


def downgrade() -> None:
    op.drop_table("notify_publishers")
