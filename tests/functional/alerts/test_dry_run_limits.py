"""Limits of dry runs: at once, a minute, and in time."""

from __future__ import annotations

import pytest

from skywatch.alerts.rules.trials import limits as trial_limits
from skywatch.alerts.rules.trials.limits import dry_run_limiter
from skywatch.core.process import deadline
from tests.accounts import Population
from tests.alerts import LOW, aircraft
from tests.functional.history.recorded import T, iso, record

URL = "/api/v1/alerts/rules/test"
BODY = {"rule": {"conditions": LOW}, "aircraft": [aircraft()]}
PAST = {"rule": {"conditions": LOW}, "from": iso(T + 60), "to": iso(T + 360)}


@pytest.fixture
def make(make_client, sqlite_url):
    """Makes a client with two viewers, whose ids are ``ids``; ``dry`` tries a rule out."""

    def make(**settings):
        client = make_client(database_url=sqlite_url, auth_mode="hybrid", **settings)
        population = Population(client.runtime)
        client.ids = {name: population.user(name, "viewer") for name in ("vera", "vito")}
        people = {name: population.bearer(user_id) for name, user_id in client.ids.items()}

        def dry(who="vera", status=200, body=BODY, path=URL, **kw):
            return client.post_json(path, body, headers=people[who], status=status, **kw)

        client.dry = dry
        client.dry_runs = client.runtime.shared(dry_run_limiter)
        client.dry_runs.wait_s = 0
        return client

    return make


def test_a_user_has_one_dry_run_at_a_time(make):
    client = make()
    with client.dry_runs.turn(f"user {client.ids['vera']}"):
        refused = client.dry(status=503)
        client.dry("vito")
    assert refused.json["code"] == "unavailable"
    assert refused.headers["Retry-After"] == "2"
    assert "of yours" in refused.json["detail"]
    client.dry()


def test_two_dry_runs_are_the_most_at_once(make):
    client = make()
    with client.dry_runs.turn("one"), client.dry_runs.turn("two"):
        assert "at most 2 at once" in client.dry(status=503).json["detail"]
        # Refused before the body is read.
        assert client.dry(status=503, body={"nothing": 1}).headers["Retry-After"] == "2"
        client.get("/api/v1/aircraft", status=401)
    client.dry()


def test_a_place_is_free_again_after_a_fault(make):
    client = make()
    for _ in range(3):
        client.dry(status=400, body={"rule": {"conditions": {}}})
        client.dry(status=404, path="/api/v1/alerts/rules/77/test", body={})
    client.dry()
    assert not trial_limits.calculating.locked()


def test_a_small_server_keeps_a_thread_for_others(make):
    client = make(api_threads=2)
    with client.dry_runs.turn("one"):
        assert "at most 1 at once" in client.dry(status=503).json["detail"]


def test_dry_runs_have_a_rate_limit_of_their_own(make):
    client = make(default_throttle_rates__dry_run="2/minute")
    assert [client.dry().headers["X-RateLimit-Remaining"] for _ in range(2)] == ["1", "0"]
    refused = client.dry(status=429)
    assert refused.json["code"] == "rate_limited"
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers.getall("X-RateLimit-Limit") == ["2"]
    client.dry(status=429, path="/api/v1/alerts/rules/77/test", body={})
    client.dry("vito")
    client.get("/api/v1/auth/config")


def test_anonymous_dry_runs_are_limited_by_address(make_client):
    client = make_client(auth_mode="public", default_throttle_rates__dry_run="1/minute")
    one, other = {"REMOTE_ADDR": "198.51.100.1"}, {"REMOTE_ADDR": "198.51.100.2"}
    client.post_json(URL, BODY, extra_environ=one, status=401)
    client.post_json(URL, BODY, extra_environ=one, status=429)
    client.post_json(URL, BODY, extra_environ=other, status=401)


def test_a_dry_run_that_takes_too_long_ends(make, monkeypatch):
    client = make()
    monkeypatch.setattr(trial_limits, "LIVE_S", 0.0)
    for body in (BODY, {"rule": {"conditions": LOW}}):
        ended = client.dry(status=503, body=body)
        assert "The dry run took more than 0 s and was stopped" in ended.json["detail"]
        assert ended.headers["Retry-After"] == "10"
    assert not trial_limits.calculating.locked()


def test_a_dry_run_over_history_ends_with_what_it_has(make, monkeypatch):
    client = make()
    record(client.runtime.sessions, 400)
    assert client.dry(body=PAST).json["truncated"] is False
    monkeypatch.setattr("skywatch.alerts.rules.views.trial.PAST_S", 1e9)
    # The time is up after some moments.
    clock = iter([*[0.0] * 40, *[2e9] * 10_000])
    monkeypatch.setattr(
        deadline, "time", type("Clock", (), {"monotonic": lambda: next(clock), "sleep": lambda s: None})
    )
    assert client.dry(body=PAST).json["truncated"] is True


@pytest.mark.parametrize("body", [BODY, PAST])
def test_a_dry_run_ends_when_its_client_leaves(make, monkeypatch, body):
    client = make()
    monkeypatch.setattr(deadline, "LOOK_EVERY_S", 0.0)
    ended = client.dry(status=503, body=body, extra_environ={"waitress.client_disconnected": lambda: True})
    assert "has closed its connection" in ended.json["detail"]
    client.dry(body=body, extra_environ={"waitress.client_disconnected": lambda: False})


def test_texts_of_given_aircraft_are_bounded(make):
    client = make()
    refused = client.dry(status=400, body={**BODY, "aircraft": [aircraft(desc="x" * 501)]})
    assert "desc must have at most 500 characters" in str(refused.json["errors"])


def test_all_alerts_are_counted_and_the_first_ones_shown(make):
    given = [aircraft(1) | {"hex": f"a{number:05x}"} for number in range(700)]
    result = make().dry(body={**BODY, "aircraft": given}).json
    assert (result["count"], len(result["alerts"]), result["truncated"]) == (700, 500, True)
    assert all(alert["aircraft"] for alert in result["alerts"])
