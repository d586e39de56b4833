"""The codes with which a session of the console goes on in the web application.

Revision ID: 0030
Revises: 0029
"""

import sqlalchemy as sa
from alembic import op

from skywatch.core.database.engine import UTCDateTime

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

TABLE = "handover_codes"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("code_hash", sa.String(64), nullable=False),
        sa.Column("browser_hash", sa.String(64), nullable=False),
        sa.Column("login_id", sa.String(32), nullable=False),
        sa.Column("expires_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["login_id"], ["logins.id"], name="fk_handover_codes_login_id_logins", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("code_hash", name="pk_handover_codes"),
    )
    op.create_index("ix_handover_codes_login_id", TABLE, ["login_id"])
    op.create_index("ix_handover_codes_expires_at", TABLE, ["expires_at"])


def downgrade() -> None:
    op.drop_table(TABLE)
