"""Trails asked of the tracker over a bus that carries bytes alone."""

import pytest

from skywatch.core.bus.memory import MemoryBus
from skywatch.picture.trails.remote import TrailClient, TrailServer
from tests.unit.picture.reports import Clock, picture_at
from tests.unit.picture.trails.test_trail import fly


class ByteBus(MemoryBus):
    """What another process would be sent."""

    carries_objects = False


@pytest.fixture
def bus():
    bus = ByteBus()
    yield bus
    bus.close()


def test_several_trails_are_asked_for_at_once_and_each_is_its_own(bus):
    clock = Clock()
    picture = picture_at(clock)
    fly(picture, clock, 40, 90)
    fly(picture, clock, 20, 0, address="3c6444", start=(50.0, 9.0))
    client, server = TrailClient(bus), TrailServer(bus, picture.trails)
    addresses, since = ["3c6444", "ffffff", "4b1620"], clock.time() - 30
    try:
        assert client.trails(addresses) == [picture.trails.trail(address) for address in addresses]
        assert client.trails(addresses, since) == [picture.trails.trail(address, since) for address in addresses]
    finally:
        server.close()
        client.close()


def test_without_a_tracker_there_are_no_trails(bus, monkeypatch):
    monkeypatch.setattr("skywatch.picture.trails.remote.WAIT_S", 0.01)
    client = TrailClient(bus)
    assert client.trails(["4b1620", "3c6444"]) == [[], []]
    client.close()
