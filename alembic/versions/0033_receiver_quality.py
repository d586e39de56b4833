"""Quality of reception: a packed row for each receiver and hour.

Revision ID: 0033
Revises: 0032
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "receiver_quality",
        sa.Column("receiver", sa.String(80), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("feeder_id", number, nullable=True),
        sa.Column("summary", sa.LargeBinary(), nullable=False),
        sa.Column("detail", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["feeder_id"], ["feeders.id"], name="fk_receiver_quality_feeder_id_feeders", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("receiver", "at", name="pk_receiver_quality"),
    )
    op.create_index("ix_receiver_quality_at", "receiver_quality", ["at"])
    op.create_index("ix_receiver_quality_feeder_id", "receiver_quality", ["feeder_id"])


def downgrade() -> None:
    op.drop_index("ix_receiver_quality_feeder_id", "receiver_quality")
    op.drop_index("ix_receiver_quality_at", "receiver_quality")
    op.drop_table("receiver_quality")
