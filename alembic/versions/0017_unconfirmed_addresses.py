"""Addresses that users gave themselves serve no login; ID tokens are kept sealed.

Revision ID: 0017
Revises: 0016
"""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE users SET email_key = NULL WHERE email_self_given")
    # Those of earlier versions are readable; a logout does without.
    op.execute("UPDATE external_logins SET id_token = ''")


def downgrade() -> None:
    # Of two users with one address none gets it back: only one of them may have it.
    op.execute(
        "UPDATE users SET email_key = lower(email) WHERE email_self_given AND email_key IS NULL AND email <> '' "
        "AND NOT EXISTS "
        "(SELECT 1 FROM users AS other WHERE other.id <> users.id AND lower(other.email) = lower(users.email))"
    )
