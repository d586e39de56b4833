"""Links with which users give themselves a new password, and indexes for every filter of the audit log.

Revision ID: 0019
Revises: 0020
"""

import sqlalchemy as sa
from alembic import op

from skywatch.core.database.engine import UTCDateTime

revision = "0019"
down_revision = "0020"
branch_labels = None
depends_on = None

BEFORE = ("action", "actor_id")
INDEXED = (*BEFORE, "actor_name", "address", "target_id", "target_type")


def upgrade() -> None:
    op.create_table(
        "password_resets",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("created_by", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("expires_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_password_resets_user_id_users", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name="fk_password_resets_created_by_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name="pk_password_resets"),
        sa.UniqueConstraint("user_id", name="uq_password_resets_user_id"),
    )
    op.create_index("ix_password_resets_created_by", "password_resets", ["created_by"])
    for column in INDEXED:
        op.create_index(f"ix_audit_entries_{column}_at", "audit_entries", [column, "at"])
    for column in BEFORE:
        op.drop_index(f"ix_audit_entries_{column}", "audit_entries")


def downgrade() -> None:
    for column in BEFORE:
        op.create_index(f"ix_audit_entries_{column}", "audit_entries", [column])
    for column in INDEXED:
        op.drop_index(f"ix_audit_entries_{column}_at", "audit_entries")
    op.drop_table("password_resets")
