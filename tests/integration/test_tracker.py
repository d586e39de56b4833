"""The tracker beside a real bus and database: skies arrive in every role, and the picture survives a restart."""

from __future__ import annotations

import asyncio
import secrets
import subprocess
import sys
import time

import msgspec
import pytest

from skywatch.core.bus.redis import RedisBus
from skywatch.core.db import create_engine, create_session_factory
from skywatch.core.runtime import Runtime
from skywatch.picture.replica import PictureReplica
from skywatch.picture.saved import decode, read
from skywatch.picture.tracker import Tracker
from skywatch.receivers.base import ReceiverStatus
from tests.servers import REDIS_URL, require
from tests.unit.picture.reports import snapshot


class Scripted:
    """A receiver that says the same of the same aircraft ten times a second, as often as it is told to."""

    def __init__(self, addresses, times=10**6):
        self.status = ReceiverStatus("roof", "scripted", "nowhere", state="connected")
        self.addresses, self.times = addresses, times

    async def run(self, sink):
        for _ in range(self.times):
            now = time.time()
            sink.put("roof", [snapshot(a, now, lat=47.0, lon=8.0, alt_baro=1000) for a in self.addresses], 1)
            await asyncio.sleep(0.1)


class Failing:
    name = "failing"

    def __init__(self):
        self.closed = 0

    def start(self):
        raise RuntimeError("no start")

    def on_tick(self, sky):
        raise RuntimeError("no tick")

    def close(self):
        self.closed += 1


async def run_for(tracker, seconds):
    task = asyncio.create_task(tracker.run())
    await asyncio.sleep(seconds)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.fixture(params=["memory", "redis"])
def any_runtime(request, make_runtime, make_settings, sqlite_url):
    if request.param == "memory":
        yield make_runtime()
        return
    bus = RedisBus(f"{require(REDIS_URL, 'Redis')}?prefix=test-{secrets.token_hex(6)}")
    engine = create_engine(sqlite_url)
    runtime = Runtime(make_settings(), engine, create_session_factory(engine), bus)
    yield runtime
    client = bus._client
    for key in client.scan_iter(f"{bus._prefix}*"):
        client.delete(key)
    runtime.close()


def test_every_role_has_the_picture_once_a_second(any_runtime):
    failing = Failing()
    replica = PictureReplica(any_runtime.bus)
    assert len(replica.sky) == 0
    tracker = Tracker(any_runtime, [failing], [Scripted(["4b1620", "4b1621"])])
    asyncio.run(run_for(tracker, 2.5))
    assert replica.sky.hexes == ["4b1620", "4b1621"]
    assert 3 <= replica.sky.seq <= 5
    assert replica.sky.now % 1.0 < 0.5
    late = PictureReplica(any_runtime.bus)
    assert late.sky.seq == replica.sky.seq
    statuses = msgspec.json.decode(any_runtime.bus.last("receivers").data, type=list[ReceiverStatus])
    assert [status.name for status in statuses] == ["roof"]
    statistics = msgspec.json.decode(any_runtime.bus.last("tracker").data)
    assert statistics["aircraft"] == 2
    assert statistics["monitor_errors"]["failing"] >= 3
    assert failing.closed == 1
    for follower in (replica, late):
        follower.close()


def test_a_tick_that_fails_does_not_end_the_tracker(runtime, caplog):
    class Nonsense(Scripted):
        async def run(self, sink):
            report = snapshot("4b1621", time.time())
            report.gs = "fast"
            sink.put("roof", [report], 1)
            await super().run(sink)

    tracker = Tracker(runtime, [], [Nonsense(["4b1620"])])
    asyncio.run(run_for(tracker, 2.5))
    assert PictureReplica(runtime.bus).sky.hexes == ["4b1620"]
    assert tracker.statistics.ticks_failed == 1
    assert "a tick failed" in caplog.text


def test_the_picture_survives_a_restart(database_url, make_runtime):
    runtime = make_runtime(database_url=database_url)
    first = Tracker(runtime, [], [Scripted(["4b1620"])])
    asyncio.run(run_for(first, 1.2))
    before = PictureReplica(runtime.bus).sky
    again = make_runtime(database_url=database_url)
    asyncio.run(run_for(Tracker(again, [], []), 0.3))
    after = PictureReplica(again.bus).sky
    assert after.hexes == ["4b1620"]
    assert after.epoch != before.epoch
    assert after.aircraft("4b1620")["first_seen"] == before.aircraft("4b1620")["first_seen"]


def test_a_damaged_saved_picture_is_an_empty_sky(runtime, caplog):
    from skywatch.core.clock import utcnow
    from skywatch.core.db import writing
    from skywatch.picture.models import PictureState

    with writing(runtime.sessions) as session:
        session.add(PictureState(name="picture", saved_at=utcnow(), data=b"nonsense"))
    asyncio.run(run_for(Tracker(runtime, [], []), 0.3))
    assert len(PictureReplica(runtime.bus).sky) == 0
    assert "cannot be used" in caplog.text


def test_every_role_can_have_the_trail_of_an_aircraft(any_runtime):
    replica = PictureReplica(any_runtime.bus)

    async def ask():
        tracker = Tracker(any_runtime, [], [Scripted(["4b1620"])])
        task = asyncio.create_task(tracker.run())
        await asyncio.sleep(1.5)
        answers = [await asyncio.to_thread(replica.trail, address) for address in ("4b1620", "000000")]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return answers

    known, unknown = asyncio.run(ask())
    assert [(point.lat, point.lon, point.altitude_ft) for point in known][-1] == (47.0, 8.0, 1000)
    assert unknown == []
    if not any_runtime.bus.carries_objects:
        started = time.monotonic()
        assert replica.trail("4b1620") == []
        assert time.monotonic() - started < 1.5
    replica.close()


def test_what_receivers_say_at_once_is_shown_before_the_first_second_is_full(make_runtime, monkeypatch):
    monkeypatch.setattr("skywatch.picture.tracker._until_next_second", lambda: 60.0)
    runtime = make_runtime()
    replica = PictureReplica(runtime.bus)
    asyncio.run(run_for(Tracker(runtime, [], [Scripted(["4b1620"])]), 1.5))
    assert len(replica.sky) == 1


def test_the_picture_survives_kill_9(tmp_path, sqlite_url, make_runtime):
    ini = tmp_path / "killed.ini"
    ini.write_text(
        "[app:main]\nuse = egg:skywatch\nenvironment = development\n"
        f"database_url = {sqlite_url}\npicture_save_s = 1\nreceiver.demo = simulate aircraft=50 seed=7\n"
    )
    command = [sys.executable, "-W", "ignore", "-m", "skywatch", "serve", str(ini), "--role", "tracker"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    runtime = make_runtime(database_url=sqlite_url)
    try:
        end = time.monotonic() + 60
        while (data := read(runtime.sessions, "picture", 60)) is None or not decode(data).first_seen:
            assert process.poll() is None, "the tracker did not start"
            assert time.monotonic() < end, "nothing was saved"
            time.sleep(0.1)
    finally:
        process.kill()
        process.wait(10)
    first_seen = decode(read(runtime.sessions, "picture", 60)).first_seen
    asyncio.run(run_for(Tracker(runtime, [], []), 1.0))
    sky = PictureReplica(runtime.bus).sky
    assert len(sky) >= 40
    assert dict(zip(sky.hexes, sky.columns["first_seen"].tolist(), strict=True)) == first_seen
