"""The full-text index of ACARS messages: words with the block of identifiers that their message is in.

So the beginnings of words are looked for among the newest messages first. PostgreSQL's index has such words alone;
SQLite gets a second one beside the words themselves.

Revision ID: 0022
Revises: 0019
"""

from alembic import op

revision = "0022"
down_revision = "0019"
branch_labels = None
depends_on = None

# See skywatch.acars.searching.matches.
BLOCK_WORDS = "to_tsvector('simple', replace(' ' || search_text, ' ', ' b' || (id >> 13) || 'x'))"
FORMER_WORDS = "to_tsvector('simple', search_text) || array_to_tsvector(ARRAY['#' || (id >> 14)])"
TOKENIZER = "tokenize='unicode61 remove_diacritics 0'"
CONTENT = "search_text, content='acars_messages', content_rowid='id'"
FILL = """
INSERT INTO acars_search_blocks(rowid, words)
SELECT id, replace(' ' || search_text, ' ', ' b' || (id >> 13) || 'x') FROM acars_messages ORDER BY id
"""
REMOVE = "INSERT INTO acars_search(acars_search, rowid, search_text) VALUES ('delete', old.id, old.search_text);"
REMOVE_BLOCKS = """
INSERT INTO acars_search_blocks(acars_search_blocks, rowid, words)
VALUES ('delete', old.id, replace(' ' || old.search_text, ' ', ' b' || (old.id >> 13) || 'x'));
"""
ADD = "INSERT INTO acars_search(rowid, search_text) VALUES (new.id, new.search_text);"
ADD_BLOCKS = """
INSERT INTO acars_search_blocks(rowid, words)
VALUES (new.id, replace(' ' || new.search_text, ' ', ' b' || (new.id >> 13) || 'x'));
"""


def upgrade() -> None:
    if op.get_bind().dialect.name != "sqlite":
        # A search looks into the index once for each block: a list of pending entries would be read as often.
        _postgresql(BLOCK_WORDS, "WITH (fastupdate = off)")
        return
    _drop_triggers()
    _make_words("")
    op.execute(f"CREATE VIRTUAL TABLE acars_search_blocks USING fts5(words, content='', {TOKENIZER})")
    op.execute(FILL)
    _make_triggers(REMOVE + REMOVE_BLOCKS, ADD + ADD_BLOCKS)


def downgrade() -> None:
    if op.get_bind().dialect.name != "sqlite":
        _postgresql(FORMER_WORDS, "")
        return
    _drop_triggers()
    op.execute("DROP TABLE acars_search_blocks")
    _make_words("prefix='1 2', ")
    _make_triggers(REMOVE, ADD)


def _postgresql(words: str, options: str) -> None:
    # The index goes with its column.
    op.execute("ALTER TABLE acars_messages DROP COLUMN words")
    op.execute(f"ALTER TABLE acars_messages ADD COLUMN words tsvector GENERATED ALWAYS AS ({words}) STORED")
    op.execute(f"CREATE INDEX ix_acars_messages_words ON acars_messages USING gin (words) {options}")


def _make_words(option: str) -> None:
    op.execute("DROP TABLE acars_search")
    op.execute(f"CREATE VIRTUAL TABLE acars_search USING fts5({CONTENT}, {option}{TOKENIZER})")
    op.execute("INSERT INTO acars_search(acars_search) VALUES ('rebuild')")


def _drop_triggers() -> None:
    for name in ("update", "delete", "insert"):
        op.execute(f"DROP TRIGGER acars_search_{name}")


def _make_triggers(removed: str, added: str) -> None:
    op.execute(f"CREATE TRIGGER acars_search_insert AFTER INSERT ON acars_messages BEGIN {added} END")
    op.execute(f"CREATE TRIGGER acars_search_delete AFTER DELETE ON acars_messages BEGIN {removed} END")
    op.execute(
        "CREATE TRIGGER acars_search_update AFTER UPDATE OF search_text ON acars_messages "
        f"WHEN old.search_text IS NOT new.search_text BEGIN {removed} {added} END"
    )
