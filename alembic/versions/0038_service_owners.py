"""Who created a service account, which counts as its creator where people share something.

Revision ID: 0038
Revises: 0037
"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("users", sa.Column("owner_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True))
    # As far as the audit log goes back.
    op.execute(
        "UPDATE users SET owner_id = (SELECT MAX(actor_id) FROM audit_entries WHERE action = 'user.created'"
        " AND target_type = 'user' AND target_id = CAST(users.id AS VARCHAR(64))) WHERE kind = 'service'"
    )


def downgrade() -> None:
    op.drop_column("users", "owner_id")
