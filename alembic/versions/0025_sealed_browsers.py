"""Room for secrets of browsers that are encrypted; `skywatch init` encrypts those that are there.

Revision ID: 0025
Revises: 0024
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

BROWSERS, KEYS = "notify_browsers", "notify_keys"
SEALED = "gAAAAA%"


def upgrade() -> None:
    _change(sa.Text())


def downgrade() -> None:
    # The version before cannot read what is encrypted: browsers subscribe again, with a new key of the installation.
    for table, column in ((BROWSERS, "endpoint"), (BROWSERS, "auth_secret"), (KEYS, "private_key")):
        rows = sa.table(table, sa.column(column))
        op.execute(sa.delete(rows).where(rows.c[column].like(SEALED)))
    _change(sa.String(40))


def _change(type_: sa.types.TypeEngine[str]) -> None:
    if op.get_bind().dialect.name != "sqlite":
        op.alter_column(BROWSERS, "auth_secret", type_=type_)
        return
    # SQLite changes no type, and to make the table anew would delete what refers to it.
    op.add_column(BROWSERS, sa.Column("changed", type_, nullable=False, server_default=""))
    table = sa.table(BROWSERS, sa.column("changed"), sa.column("auth_secret"))
    op.execute(sa.update(table).values(changed=table.c.auth_secret))
    op.drop_column(BROWSERS, "auth_secret")
    op.execute(f"ALTER TABLE {BROWSERS} RENAME COLUMN changed TO auth_secret")
