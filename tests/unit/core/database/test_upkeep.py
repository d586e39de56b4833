"""What an earlier version stored as plain text is encrypted, and no page of the database keeps a readable copy."""

import asyncio
import dataclasses
from pathlib import Path

import pytest
import sqlalchemy as sa

from skywatch.cli.init import encrypt_stored
from skywatch.core.database.columns import is_sealed, seal_columns
from skywatch.core.database.engine import create_engine, writing
from skywatch.core.problems import Problem
from skywatch.notify.models import BrowserSubscription, InstallationKey
from skywatch.notify.push.browsers import browser_answer
from skywatch.notify.push.vapid import install, load_key
from skywatch.notify.senders.all import create_sender
from skywatch.notify.senders.base import Recipient, SendFailed
from tests.accounts import Population

ENDPOINT = "https://push.example.org/send/token-of-a-browser-4711"
SECRET = "c2VjcmV0LW9mLWEtYnJvd3Nlcg"
INSERT = """INSERT INTO notify_browsers (user_id, name, endpoint, endpoint_hash, public_key, auth_secret, created_at)
    VALUES (:user, 'phone', :endpoint, 'hash', 'public', :secret, '2026-01-01 00:00:00')"""
STORED = "SELECT endpoint, auth_secret FROM notify_browsers"


@pytest.fixture
def runtime(make_runtime, database_url):
    """An installation with a browser that an earlier version stored."""
    runtime = make_runtime(database_url=database_url)
    user = Population(runtime).user("ada", "viewer")
    with runtime.engine.begin() as connection:
        connection.execute(sa.text(INSERT), {"endpoint": ENDPOINT, "secret": SECRET, "user": user})
    return runtime


def stored(runtime):
    with runtime.engine.connect() as connection:
        return list(connection.execute(sa.text(STORED)).one())


def encrypt(runtime, **changes):
    encrypt_stored(runtime.engine, runtime.sessions, dataclasses.replace(runtime.settings, **changes))


def test_subscriptions_are_encrypted_and_still_read(runtime):
    encrypt(runtime)
    assert all(is_sealed(text) for text in stored(runtime))
    with runtime.sessions() as session:
        browser = session.scalars(sa.select(BrowserSubscription)).one()
        assert (browser.endpoint, browser.auth_secret) == (ENDPOINT, SECRET)


def test_what_is_encrypted_is_not_encrypted_or_rewritten_again(runtime, capsys):
    encrypt(runtime)
    before = stored(runtime)
    assert "notify_browsers" in capsys.readouterr().out
    encrypt(runtime)
    assert stored(runtime) == before
    assert capsys.readouterr().out == ""


def test_no_file_of_sqlite_keeps_a_readable_copy(make_runtime, sqlite_url):
    runtime = make_runtime(database_url=sqlite_url)
    user = Population(runtime).user("ada", "viewer")
    with runtime.engine.begin() as connection:
        for number in range(200):
            values = {"endpoint": f"{ENDPOINT}/{number}", "secret": SECRET, "user": user}
            connection.execute(sa.text(INSERT.replace("'hash'", f"'{number}'")), values)
    # What was deleted lies in free pages.
    with runtime.engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM notify_browsers WHERE id > 1"))
    path = Path(sa.make_url(sqlite_url).database)

    def copies():
        return sum(file.read_bytes().count(b"token-of-a-browser") for file in path.parent.glob(f"{path.name}*"))

    assert copies() > 1
    encrypt(runtime)
    assert copies() == 0


def test_without_a_secret_nothing_is_rewritten_and_init_says_so(runtime, capsys):
    encrypt(runtime, secret="")
    assert stored(runtime) == [ENDPOINT, SECRET]
    assert "Setting secret is not set" in capsys.readouterr().err


def test_an_engine_that_was_given_no_secret_writes_nothing_to_encrypted_columns(database_url):
    engine = create_engine(database_url)
    statement = sa.insert(InstallationKey).values(name="other", private_key="plain")
    with engine.begin() as connection, pytest.raises(sa.exc.StatementError, match="seal_columns was not called"):
        connection.execute(statement)
    engine.dispose()


def test_another_secret_leaves_the_key_and_says_what_is_wrong(runtime):
    encrypt(runtime)
    with writing(runtime.sessions) as session:
        install(session)
    before = load_key(runtime.sessions).public
    seal_columns(runtime.engine, "another secret of the installation 0123456789")
    with runtime.sessions() as session:
        assert browser_answer(session.scalars(sa.select(BrowserSubscription)).one())["service"] == ""
    with pytest.raises(Problem, match="another secret"):
        load_key(runtime.sessions)
    recipient = Recipient(1, 1, "web_push", "", ())
    with pytest.raises(SendFailed, match="another secret") as raised:
        asyncio.run(create_sender(runtime, "web_push").send(recipient, None))
    assert raised.value.ours
    seal_columns(runtime.engine, runtime.settings.secret)
    assert load_key(runtime.sessions).public == before
