"""PostgreSQL falls silent, or takes nothing more: what callers see, and that all is well by itself afterwards."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.core.database import postgresql
from skywatch.core.database.engine import create_engine
from skywatch.core.runtime import runtime_of
from skywatch.picture.state.sky import empty_sky
from tests.accounts import Population
from tests.relay import Relay
from tests.servers import POSTGRESQL_URL
from tests.skies import NOW, show
from tests.waiting import PATIENCE_S, until

LIVE, STORED, PROBE = "/api/v1/aircraft", "/api/v1/history/flights", "/api/v1/system/health?probe=live"


@pytest.fixture
def relay(postgresql_url: str) -> Iterator[Relay]:
    url = sa.make_url(postgresql_url)
    relay = Relay((url.host or "127.0.0.1", url.port or 5432))
    relay.url = url.set(host="127.0.0.1", port=relay.port).render_as_string(hide_password=False)  # type: ignore[attr-defined]
    yield relay
    relay.close()


def ask(server: Any, path: str, headers: dict[str, str] | None = None, body: Any = None) -> tuple[int, Any, Any]:
    """The status, headers and document of an answer."""
    data = json.dumps(body).encode() if body is not None else None
    sent = {"Content-Type": "application/json", **(headers or {})} if data else headers or {}
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", data, sent)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return answer.status, answer.headers, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.load(error)


def test_a_silent_server_holds_up_neither_the_probe_nor_the_picture_and_comes_back(
    serve: Any, make_runtime: Any, relay: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody gives up before the probe is answered, however busy the machine is.
    monkeypatch.setattr(postgresql, "SILENCE_S", 3600.0)
    people = Population(make_runtime(database_url=relay.url))
    ada = people.bearer(people.user("ada", "viewer"))
    server = serve(database_url=relay.url, auth_mode="hybrid", api_threads=4)
    show(runtime_of(server.application.registry), replace(empty_sky(NOW, "first tick"), seq=1))
    ask(server, LIVE, ada)
    # The first look at the version of accounts empties the memory.
    until(lambda: runtime_of(server.application.registry).shared(Authenticator).cache._checked_at > 0)
    until(lambda: ask(server, STORED, ada)[0] == 200 and ask(server, LIVE, ada)[0] == 200)
    relay.fall_silent()
    # More than there are workers, each on a connection that is dead.
    answers: list[tuple[int, Any, Any]] = []
    threads = [threading.Thread(target=lambda: answers.append(ask(server, STORED, ada))) for _ in range(8)]
    for thread in threads:
        thread.start()
    assert ask(server, PROBE)[0] == 200
    assert any(thread.is_alive() for thread in threads)  # the probe did not wait for them
    monkeypatch.setattr(postgresql, "SILENCE_S", 1.0)
    for thread in threads:
        thread.join(PATIENCE_S)
    assert {status for status, _, _ in answers} == {503}
    assert all(headers["Retry-After"] for _, headers, _ in answers)
    assert ask(server, LIVE, ada)[0] == 200
    relay.speak()
    until(lambda: ask(server, STORED, ada)[0] == 200, "the end of the outage")


def test_a_statement_that_goes_on_is_waited_for_and_one_beyond_the_limit_is_not(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "SILENCE_S", 0.4)
    engine = create_engine(postgresql_url, timeout_s=PATIENCE_S)
    with engine.connect() as connection:
        # Several times as long as the silence after which the server is tried.
        connection.execute(sa.text("SELECT pg_sleep(1.5)"))
    engine.dispose()
    engine = create_engine(postgresql_url, timeout_s=1)
    with engine.connect() as connection, pytest.raises(sa.exc.OperationalError, match="statement timeout"):
        connection.execute(sa.text("SELECT pg_sleep(60)"))
    engine.dispose()


def test_while_nobody_is_reached_one_tries_and_the_others_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "PAUSE_S", 3600.0)
    engine, attempts = create_engine("postgresql+psycopg://x@127.0.0.1:1/x"), []
    connect = postgresql.WatchedConnection.connect
    monkeypatch.setattr(postgresql.WatchedConnection, "connect", lambda **kw: attempts.append(kw) or connect(**kw))
    for _ in range(5):
        with pytest.raises(sa.exc.OperationalError), engine.connect():
            pass
    assert len(attempts) == 1
    assert {"tcp_user_timeout", "keepalives", "connect_timeout"} <= set(attempts[0])


def test_of_several_servers_the_one_that_writes_is_chosen() -> None:
    several = sa.make_url("postgresql+psycopg://u@/x?host=one:5432&host=two:5432")
    assert postgresql.arguments(several.query)["target_session_attrs"] == "read-write"
    named = sa.make_url("postgresql+psycopg://u@/x?host=one,two&target_session_attrs=any&connect_timeout=9")
    assert not {"target_session_attrs", "connect_timeout"} & set(postgresql.arguments(named.query))
    assert "target_session_attrs" not in postgresql.arguments(sa.make_url("postgresql+psycopg://u@one/x").query)


def test_a_read_only_database_is_503_and_the_next_connection_writes_again(
    serve: Any, make_runtime: Any, postgresql_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    runtime = make_runtime(database_url=postgresql_url)
    people = Population(runtime)
    ada = people.bearer(people.user("ada", "superadmin"))
    server = serve(database_url=postgresql_url, auth_mode="hybrid")
    until(lambda: ask(server, STORED, ada)[0] == 200)
    name = sa.make_url(postgresql_url).database
    admin = sa.create_engine(POSTGRESQL_URL, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)

    def set_read_only(value: str) -> None:
        with admin.connect() as connection:
            connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = {value}')

    set_read_only("on")
    runtime.engine.dispose()
    server_engine = runtime_of(server.application.registry).engine
    server_engine.dispose()
    caplog.clear()
    for _ in range(30):
        status, headers, problem = ask(server, "/api/v1/auth/api-keys", ada, {"name": "k", "scopes": ["aircraft"]})
        assert (status, problem["code"]) == (503, "unavailable"), problem
        assert headers["Retry-After"]
    assert ask(server, STORED, ada)[0] == 200  # what only reads is answered
    assert "Traceback" not in caplog.text
    assert len([r for r in caplog.records if r.levelname in ("WARNING", "ERROR")]) <= 6, caplog.text
    set_read_only("off")
    # No connection is thrown away by hand here: the refusal has to do it.
    until(lambda: ask(server, "/api/v1/auth/api-keys", ada, {"name": "k", "scopes": ["aircraft"]})[0] == 201)


def test_a_connection_that_died_alone_is_given_up_though_the_server_answers(
    relay: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "SILENCE_S", 0.2)
    engine = create_engine(relay.url, timeout_s=3600)
    with engine.connect() as connection:
        connection.execute(sa.text("SELECT 1"))
        relay.fall_silent()
        relay.speak()
        with pytest.raises(sa.exc.OperationalError, match="does nothing for it"):
            connection.execute(sa.text("SELECT 1"))
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT 1")).scalar() == 1
    engine.dispose()
