"""What is answered while the database cannot be reached."""

import re
import shutil
import time

import pytest

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.core.bus import Message, topics
from skywatch.core.runtime import runtime_of
from skywatch.http import errors
from tests.accounts import Population
from tests.waiting import until


def takes_away(engine, folder):
    """Put a folder in the place of the database; no, where a thread has just opened it anew."""
    engine.dispose()
    for path in folder.glob("skywatch.sqlite*"):
        path.unlink(missing_ok=True)
    try:
        (folder / "skywatch.sqlite").mkdir()
    except FileExistsError:
        return False
    # What was opened in between has lost its file.
    engine.dispose()
    return True


@pytest.fixture
def api(make_client, tmp_path):
    client = make_client(auth_mode="hybrid")
    people = Population(client.runtime)
    client.headers = people.bearer(people.user("ada", "superadmin"))
    client.people, client.runtime_cache = people, runtime_of(client.app.registry).shared(Authenticator).cache
    client.get("/api/v1/aircraft", headers=client.headers)
    until(lambda: client.runtime_cache._checked_at > 0, "the first look at the version of accounts")
    for path in ("/api/v1/auth/profile", "/api/v1/aircraft"):
        client.get(path, headers=client.headers)
    client.paths = client.get("/api/v1/openapi.json").json["paths"]
    errors.outage.succeeded()
    # The folder goes, and with it every file that a connection could be opened on.
    until(lambda: takes_away(client.runtime.engine, tmp_path), "the end of the database")
    yield client
    shutil.rmtree(tmp_path / "skywatch.sqlite")


def test_the_live_picture_goes_on_for_callers_who_are_known_already(api, monkeypatch):
    until(lambda: api.runtime_cache._faults.count, "the loss of the database")
    # As if the last look at the accounts were a minute old, and then older than what the settings allow.
    for age_s, status in ((60.0, 200), (301.0, 503)):
        monkeypatch.setattr(api.runtime_cache, "_checked_at", time.monotonic() - age_s)
        for path in ("/api/v1/aircraft", "/api/v1/auth/profile"):
            assert api.get(path, headers=api.headers, status="*").status_int == status, (path, age_s)
        assert api.get("/api/v1/system/health?probe=live").json["live"] is True
    monkeypatch.setattr(api.runtime_cache, "_checked_at", time.monotonic() - 60.0)
    # Who is not known cannot be looked up; whom an announcement reaches has to be.
    stranger = api.people.codec.access_token(99, "f" * 32)
    assert api.get("/api/v1/aircraft", headers={"Authorization": f"Bearer {stranger}"}, status=503)
    api.runtime.bus.publish(Message(topics.IDENTITIES, "changed", b"{}"))
    until(lambda: api.get("/api/v1/aircraft", headers=api.headers, status="*").status_int == 503)


def test_health_answers_with_its_own_document_to_whoever_asks(api):
    database = {
        "name": "database",
        "ok": False,
        "required": True,
        "detail": "does not answer",
        "detail_code": "health.no_answer",
        "detail_params": {},
    }
    stranger = {"Authorization": f"Bearer {api.people.codec.access_token(99, 'f' * 32)}"}
    # Health looks at no credentials, not even at such as cannot be any.
    for headers in ({}, api.headers, stranger, {"Authorization": "Bearer " + "k" * 40}):
        for address in ("/api/v1/system/health", "/api/v1/system/health/"):
            answer = api.get(address, headers=headers, status=503)
            assert answer.json["status"] == "failing"
            assert database in answer.json["checks"]
            assert "Retry-After" in answer.headers
    # What is wrong without a look into the database stays wrong.
    api.get("/api/v1/system/status", headers={"Authorization": "Bearer " + "k" * 40}, status=401)
    for path in ("/api/v1/system/status", "/api/v1/auth/profile"):
        assert api.get(path, headers=stranger, status=503).json["code"] == "unavailable"


def test_what_needs_the_database_says_so_and_the_log_stays_short(api, caplog):
    for _ in range(50):
        refused = api.get("/api/v1/history/flights", headers=api.headers, status=503)
        assert refused.json["code"] == "unavailable"
        assert "Retry-After" in refused.headers
        assert "sqlite" not in refused.text.lower()
    assert errors.outage.count >= 50
    assert len([r for r in caplog.records if r.name == "skywatch.http.errors"]) <= 1
    assert "Traceback" not in caplog.text


@pytest.mark.deep("costs over a processor second")
def test_nothing_is_a_fault_of_the_service_or_half_an_answer(api):
    """Every address, by every method that needs no more to be asked: what needs the database is 503, nothing is 500."""
    found = {}
    for path, operations in api.paths.items():
        address = re.sub(r"{[^}]*(hex|icao)[^}]*}", "4b1805", path)
        address = re.sub(r"{[^}]*feature[^}]*}", "aircraft", address)
        address = re.sub(r"{[^}]*}", "1", address)
        for method in {"get", "delete"} & set(operations):
            # A stream is read to its end.
            found[f"{method} {path}"] = api.request(
                address, method=method.upper(), headers=api.headers, status="*"
            ).status_int
    assert {status for status in found.values() if status >= 500} == {503}
    assert found["get /api/v1/history/export"] == found["delete /api/v1/users/{id}"] == 503
    assert found["get /api/v1/aircraft"] == found["get /api/v1/system/status"] == 200
