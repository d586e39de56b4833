"""Connections of receivers and feeders: when each began and ended.

Revision ID: 0034
Revises: 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "receiver_connections",
        sa.Column("receiver", sa.String(80), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("feeder_id", number, nullable=True),
        sa.ForeignKeyConstraint(
            ["feeder_id"], ["feeders.id"], name="fk_receiver_connections_feeder_id_feeders", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("receiver", "since", name="pk_receiver_connections"),
    )
    op.create_index("ix_receiver_connections_until", "receiver_connections", ["until"])
    op.create_index("ix_receiver_connections_feeder_id", "receiver_connections", ["feeder_id"])


def downgrade() -> None:
    op.drop_index("ix_receiver_connections_feeder_id", "receiver_connections")
    op.drop_index("ix_receiver_connections_until", "receiver_connections")
    op.drop_table("receiver_connections")
