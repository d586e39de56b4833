"""Dumps of PostgreSQL that somebody has changed, databases in use, and what else there may be beside our tables."""

from __future__ import annotations

import io
import json

import pytest
import sqlalchemy as sa

from skywatch.backup.databases import contents
from skywatch.backup.databases.dump import DumpError, Rows, SequenceValue, definitions, read_data
from skywatch.core.database.engine import create_engine
from skywatch.core.database.migrations import upgrade
from tests.backups import Installation, listed_anew, read_document, refused, skywatch, write_unauthenticated
from tests.servers import postgresql_database, program

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

PLANTED = {
    "FUNCTION forget()": ("CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",),
    "TRIGGER audit_entries forget": (
        "CREATE TRIGGER forget BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION forget()",
    ),
    "VIEW everything": ("CREATE VIEW everything AS SELECT * FROM users",),
    "MATERIALIZED VIEW copied": ("CREATE MATERIALIZED VIEW copied AS SELECT 1 AS one",),
    "MATERIALIZED VIEW DATA copied": (),
    "RULE users quiet": ("CREATE RULE quiet AS ON DELETE TO users DO INSTEAD NOTHING",),
    "POLICY users blind": ("CREATE POLICY blind ON users USING (false)", "ALTER TABLE users ENABLE ROW LEVEL SECURITY"),
    "ROW SECURITY users": (),
    "TYPE mood": ("CREATE TYPE mood AS ENUM ('sad')",),
    "TABLE notes": ("CREATE TABLE notes (id INTEGER)",),
    "INDEX mine": ("CREATE INDEX mine ON users (created_at)",),
    "CONSTRAINT feeders unique_name": ("ALTER TABLE feeders ADD CONSTRAINT unique_name UNIQUE (name)",),
}
CHANGED = {
    "FUNCTION acars_search_words(bigint, text)": "CREATE OR REPLACE FUNCTION acars_search_words(id bigint, words text)"
    " RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$ BEGIN RETURN ''; END $$",
    "TABLE roles": "ALTER TABLE roles ALTER COLUMN is_system SET DEFAULT true",
    "TABLE logins": "ALTER TABLE logins ADD CONSTRAINT never CHECK (ended_at IS NULL)",
    "TABLE api_keys": "ALTER TABLE api_keys ALTER COLUMN name DROP NOT NULL",
    "INDEX ix_alerts_triggered_at": "DROP INDEX ix_alerts_triggered_at;"
    " CREATE INDEX ix_alerts_triggered_at ON alerts (triggered_at) WHERE false",
    "FK CONSTRAINT api_keys fk_api_keys_user_id_users": "ALTER TABLE api_keys"
    " DROP CONSTRAINT fk_api_keys_user_id_users,"
    " ADD CONSTRAINT fk_api_keys_user_id_users FOREIGN KEY (user_id) REFERENCES users (id)",
}  # fmt: skip
MISSING = {"INDEX ix_audit_entries_at": "DROP INDEX ix_audit_entries_at"}


def execute(url, *statements):
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def tables(url):
    engine = create_engine(url)
    with engine.connect() as connection:
        names = connection.scalars(
            sa.text("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
        ).all()
    engine.dispose()
    return names


@pytest.fixture
def here(tmp_path, migrated_postgresql):
    program("pg_dump")
    with postgresql_database(migrated_postgresql) as url:
        yield Installation(tmp_path / "here", url).fill()


@pytest.fixture
def there(tmp_path):
    with postgresql_database() as url:
        yield Installation(tmp_path / "there", url)


def restoring(target, there, *options):
    return "restore", target, there.ini, "--passphrase-file", there.passphrase, *options


def test_whatever_the_migrations_do_not_make_is_refused(here, there, tmp_path, monkeypatch):
    execute(here.url, *(statement for statements in PLANTED.values() for statement in statements))
    execute(here.url, *CHANGED.values(), *MISSING.values())
    target = tmp_path / "backup"
    here.back_up(target)
    monkeypatch.setattr(contents, "SHOWN", 100)
    expected = [
        *(f"{name} was added" for name in sorted(PLANTED)),
        *(f"{name} is missing" for name in MISSING),
        *(f"{name} was changed" for name in sorted(CHANGED)),
    ]
    for command in (restoring(target, there), ("backup", "--verify", here.ini, target)):
        line = refused(1, *command)
        assert line.rpartition(": ")[2] == ", ".join(expected)
    assert tables(there.url) == []
    assert there.recordings() == {}


def test_statement_in_a_dump_is_not_run(here, there, tmp_path):
    """The dump is one of ours but for a statement that restores a sequence."""
    target = tmp_path / "backup"
    here.back_up(target)
    path = target / "database.dump"
    data = path.read_bytes()
    old = b"SELECT pg_catalog.setval('public.users_id_seq', 1, true);"
    new = b"CREATE TABLE public.planted (id integer);".ljust(len(old))
    assert old in data
    path.write_bytes(data.replace(old, new))
    write_unauthenticated(target, listed_anew(target, read_document(target)))
    assert "something else than rows ('CREATE TABLE public.planted" in refused(
        2, *restoring(target, there, "--unauthenticated")
    )
    assert tables(there.url) == []
    assert "something else than rows" in refused(2, "backup", "--verify", target)


def test_changed_dump_is_damage(here, there, tmp_path):
    target = tmp_path / "backup"
    here.back_up(target)
    path = target / "database.dump"
    path.write_bytes(path.read_bytes().replace(b"'public.users_id_seq', 1,", b"'public.users_id_seq', 7,"))
    document = json.loads((target / "manifest.json").read_text())
    del document["checksum"]
    write_unauthenticated(target, listed_anew(target, document))
    assert "its MAC is another one" in refused(2, *restoring(target, there))
    assert tables(there.url) == []


def test_dump_of_another_release_of_postgresql_is_compared_by_names(here, there, tmp_path):
    """It may print the same definition in other words."""
    execute(here.url, "ALTER TABLE roles ALTER COLUMN is_system SET DEFAULT true")
    target = tmp_path / "backup"
    here.back_up(target)
    path = target / "database.dump"
    engine = create_engine(here.url)
    with engine.connect() as connection:
        version = connection.scalar(sa.text("SHOW server_version")).encode()
    engine.dispose()
    path.write_bytes(path.read_bytes().replace(version, b"14" + version[2:]))
    write_unauthenticated(target, listed_anew(target, read_document(target)))
    done = skywatch(*restoring(target, there, "--unauthenticated"))
    assert done.exit_code == 0, done.output
    # What the dump says of it has no effect.
    with there.session() as session:
        columns = sa.inspect(session.connection()).get_columns("roles")
        assert {column["name"]: column["default"] for column in columns}["is_system"] is None


def test_sequences_go_on_where_they_were(here, there, tmp_path):
    execute(here.url, "SELECT setval('users_id_seq', 41)")
    here.back_up(tmp_path / "backup")
    assert skywatch(*restoring(tmp_path / "backup", there)).exit_code == 0
    with there.session() as session:
        assert session.scalar(sa.text("SELECT nextval('users_id_seq')")) == 42


def test_what_else_is_in_the_database_is_no_part_of_a_backup(here, there, tmp_path):
    execute(here.url, "CREATE SCHEMA other", "CREATE TABLE other.notes (id INTEGER)")
    here.back_up(tmp_path / "backup")
    done = skywatch(*restoring(tmp_path / "backup", there))
    assert done.exit_code == 0, done.output


def test_schema_may_have_another_name(there, tmp_path):
    program("pg_dump")
    with postgresql_database() as url:
        execute(url, "CREATE SCHEMA sky")
        named = sa.make_url(url).update_query_dict({"options": "-csearch_path=sky"}).render_as_string(False)
        engine = create_engine(named)
        upgrade(engine)
        engine.dispose()
        here = Installation(tmp_path / "here", named).fill()
        here.back_up(tmp_path / "backup")
        done = skywatch(*restoring(tmp_path / "backup", there))
        assert done.exit_code == 0, done.output
    assert there.rows()["users"]


def test_schema_that_is_not_there_is_refused(here, there, tmp_path):
    here.back_up(tmp_path / "backup")
    named = sa.make_url(there.url).update_query_dict({"options": "-csearch_path=sky"}).render_as_string(False)
    line = refused(1, *restoring(tmp_path / "backup", Installation(tmp_path / "named", named)))
    assert "there is no schema to restore into" in line


def test_database_that_somebody_is_connected_to_is_refused(here, there, tmp_path):
    here.back_up(tmp_path / "backup")
    url = sa.make_url(there.url).update_query_dict({"application_name": "a service"}).render_as_string(False)
    engine = create_engine(url)
    with engine.connect():
        assert "in use by 1 sessions (a service)" in refused(1, *restoring(tmp_path / "backup", there))
        assert tables(there.url) == []
    engine.dispose()
    assert skywatch(*restoring(tmp_path / "backup", there)).exit_code == 0


# What needs no server.

HEAD = b"""--
-- PostgreSQL database dump
--

\\restrict AbC123

SET statement_timeout = 0;
SET client_encoding = 'LATIN1';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);

"""
DATA = (
    HEAD
    + b"""--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: sky
--

COPY public.users (id, "position", "a ""b"" c") FROM stdin;
1\tM\xfcller\t\\N
2\t\\\\.\tx
\\.


COPY "my schema"."t.""x" (id) FROM stdin;
\\.

SELECT pg_catalog.setval('public.users_id_seq', 2, true);
SELECT pg_catalog.setval('public."Odd_seq"', -5, false);

\\unrestrict AbC123
"""
)


def read(script):
    return [
        (part.table, part.columns, part.encoding, list(part.batches)) if isinstance(part, Rows) else part
        for part in read_data(io.BytesIO(script))
    ]


def test_rows_and_sequences_are_read():
    assert read(DATA) == [
        ("users", ["id", "position", 'a "b" c'], "LATIN1", [(b"1\tM\xfcller\t\\N\n2\t\\\\.\tx\n", 2)]),
        ('t."x', ["id"], "LATIN1", [(b"", 0)]),
        SequenceValue("users_id_seq", 2, True),
        SequenceValue("Odd_seq", -5, False),
    ]


def test_line_without_an_end_is_read_piece_by_piece():
    line = b"x" * 1_000_000
    script = b"COPY public.t (a) FROM stdin;\n" + line + b"\n\\.y\n" + b"\\.\n"
    [(_, _, _, batches)] = read(script)
    assert b"".join(data for data, _ in batches) == line + b"\n\\.y\n"
    assert sum(count for _, count in batches) == 2
    assert max(len(data) for data, _ in batches) < len(line)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE users;",
        "COPY public.users (id) FROM PROGRAM 'id';",
        "COPY public.users (id) FROM stdin; DROP TABLE users;",
        "COPY public.users FROM '/etc/passwd';",
        "SELECT pg_catalog.setval('public.users_id_seq', 1, true); DROP TABLE users;",
        "SELECT pg_catalog.setval('public.users_id_seq', (SELECT 1), true);",
        "SELECT pg_catalog.lo_create('1');",
        "SET client_encoding = 'UTF8'; DROP TABLE users;",
        "SET role = postgres; DROP TABLE users;",
        "\\! id",
        "x" * 3_000_000,
    ],
    ids=lambda statement: statement[:40],
)
def test_anything_else_in_a_script_of_rows_is_refused(statement):
    with pytest.raises(DumpError, match="something else than rows"):
        read(HEAD + statement.encode() + b"\n")


def test_script_that_ends_within_a_table_is_refused():
    with pytest.raises(DumpError, match="ends within a table"):
        read(b"COPY public.t (a) FROM stdin;\n1\n")


def entry(name, kind, schema, text=""):
    return f"--\n-- Name: {name}; Type: {kind}; Schema: {schema}; Owner: -\n--\n\n{text}\n\n\n"


def test_entries_of_other_schemas_and_of_none_are_named():
    script = "".join(
        [
            entry("alembic_version", "TABLE", "public", "CREATE TABLE public.alembic_version (\n    a text\n);"),
            entry("pg_trgm", "EXTENSION", "-", "CREATE EXTENSION pg_trgm;"),
            entry("watch", "EVENT TRIGGER", "-", "CREATE EVENT TRIGGER watch;"),
            entry("notes", "TABLE", "other", "CREATE TABLE other.notes (\n    id integer\n);"),
            entry("EXTENSION pg_trgm", "COMMENT", "-", "COMMENT ON EXTENSION pg_trgm IS '';"),
        ]
    )
    assert definitions(script) == {
        "TABLE alembic_version": "a text",
        "EXTENSION pg_trgm": None,
        "EVENT TRIGGER watch": None,
        "TABLE other.notes": "id integer",
    }
