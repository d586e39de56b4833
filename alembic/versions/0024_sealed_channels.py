"""Room for addresses and secrets of channels that are encrypted; `skywatch init` encrypts those that are there.

Revision ID: 0024
Revises: 0023
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

TABLE, COLUMNS = "notify_channels", ("secret", "previous_secret")


def upgrade() -> None:
    _change(sa.Text())


def downgrade() -> None:
    # The version before cannot read what is encrypted: such channels need a new address and secret.
    for column in ("address", *COLUMNS):
        table = sa.table(TABLE, sa.column(column))
        op.execute(sa.update(table).where(table.c[column].like("gAAAAA%")).values({column: ""}))
    _change(sa.String(120))


def _change(type_: sa.types.TypeEngine[str]) -> None:
    for column in COLUMNS:
        if op.get_bind().dialect.name != "sqlite":
            op.alter_column(TABLE, column, type_=type_)
            continue
        # SQLite changes no type, and to make the table anew would delete what refers to it.
        op.add_column(TABLE, sa.Column("changed", type_, nullable=False, server_default=""))
        table = sa.table(TABLE, sa.column("changed"), sa.column(column))
        op.execute(sa.update(table).values(changed=table.c[column]))
        op.drop_column(TABLE, column)
        op.execute(f"ALTER TABLE {TABLE} RENAME COLUMN changed TO {column}")
