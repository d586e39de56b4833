"""How many exports and replays are sent at once, and whose."""

from types import SimpleNamespace

import pytest

from skywatch.core.problems import Problem
from skywatch.http.limits import streams
from skywatch.http.limits.streams import StreamLimiter
from skywatch.http.settings import HttpSettings


def limiter_of(make_settings, **settings):
    return StreamLimiter(make_settings(**settings).of(HttpSettings))


def asks(limiter, person):
    return limiter.acquire(SimpleNamespace(environ={}, person=person))


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(streams, "WAIT_FOR_NEWS_S", 0.0)


def test_one_person_receives_at_most_half(make_settings):
    limiter = limiter_of(make_settings, api_streams="4", api_streams_per_user="4", api_threads="16")
    held = [asks(limiter, "user 1"), asks(limiter, "user 1")]
    with pytest.raises(Problem) as refused:
        asks(limiter, "user 1")
    assert refused.value.kind.code == "rate_limited"
    assert refused.value.detail.startswith("The limit for one user is 2 exports and replays at once.")
    held += [asks(limiter, "user 2"), asks(limiter, "network 192.0.2.0/24")]
    with pytest.raises(Problem, match="The limit for all users is 4"):
        asks(limiter, "user 3")
    held.pop().release()
    asks(limiter, "user 3").release()


def test_callers_of_a_network_share_one(make_settings):
    limiter = limiter_of(make_settings)
    held = asks(limiter, "network 192.0.2.0/24")
    with pytest.raises(Problem, match="The limit for callers of one network is 1"):
        asks(limiter, "network 192.0.2.0/24")
    held.release()
    asks(limiter, "network 192.0.2.0/24").release()
