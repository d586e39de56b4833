"""Whether users wrote their e-mail address themselves: such an address proves nothing about whose it is.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Not in batch mode: it would make the table anew on SQLite, and numbers of deleted users would be used again.
    op.add_column("users", sa.Column("email_self_given", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("users", "email_self_given")
