"""``POST setup``: the first administrator, created with the one-time password that a link carries."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import sqlalchemy as sa

from skywatch.accounts.changes import begin_change
from skywatch.accounts.defaults import install
from skywatch.accounts.models import User
from skywatch.accounts.setup import service
from skywatch.accounts.users.schemas import UserCreateFields
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Actor

OWN = "nine quiet miles over Bern"
ELSEWHERE = {"REMOTE_ADDR": "203.0.113.9", "HTTP_X_FORWARDED_FOR": "198.51.100.7"}


@pytest.fixture
def api(make_client, monkeypatch):
    monkeypatch.setattr("skywatch.accounts.first_user.KEPT_S", 0.0)
    client = make_client(auth_mode="hybrid", default_throttle_rates__login="1000/minute")
    with writing(client.runtime.sessions) as session:
        begin_change(session)
        install(session)
    return client


@pytest.fixture
def password(api):
    with writing(api.runtime.sessions) as session:
        return service.issue_password(session)


def set_up(api, token, status=201, **fields):
    body = {"token": token, "username": "ada", "password": OWN, **fields}
    return api.post_json("/api/v1/setup", body, extra_environ=ELSEWHERE, status=status)


def log_in(api, password, status):
    return api.post_json("/api/v1/auth/login", {"username": "ada", "password": password}, status=status)


def test_whoever_has_the_link_creates_the_administrator_once(api, password):
    assert api.get("/api/v1/auth/config").json["setup_required"] is True
    log_in(api, password, 401)
    user = set_up(api, password).json["user"]
    assert (user["username"], user["roles"]) == ("ada", ["superadmin"])
    log_in(api, OWN, 200)
    log_in(api, password, 401)
    assert api.get("/api/v1/auth/config").json["setup_required"] is False
    assert set_up(api, password, 409, username="eve").json["code"] == "conflict"


def test_a_refused_administrator_does_not_use_the_password_up(api, password):
    assert set_up(api, password, 400, password="short").json["errors"][0]["name"] == "password"
    assert set_up(api, password, 400, role="admin").json["errors"][0]["name"] == "role"
    # As it is typed from a screen.
    set_up(api, f" {password.upper()} ")


def test_wrong_passwords_are_recorded_and_ten_void_the_right_one(api, password):
    for _ in range(service.MAX_WRONG_TRIES):
        refused = set_up(api, "guess", 401)
    assert refused.json["code"] == "token_invalid"
    assert "skywatch setup-link" in refused.json["detail"]
    set_up(api, password, 401)
    with api.runtime.sessions() as session:
        entries = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "login.failed")).all()
        assert session.scalars(sa.select(User)).all() == []
    assert [entry.after["tries"] for entry in entries] == list(range(1, 12))
    assert {entry.after["reason"] for entry in entries} == {"setup_password"}
    with writing(api.runtime.sessions) as session:
        newer = service.renew_password(session)
    set_up(api, newer)


def test_without_a_password_that_was_issued_nothing_is_created(api):
    set_up(api, "guess", 401)


def test_a_newer_link_voids_the_older(api, password):
    with writing(api.runtime.sessions) as session:
        newer = service.renew_password(session)
    set_up(api, password, 401)
    set_up(api, newer)


def test_without_local_logins_there_is_no_set_up(make_client):
    api = make_client(auth_mode="hybrid", local_auth_enabled="false")
    assert api.get("/api/v1/auth/config").json["setup_required"] is False
    assert set_up(api, "guess", 403).json["code"] == "local_auth_disabled"


def test_tries_are_limited_like_logins(make_client):
    api = make_client(auth_mode="hybrid", default_throttle_rates__login="5/minute")
    for _ in range(5):
        set_up(api, "guess", 401)
    set_up(api, "guess", 429)


def test_of_two_who_come_at_once_one_is_the_administrator(make_runtime, database_url, monkeypatch):
    runtime = make_runtime(database_url=database_url)
    with writing(runtime.sessions) as session:
        begin_change(session)
        install(session)
        password = service.issue_password(session)
    looked, both = service.has_user, threading.Barrier(2)

    def has_user(session):
        found = looked(session)
        # Where the second one may look before the first has created the user, both see none.
        with suppress(threading.BrokenBarrierError):
            both.wait(0.5)
        return found

    monkeypatch.setattr(service, "has_user", has_user)

    def create(name):
        actor = Actor("nobody", "anonymous")
        fields = UserCreateFields(username=name, email=f"{name}@example.org", password=OWN)
        try:
            return service.create_first_administrator(
                runtime.sessions, actor, password, fields, lambda session, user: user.username
            )
        except Problem as problem:
            return str(problem).partition(":")[0]

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(create, ("ada", "ben")))
    assert sorted(answers)[-1] == "conflict"
    with runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(User)) == 1
