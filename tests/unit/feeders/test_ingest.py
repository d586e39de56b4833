"""What ingest processes learn from the tracker."""

from __future__ import annotations

import asyncio

import numpy as np

from skywatch.core.bus import Message, topics
from skywatch.feeders.ingest.service import IngestService
from skywatch.picture.intake import FeederIntake
from skywatch.picture.picture import Picture
from skywatch.receivers.feeder_streams.hub import feeder_hub
from skywatch.receivers.feeder_streams.installation import InstallationFeeders
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.reports.report import Report
from tests.unit.feeders.test_claims import Connection
from tests.unit.receivers.feeder_streams.connections import until
from tests.unit.receivers.feeder_streams.feeders import Feeders

HEARD = np.arange(0x400000, 0x400100)


def test_what_the_tracker_hears_costs_no_feeder_of_an_ingest_process_its_limit(make_runtime, redis_url, caplog):
    tracker, ingest = make_runtime(bus=redis_url), make_runtime(bus=redis_url)
    picture = Picture()
    intake = FeederIntake(picture, tracker.shared(InstallationFeeders), tracker.bus)
    picture.put("roof", [Report(f"{address:06x}") for address in HEARD.tolist()], len(HEARD))
    hub, service = ingest.shared(feeder_hub), IngestService(ingest)
    hub.limit.limit = 0
    lanes = np.ones(len(HEARD), np.int64)
    hub.limit.enter(1, "feeder-1", Feeders(1).connections[1].feeder.voice("192.0.2.1/32"))

    def admitted():
        return int(np.count_nonzero(hub.limit.admit(HEARD, lanes, lanes, 0.0)))

    async def scene():
        await service.start()
        assert admitted() == 0
        ingest.bus.publish(Message(topics.HEARD_ADDRESSES, "heard", b"\x07" + bytes(9), snapshot=True))
        await until(lambda: "heard addresses are refused: addresses of version 7" in caplog.text)
        intake.take(Feeders().reduce(), "another process")
        await until(lambda: admitted() == len(HEARD))
        await service.stop()

    asyncio.run(scene())


def test_a_feeder_that_another_process_has_is_refused(make_runtime, redis_url):
    one, other = make_runtime(bus=redis_url), make_runtime(bus=redis_url)
    services = IngestService(one), IngestService(other)

    async def scene():
        for service in services:
            await service.start()
        assert services[0].claims.may_enter(Connection("192.0.2.0/24"))
        assert not services[1].claims.may_enter(Connection("198.51.100.0/24"))
        for service in services:
            await service.stop()

    asyncio.run(scene())


def test_a_process_that_starts_later_learns_it_too(make_runtime, redis_url):
    tracker = make_runtime(bus=redis_url)
    picture = Picture()
    intake = FeederIntake(picture, tracker.shared(InstallationFeeders), tracker.bus)
    picture.put("roof", [Report("400000"), Report("~400001")], 2)
    picture.put("feeder-9", [Report("400002")], 1, voice=Voice("user-9", "192.0.2.9/32"))
    intake.take(Feeders().reduce(), "another process")

    async def scene():
        ingest = make_runtime(bus=redis_url)
        hub, service = ingest.shared(feeder_hub), IngestService(ingest)
        await until(lambda: ingest.bus.last(topics.HEARD_ADDRESSES) is not None)
        await service.start()
        hub.limit.limit = 0
        hub.limit.enter(1, "feeder-1", Feeders(1).connections[1].feeder.voice("192.0.2.1/32"))
        heard, lanes = np.array([0x400000, 0x1400001, 0x400002]), np.ones(3, np.int64)
        await until(lambda: hub.limit.admit(heard, lanes, lanes, 0.0).all())
        await service.stop()

    asyncio.run(scene())
