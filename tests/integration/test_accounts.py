"""Accounts in real processes: an ended login stops everywhere, and a power cut leaves no token both used and usable."""

from __future__ import annotations

import http.client
import json
import secrets
import threading
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa

from skywatch.accounts.authenticator import Authenticator
from skywatch.accounts.changes import begin_change
from skywatch.accounts.models import Login
from skywatch.core.bus.redis import RedisBus
from skywatch.core.clock import utcnow
from skywatch.core.db import create_engine, create_session_factory, writing
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from tests.accounts import PASSWORD, Population
from tests.processes import Service, run_command
from tests.servers import REDIS_URL, require
from tests.unit.core.bus.test_redis import Relay


def seconds_until_refused(authenticator, identity):
    """How long a login that has just ended is still believed; fails after 2 s."""
    began = time.monotonic()
    while not isinstance(authenticator.still_valid(identity), Problem):
        assert time.monotonic() - began < 2
        time.sleep(0.005)
    return time.monotonic() - began


@pytest.fixture
def pair(make_settings):
    """Two processes' means (in one process), with one database and one Redis, and the second one's way to Redis."""
    require(REDIS_URL, "Redis")
    relay = Relay(("127.0.0.1", urlsplit(REDIS_URL).port or 6379))
    prefix, opened = f"?prefix=skywatch-test-{secrets.token_hex(6)}", []
    for address in (REDIS_URL, f"redis://127.0.0.1:{relay.address[1]}/0"):
        settings = make_settings()
        engine = create_engine(settings.database_url)
        bus = RedisBus(address + prefix)
        opened.append(Runtime(settings, engine, create_session_factory(engine), bus))
    yield (*opened, relay)
    relay.cut()
    for runtime in opened:
        runtime.close()


def end_logins(runtime, *, announced=True):
    with writing(runtime.sessions) as session:
        begin_change(session, runtime.bus if announced else None)
        session.execute(sa.update(Login).values(ended_at=utcnow()))


@pytest.mark.parametrize("announced", [True, False])
def test_a_login_ended_in_one_process_stops_in_the_other_within_a_second(pair, announced):
    one, other, _ = pair
    people = Population(one)
    ada = people.user("ada")
    authenticator = Authenticator(other)
    identity = authenticator.identify(people.token(ada))
    time.sleep(0.2)
    end_logins(one, announced=announced)
    assert seconds_until_refused(authenticator, identity) < (0.4 if announced else 1.0)


def test_what_was_missed_while_the_bus_was_down_is_forgotten_when_it_is_back(pair, monkeypatch):
    one, other, relay = pair
    # Without the watcher, so that the bus alone has to see to it.
    monkeypatch.setattr("skywatch.accounts.cache.CHECK_EVERY_S", 3600.0)
    monkeypatch.setattr("skywatch.accounts.cache.BELIEVED_S", 3600.0)
    people = Population(one)
    ada = people.user("ada")
    authenticator = Authenticator(other)
    token = people.token(ada)
    authenticator.identify(token)
    time.sleep(0.3)
    identity = authenticator.identify(token)
    relay.cut()
    end_logins(one)
    time.sleep(0.3)
    assert not isinstance(authenticator.still_valid(identity), Problem)
    relay.mend()
    began = time.monotonic()
    while not isinstance(authenticator.still_valid(identity), Problem):
        assert time.monotonic() - began < 10
        time.sleep(0.05)


def post(port, path, body, headers=None):
    """Status and JSON of a POST; None where the service went away."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", **(headers or {})},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
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
    end = time.monotonic() + 60
    while post(service.port, "auth/refresh", {"refresh": "x"}) is None:
        assert time.monotonic() < end
        time.sleep(0.1)


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
        service.process.wait(10)
        started(service)
        # The one whose answer never came was taken or was not; if it is taken it never gives a pair again.
        first, _ = post(service.port, "auth/refresh", {"refresh": current})
        second, refusal = post(service.port, "auth/refresh", {"refresh": current})
        assert first in (200, 401)
        assert (second, refusal["code"]) == (401, "token_revoked")
        for token in used:
            assert post(service.port, "auth/refresh", {"refresh": token})[0] == 401
        service.kill()


def test_a_user_disabled_on_the_command_line_is_out_of_a_running_service_within_a_second(service):
    started(service)
    _, tokens = post(service.port, "auth/login", {"username": "ada", "password": PASSWORD})
    headers = {"Authorization": f"Bearer {tokens['access']}"}
    address = f"http://127.0.0.1:{service.port}/api/v1/auth/profile"
    assert urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10).status == 200
    assert run_command("user", "disable", str(service.ini), "ada").returncode == 0
    time.sleep(1.0)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10)
    assert json.load(refused.value)["code"] == "account_disabled"


def test_the_client_behind_a_trusted_proxy_is_who_the_proxy_says(tmp_path):
    service = Service(tmp_path, auth_mode="hybrid", trusted_proxy="127.0.0.1", receiver__demo="simulate aircraft=5")
    service.init()
    try:
        started(service)
        left = []
        for client in ("192.0.2.1", "192.0.2.2", "192.0.2.1"):
            headers = {"X-Forwarded-For": client, "X-Forwarded-Proto": "https"}
            request = urllib.request.Request(f"http://127.0.0.1:{service.port}/api/v1/auth/config", headers=headers)
            with urllib.request.urlopen(request, timeout=10) as response:
                left.append(int(response.headers["X-RateLimit-Remaining"]))
        assert left == [99, 99, 98]
    finally:
        service.kill()
