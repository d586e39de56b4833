"""Accounts in real processes: an ended login stops everywhere, and a power cut leaves no token both used and usable."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa

from skywatch.accounts.changes import begin_change
from skywatch.accounts.identity import cache
from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.models import Login
from skywatch.core.bus import Message, topics
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_session_factory, writing
from skywatch.core.problems import Problem
from tests.accounts import PASSWORD, Population
from tests.processes import Service, run_command
from tests.servers import REDIS_URL, require
from tests.unit.core.bus.test_redis import Relay
from tests.waiting import PATIENCE_S, until


def remembered(authenticator, token):
    """The identity of a token, once it costs no query."""
    first, second = authenticator.identify(token), authenticator.identify(token)
    return first if first is second else None


def is_refused(authenticator, identity):
    return isinstance(authenticator.still_valid(identity), Problem)


@pytest.fixture
def relay():
    """A way to Redis that can be cut."""
    require(REDIS_URL, "Redis")
    relay = Relay((urlsplit(REDIS_URL).hostname or "127.0.0.1", urlsplit(REDIS_URL).port or 6379))
    yield relay
    relay.cut()


@pytest.fixture
def pair(make_runtime, redis_url, relay):
    """Two processes' means (in one process), with one database and one Redis; the second's way there is the relay."""
    prefix = urlsplit(redis_url).query
    return make_runtime(bus=redis_url), make_runtime(bus=f"redis://127.0.0.1:{relay.address[1]}/0?{prefix}")


def user_and_token(runtime):
    """The token of a new user, once the bus has sent all that is announced of the user; it sends in order."""
    people, heard = Population(runtime), threading.Event()
    token = people.token(people.user("ada"))
    last = Message(topics.IDENTITIES, "login", b"0")
    subscription = runtime.bus.subscribe([last.topic], lambda message: message.event == last.event and heard.set())
    runtime.bus.publish(last)
    assert heard.wait(PATIENCE_S)
    subscription.close()
    return token


def end_logins(runtime, *, announced=True):
    with writing(runtime.sessions if announced else create_session_factory(runtime.engine)) as session:
        begin_change(session)
        session.execute(sa.update(Login).values(ended_at=utcnow()))


@pytest.mark.parametrize("announced", [True, False])
def test_a_login_ended_in_one_process_stops_in_the_other(pair, announced, monkeypatch):
    # An ended login is to stop within a second; how soon it does depends on the machine; it is tested elsewhere.
    assert cache.CHECK_EVERY_S < 1
    if announced:
        monkeypatch.setattr(cache, "CHECK_EVERY_S", 3600.0)
        monkeypatch.setattr(cache, "BELIEVED_S", 3600.0)
    one, other = pair
    token = user_and_token(one)
    authenticator = Authenticator(other)
    identity = until(lambda: remembered(authenticator, token))
    end_logins(one, announced=announced)
    assert until(lambda: is_refused(authenticator, identity))


def test_what_was_missed_while_the_bus_was_down_is_forgotten_when_it_is_back(pair, relay, monkeypatch):
    one, other = pair
    # Without the watcher, so that the bus alone has to see to it.
    monkeypatch.setattr(cache, "CHECK_EVERY_S", 3600.0)
    monkeypatch.setattr(cache, "BELIEVED_S", 3600.0)
    token = user_and_token(one)
    authenticator = Authenticator(other)
    identity = until(lambda: remembered(authenticator, token))
    relay.cut()
    end_logins(one)
    assert not is_refused(authenticator, identity)
    relay.mend()
    assert until(lambda: is_refused(authenticator, identity))


def post(port, path, body, headers=None):
    """Status and JSON of a POST; None where the service went away."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", **(headers or {})},
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except (OSError, http.client.HTTPException):
        return None


@pytest.fixture
def service(tmp_path):
    rates = dict.fromkeys(("default_throttle_rates__login", "default_throttle_rates__refresh"), "1000000/minute")
    service = Service(
        tmp_path, auth_mode="hybrid", secret="s" * 40, receiver__demo="simulate aircraft=5", **rates
    ).init()
    added = run_command("user", "add", str(service.ini), "ada", "--password-stdin", stdin=f"{PASSWORD}\n")
    assert added.returncode == 0, added.stderr
    yield service
    if service.process is not None and service.process.poll() is None:
        service.kill()


def started(service):
    service.start(wait=False)
    until(lambda: post(service.port, "auth/refresh", {"refresh": "x"}), "the start")


def test_after_a_power_cut_a_refresh_token_is_usable_or_used(service):
    for delay_s in (0.03, 0.08):
        started(service)
        status, tokens = post(service.port, "auth/login", {"username": "ada", "password": PASSWORD})
        assert status == 200
        threading.Timer(delay_s, service.process.kill).start()
        used, current = [], tokens["refresh"]
        while True:
            answer = post(service.port, "auth/refresh", {"refresh": current})
            if answer is None:
                break
            assert answer[0] == 200
            used.append(current)
            current = answer[1]["refresh"]
        service.process.wait(PATIENCE_S)
        started(service)
        # The one whose answer never came was taken or was not; if it is taken it never gives a pair again.
        first, _ = post(service.port, "auth/refresh", {"refresh": current})
        second, refusal = post(service.port, "auth/refresh", {"refresh": current})
        assert first in (200, 401)
        assert (second, refusal["code"]) == (401, "token_revoked")
        for token in used:
            assert post(service.port, "auth/refresh", {"refresh": token})[0] == 401
        service.kill()


def test_a_user_disabled_on_the_command_line_is_out_of_a_running_service(service):
    started(service)
    _, tokens = post(service.port, "auth/login", {"username": "ada", "password": PASSWORD})
    headers = {"Authorization": f"Bearer {tokens['access']}"}
    request = urllib.request.Request(f"http://127.0.0.1:{service.port}/api/v1/auth/profile", headers=headers)
    assert urllib.request.urlopen(request, timeout=PATIENCE_S).status == 200
    assert run_command("user", "disable", str(service.ini), "ada").returncode == 0

    def refusal():
        try:
            urllib.request.urlopen(request, timeout=PATIENCE_S).close()
        except urllib.error.HTTPError as error:
            return json.load(error)["code"]

    assert until(refusal) == "account_disabled"


def test_the_client_behind_a_trusted_proxy_is_who_the_proxy_says(tmp_path):
    settings = {"auth_mode": "hybrid", "trusted_proxy": "127.0.0.1", "receiver__demo": "simulate aircraft=5"}
    service = Service(tmp_path, default_throttle_rates__anon="100/minute", **settings).init()
    try:
        started(service)
        left = []
        for client in ("192.0.2.1", "192.0.2.2", "192.0.2.1"):
            headers = {"X-Forwarded-For": client, "X-Forwarded-Proto": "https"}
            request = urllib.request.Request(f"http://127.0.0.1:{service.port}/api/v1/auth/config", headers=headers)
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
                left.append(int(response.headers["X-RateLimit-Remaining"]))
        assert left == [99, 99, 98]
    finally:
        service.kill()
