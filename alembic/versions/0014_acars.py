"""ACARS messages with their full-text index, positions in followed files, airframes by registration.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WHEN = sa.DateTime(timezone=True)
DOCUMENT = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    _messages()
    op.create_table(
        "acars_files",
        sa.Column("input", sa.String(64), nullable=False),
        sa.Column("position", DOCUMENT, nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("input", name="pk_acars_files"),
    )
    op.create_index("ix_airframes_registration", "airframes", ["registration"])
    if op.get_bind().dialect.name == "sqlite":
        _sqlite_search()
    else:
        op.execute(
            "ALTER TABLE acars_messages ADD COLUMN words tsvector "
            "GENERATED ALWAYS AS (to_tsvector('simple', search_text)) STORED"
        )
        op.execute("CREATE INDEX ix_acars_messages_words ON acars_messages USING gin (words)")


def _messages() -> None:
    op.create_table(
        "acars_messages",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.Column("received_at", WHEN, nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("station", sa.String(64), nullable=False),
        sa.Column("frequency_mhz", sa.Double()),
        sa.Column("level_db", sa.Double()),
        sa.Column("icao_hex", sa.String(6)),
        sa.Column("registration", sa.String(12)),
        sa.Column("flight", sa.String(8)),
        sa.Column("callsign", sa.String(8)),
        sa.Column("flight_id", sa.BigInteger()),
        sa.Column("label", sa.String(2), nullable=False),
        sa.Column("sublabel", sa.String(2)),
        sa.Column("block_id", sa.String(1)),
        sa.Column("message_number", sa.String(8)),
        sa.Column("direction", sa.String(8)),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("incomplete", sa.Boolean(), nullable=False),
        sa.Column("decoded", DOCUMENT),
        sa.Column("kind", sa.String(32)),
        sa.Column("lat", sa.Double()),
        sa.Column("lon", sa.Double()),
        sa.Column("altitude_ft", sa.Integer()),
        sa.Column("heard_by", DOCUMENT, nullable=False),
        sa.Column("repeats", sa.Integer(), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("raw", DOCUMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_acars_messages"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_acars_messages_at", "acars_messages", ["at"])
    op.create_index("ix_acars_messages_icao_hex_at", "acars_messages", ["icao_hex", "at"])
    op.create_index("ix_acars_messages_registration", "acars_messages", ["registration"])
    op.create_index("ix_acars_messages_label", "acars_messages", ["label"])


def _sqlite_search() -> None:
    op.execute(
        "CREATE VIRTUAL TABLE acars_search USING fts5("
        "search_text, content='acars_messages', content_rowid='id', tokenize='unicode61 remove_diacritics 0')"
    )
    removed = "INSERT INTO acars_search(acars_search, rowid, search_text) VALUES ('delete', old.id, old.search_text);"
    added = "INSERT INTO acars_search(rowid, search_text) VALUES (new.id, new.search_text);"
    op.execute(f"CREATE TRIGGER acars_search_insert AFTER INSERT ON acars_messages BEGIN {added} END")
    op.execute(f"CREATE TRIGGER acars_search_delete AFTER DELETE ON acars_messages BEGIN {removed} END")
    op.execute(
        "CREATE TRIGGER acars_search_update AFTER UPDATE OF search_text ON acars_messages "
        f"WHEN old.search_text IS NOT new.search_text BEGIN {removed} {added} END"
    )


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        for name in ("update", "delete", "insert"):
            op.execute(f"DROP TRIGGER acars_search_{name}")
        op.execute("DROP TABLE acars_search")
    op.drop_index("ix_airframes_registration", "airframes")
    op.drop_table("acars_files")
    op.drop_table("acars_messages")
