"""The full-text index of ACARS messages on PostgreSQL: pairs of neighbouring words beside the words.

So a phrase is looked up, where words alone had every message read that has them in any order. The index is on a
function instead of a column: nothing reads the words but the index.

Revision ID: 0023
Revises: 0022
"""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

INDEX = "CREATE INDEX ix_acars_messages_words ON acars_messages USING gin ({}) WITH (fastupdate = off)"
# Words are ASCII letters and digits (acars.searching.search.words_of). A tsvector takes 1 MB, and each of its words
# 2 kB; no search is for more than 200 characters. See also skywatch.acars.searching.matches.
FUNCTION = """
CREATE FUNCTION acars_search_words(id bigint, words text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  block CONSTANT text := id >> 13;
  word text;
  former text;
  lexemes text[] := '{}';
BEGIN
  FOREACH word IN ARRAY string_to_array(left(words, 65536), ' ') LOOP
    word := left(word, 255);
    lexemes := lexemes || (block || '.' || word);
    IF former IS NOT NULL THEN
      lexemes := lexemes || (block || ':' || former || ' ' || word);
    END IF;
    former := word;
  END LOOP;
  RETURN array_to_tsvector(lexemes);
END
$$
"""
FORMER_WORDS = "to_tsvector('simple', replace(' ' || search_text, ' ', ' b' || (id >> 13) || 'x'))"


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    # The former index goes with its column.
    op.execute("ALTER TABLE acars_messages DROP COLUMN words")
    op.execute(FUNCTION)
    op.execute(INDEX.format("acars_search_words(id, search_text)"))


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    op.execute("DROP INDEX ix_acars_messages_words")
    op.execute("DROP FUNCTION acars_search_words")
    op.execute(f"ALTER TABLE acars_messages ADD COLUMN words tsvector GENERATED ALWAYS AS ({FORMER_WORDS}) STORED")
    op.execute(INDEX.format("words"))
