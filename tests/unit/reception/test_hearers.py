"""Who hears an aircraft, asked by another process."""

import asyncio

from skywatch.core.bus import request_reply
from skywatch.picture.access import PictureAccess
from skywatch.reception.hearers.hearers import HearerClient, HearerService
from tests.unit.reception.world import World, aircraft
from tests.waiting import PATIENCE_S, until


def test_another_process_asks_the_tracker(make_runtime, redis_url, monkeypatch):
    tracker, api = make_runtime(bus=redis_url), make_runtime(bus=redis_url)
    world = World()
    world.show("roof", aircraft("4b1620", 0, 50, rssi=-12.5))
    tracker.shared(PictureAccess).open(world.picture)
    client, service = HearerClient(api), HearerService(tracker)
    assert client.hearers("4b1620") is None
    asyncio.run(service.start())
    hearers = until(lambda: client.hearers("4b1620"), "an answer")
    assert [(hearer.receiver, hearer.rssi, hearer.last_at) for hearer in hearers] == [("roof", -12.5, world.now)]
    # The tracker is there: an answer that does not come is late.
    monkeypatch.setattr(request_reply, "WAIT_S", PATIENCE_S)
    assert client.hearers("4b1621") == []
    asyncio.run(service.stop())
