"""Accounts of programs: without e-mail address, password and login, with API keys alone.

Revision ID: 0031
Revises: 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Not in batch mode: it would rebuild the table on SQLite, and numbers of deleted users would be used again.
    op.add_column("users", sa.Column("kind", sa.String(16), nullable=False, server_default="person"))


def downgrade() -> None:
    # The release before knows people alone; a program's account goes on as one without a password.
    op.execute("UPDATE users SET auth_provider = 'local' WHERE kind = 'service'")
    op.drop_column("users", "kind")
