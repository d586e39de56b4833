"""Limits: the same rules in memory and in Redis, and what happens when Redis goes."""

import secrets
import threading

import pytest

from skywatch.features import load
from skywatch.http.limits.limiter import Limiter
from tests.ports import free_port
from tests.servers import REDIS_URL, require
from tests.waiting import PATIENCE_S


def settings(bus):
    return load({"secret": secrets.token_hex(32), "bus": bus}, {})


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy server's late answer would be counted elsewhere."""
    monkeypatch.setattr("skywatch.http.limits.limiter.REDIS_TIMEOUT_S", PATIENCE_S)


@pytest.fixture(params=["memory", "redis"])
def limiter(request):
    return Limiter(settings("memory" if request.param == "memory" else require(REDIS_URL, "Redis")))


@pytest.mark.parametrize("exact", [False, True])
def test_so_many_are_allowed_and_no_more(limiter, exact):
    verdicts = [limiter.hit("3/minute", "b", "me", exact=exact) for _ in range(5)]
    assert [v.allowed for v in verdicts] == [True, True, True, False, False]
    assert [v.remaining for v in verdicts] == [2, 1, 0, 0, 0]
    assert verdicts[0].limit == 3
    assert 1 <= verdicts[-1].retry_after_s <= 60
    assert limiter.hit("3/minute", "b", "you", exact=exact).allowed
    assert limiter.hit("3/minute", "c", "me", exact=exact).allowed


@pytest.mark.parametrize("exact", [False, True])
def test_an_ipv6_site_has_four_times_as_much_as_each_of_its_networks(limiter, exact):
    site = f"2001:db8:{secrets.randbelow(0x10000):x}"

    def hit(network):
        return limiter.hit("3/minute", "b", f"{site}:{network}::/64", exact=exact)

    verdicts = [hit(number) for number in range(14)]
    assert [v.allowed for v in verdicts] == [True] * 12 + [False] * 2
    assert (verdicts[0].limit, verdicts[-1].limit) == (3, 12)
    assert limiter.hit("3/minute", "b", "2001:db9:1:2::/64", exact=exact).allowed
    assert limiter.look("3/minute", "b", f"{site}:ffff::/64").allowed is not exact
    # One network alone leaves the rest to the others of its site.
    assert [limiter.hit("3/minute", "c", f"{site}:1::/64", exact=exact).allowed for _ in range(30)].count(True) == 3
    assert limiter.hit("3/minute", "c", f"{site}:2::/64", exact=exact).allowed


def test_looking_counts_nothing_and_forgiving_forgets(limiter):
    assert all(limiter.look("1/minute", "b", "me").allowed for _ in range(3))
    limiter.hit("1/minute", "b", "me", exact=True)
    assert not limiter.look("1/minute", "b", "me").allowed
    limiter.forgive("1/minute", "b", "me")
    assert limiter.look("1/minute", "b", "me").allowed


def test_a_limit_holds_against_many_at_once(limiter):
    start, allowed = threading.Barrier(10), []

    def hit():
        start.wait()
        allowed.extend(limiter.hit("20/minute", "b", "me", exact=True).allowed for _ in range(5))

    threads = [threading.Thread(target=hit) for _ in range(10)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert allowed.count(True) == 20


def test_without_redis_it_goes_on_counting_in_memory_and_says_so(caplog):
    limiter = Limiter(settings(f"redis://127.0.0.1:{free_port()}/0"))
    assert [limiter.hit("2/minute", "b", "me").allowed for _ in range(3)] == [True, True, False]
    assert len([r for r in caplog.records if "limits are counted in memory" in r.message]) == 1


def test_installations_on_one_server_do_not_share_limits():
    url = require(REDIS_URL, "Redis")
    one, other = Limiter(settings(url)), Limiter(settings(url))
    assert one.hit("1/minute", "b", "me").allowed
    assert other.hit("1/minute", "b", "me").allowed
