"""One UUID has one connection, whichever process it is connected to."""

from __future__ import annotations

import secrets
import time

import pytest

from skywatch.core.bus import BusError
from skywatch.core.bus.memory import MemoryBus
from skywatch.feeders.ingest.connected_feeders import ConnectedFeeders
from skywatch.feeders.ingest.service import IngestService
from skywatch.receivers.feeder_streams.feeder import KnownFeeder
from skywatch.receivers.feeder_streams.hub import FeederHub, feeder_hub


class Connection:
    """A connection without a socket."""

    has_uuid = True

    def __init__(self, network, number=7):
        self.feeder = KnownFeeder(number, "0" * 64, True)
        self.network, self.slot, self.since = network, -1, time.time()
        self.silence_s, self.is_closed = 0.0, False

    def silent_s(self):
        return self.silence_s

    def close(self):
        self.is_closed = True

    def count(self, counts):
        return counts


class Loop:
    def call_soon_threadsafe(self, call, *arguments):
        call(*arguments)


@pytest.fixture
def processes():
    bus, made = MemoryBus(), []
    for name in ("one", "two"):
        hub = FeederHub(loop=Loop())
        claims = ConnectedFeeders(bus, hub, name)
        claims.start()
        made.append((claims, hub))
    yield made
    bus.close()


def enter(process, connection):
    claims, hub = process
    return claims.may_enter(connection) and hub.claim(connection)


def test_the_newer_connection_of_one_network_replaces_the_older_elsewhere(processes):
    older, newer = Connection("203.0.113.7/32"), Connection("203.0.113.7/32")
    assert enter(processes[0], older)
    assert enter(processes[1], newer)
    assert (older.is_closed, newer.is_closed) == (True, False)


def test_each_process_has_numbers_of_its_own_for_feeders_without_a_record(make_runtime, redis_url, monkeypatch):
    draws = iter((0, 7))
    monkeypatch.setattr(secrets, "randbelow", lambda ranges: next(draws))
    names = []
    for _ in range(2):
        runtime = make_runtime(bus=redis_url)
        IngestService(runtime)
        names.append(runtime.shared(feeder_hub).anonymous().receiver)
    assert names == ["anonymous-1", "anonymous-70001"]


def test_another_network_is_refused_until_the_older_is_silent_and_the_owner_is_told(processes):
    older, thief = Connection("203.0.113.7/32"), Connection("203.0.113.8/32")
    assert enter(processes[0], older)
    assert not enter(processes[1], thief)
    assert (older.is_closed, processes[1][1].take_copied()) == (False, {7})
    older.silence_s = 11.0
    processes[0][0].renew()
    assert enter(processes[1], thief)
    assert older.is_closed


def test_a_connection_that_has_ended_keeps_nobody_out(processes):
    older = Connection("203.0.113.7/32")
    assert enter(processes[0], older)
    processes[0][1].release(older)
    processes[0][0].renew()
    assert enter(processes[1], Connection("203.0.113.8/32"))


def test_who_has_no_record_and_everybody_without_the_bus_comes_in(processes, monkeypatch):
    assert processes[0][0].may_enter(Connection("203.0.113.7/32", -1))

    def fail(key):
        raise BusError("away")

    assert enter(processes[0], Connection("203.0.113.7/32"))
    monkeypatch.setattr(processes[1][0]._bus, "get", fail)
    assert processes[1][0].may_enter(Connection("203.0.113.8/32"))
