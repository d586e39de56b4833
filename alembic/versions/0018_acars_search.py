"""The full-text index of ACARS messages: the newest first, and short beginnings of words.

PostgreSQL's index gets, beside the words, the block of identifiers that a message is in, so that a search may ask for
the newest messages alone. SQLite's is read in the order of identifiers anyway; it gets an index of short beginnings.

Revision ID: 0018
Revises: 0017
"""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

WORDS = "to_tsvector('simple', search_text)"
# See skywatch.acars.searching.matches.
BLOCK = "array_to_tsvector(ARRAY['#' || (id >> 14)])"


def upgrade() -> None:
    _make("prefix='1 2', ", f"{WORDS} || {BLOCK}")


def downgrade() -> None:
    _make("", WORDS)


def _make(option: str, words: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE acars_search")
        op.execute(
            "CREATE VIRTUAL TABLE acars_search USING fts5(search_text, content='acars_messages', content_rowid='id', "
            f"{option}tokenize='unicode61 remove_diacritics 0')"
        )
        op.execute("INSERT INTO acars_search(acars_search) VALUES ('rebuild')")
        return
    # The index goes with its column.
    op.execute("ALTER TABLE acars_messages DROP COLUMN words")
    op.execute(f"ALTER TABLE acars_messages ADD COLUMN words tsvector GENERATED ALWAYS AS ({words}) STORED")
    op.execute("CREATE INDEX ix_acars_messages_words ON acars_messages USING gin (words)")
