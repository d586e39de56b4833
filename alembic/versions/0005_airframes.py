"""Airframes from imported databases.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "airframes",
        sa.Column("icao_hex", sa.String(6), primary_key=True),
        sa.Column("source", sa.String(16), primary_key=True),
        sa.Column("registration", sa.String(20), nullable=False),
        sa.Column("type_code", sa.String(8), nullable=False),
        sa.Column("type_name", sa.String(120), nullable=False),
        sa.Column("operator", sa.String(120), nullable=False),
        sa.Column("owner", sa.String(120), nullable=False),
        sa.Column("year", sa.SmallInteger(), nullable=False),
        sa.Column("flags", sa.SmallInteger(), nullable=False),
        # The key is the whole access path; a second copy of it would double the file.
        sqlite_with_rowid=False,
    )
    op.create_table(
        "airframe_imports",
        sa.Column("source", sa.String(16), primary_key=True),
        sa.Column("imported_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("aircraft", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("airframe_imports")
    op.drop_table("airframes")
