"""What is kept of history for many readers: bounded, and given up in time."""

import threading

import pytest

from skywatch.core.problems import Problem
from skywatch.readsb.tar1090 import past_pictures
from skywatch.readsb.tar1090.past_pictures import LIFETIME_S, Kept, offered


def test_kept_answers_come_back_until_they_are_too_old():
    now = [0.0]
    kept = Kept(clock=lambda: now[0])
    kept.put("a", b"1" * 100)
    now[0] = LIFETIME_S
    assert kept.get("a") == b"1" * 100
    now[0] += 1
    assert kept.get("a") is None
    assert kept.bytes == 0


def test_the_one_used_least_recently_goes_first():
    bodies = {name: bytes(range(256)) + name.encode() for name in "abc"}
    kept = Kept(most_bytes=600)
    for name in "ab":
        kept.put(name, bodies[name])
    kept.get("a")
    kept.put("c", bodies["c"])
    assert [kept.get(name) for name in "abc"] == [bodies["a"], None, bodies["c"]]
    assert kept.bytes <= 600


def test_putting_again_replaces():
    kept = Kept()
    for body in (b"x" * 50, b"y" * 50):
        kept.put("a", body)
    assert kept.get("a") == b"y" * 50
    assert len(kept._entries) == 1


def test_a_fuller_sky_offers_a_shorter_past():
    assert offered(0) == offered(2000) == 120
    assert offered(20_000) == 20
    assert offered(5_000) == 50


def test_whoever_waits_too_long_is_asked_to_come_back(monkeypatch):
    monkeypatch.setattr(past_pictures, "MAX_WAIT_S", 0.01)
    lock = threading.Lock()
    with lock, pytest.raises(Problem) as refused, past_pictures.in_turn(lock):
        pass
    assert refused.value.kind.code == "unavailable"
    with past_pictures.in_turn(lock):
        assert lock.locked()
    assert not lock.locked()
