"""PostgreSQL: indexes that also answer searches for the beginning of a registration or a type.

Revision ID: 0027
Revises: 0026
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

TABLE = "history_flights"
INDEXES = (["registration", "first_seen_at"], ["aircraft_type", "first_seen_at", "military"])


def upgrade() -> None:
    _create_indexes("varchar_pattern_ops")


def downgrade() -> None:
    _create_indexes(None)


def _create_indexes(operators: str | None) -> None:
    """Create the indexes anew; SQLite's serve both kinds of search as they are."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for columns in INDEXES:
        name = f"ix_{TABLE}_{'_'.join(columns)}"
        op.drop_index(name, TABLE)
        op.create_index(
            name,
            TABLE,
            columns,
            postgresql_ops={columns[0]: operators} if operators else {},
            postgresql_where=sa.text(f"{columns[0]} IS NOT NULL"),
        )
