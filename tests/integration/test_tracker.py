"""The tracker with a real bus and database: skies arrive in every role, and the picture survives a restart."""

from __future__ import annotations

import asyncio
import dataclasses
import subprocess
import sys
import time

import msgspec
import pytest

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.storage.audit import Actor
from skywatch.core.stored_settings import change
from skywatch.core.telemetry import health
from skywatch.core.telemetry.metrics import export, exposition
from skywatch.picture.access import PictureReplica
from skywatch.picture.counted import counts_simulated
from skywatch.picture.models import PictureState
from skywatch.picture.settings import PictureSettings
from skywatch.picture.state import own_antenna
from skywatch.picture.state.own_antenna import ELSEWHERE, ORIGIN_SHIFT, OURS, SIMULATED
from skywatch.picture.storage.saved_picture import decode, read
from skywatch.picture.tracker import Tracker, until_next_second
from skywatch.receivers.base import ReceiverStatus
from skywatch.receivers.factory import KINDS
from skywatch.receivers.reports.report import Report
from tests.unit.picture.reports import snapshot
from tests.waiting import PATIENCE_S, eventually, until


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


async def run_until(tracker, condition):
    task = asyncio.create_task(tracker.run())
    await eventually(lambda: task.done() or condition())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.fixture(params=["memory", "redis"])
def any_runtime(request, make_runtime):
    if request.param == "memory":
        return make_runtime()
    return make_runtime(bus=request.getfixturevalue("redis_url"))


def test_every_role_has_the_picture_once_a_second(any_runtime):
    failing = Failing()
    replica = PictureReplica(any_runtime.bus)
    assert len(replica.sky) == 0
    tracker = Tracker(any_runtime, [failing], [Scripted(["4b1620", "4b1621"])])
    watched = set()

    def has_ticked() -> bool:
        # A tick is published before monitors see it: they have no state yet between the two of the first.
        if (reported := health_of("monitors")) is not None:
            watched.add(reported[:2])
        return replica.sky.seq >= 4

    asyncio.run(run_until(tracker, has_ticked))
    assert replica.sky.hexes == ["4b1620", "4b1621"]
    late = PictureReplica(any_runtime.bus)
    assert until(lambda: late.sky.seq == replica.sky.seq)
    # What was published travels on its own.
    until(lambda: list(statuses_of(any_runtime)) == ["roof"], "the receiver")

    def has_counted() -> bool:
        last = any_runtime.bus.last("tracker")
        statistics = {} if last is None else msgspec.json.decode(last.data)
        return statistics.get("aircraft") == 2 and statistics["monitor_errors"].get("failing", 0) >= 3

    until(has_counted, "the tracker's figures")
    assert watched == {(False, "failed at the last tick: failing")}
    assert failing.closed == 1
    for follower in (replica, late):
        follower.close()


@pytest.mark.parametrize("kind", ["simulate", "readsb"])
def test_the_first_aircraft_of_a_receiver_that_is_no_simulator_begins_the_real_sky(runtime, kind):
    receiver = Scripted(["4b1620"])
    receiver.status.kind = kind
    tracker = Tracker(runtime, [], [receiver])

    def is_simulated():
        with runtime.sessions() as session:
            return counts_simulated(session)

    asyncio.run(run_until(tracker, lambda: tracker.statistics.seq >= 4 and is_simulated() == (kind == "simulate")))


def test_a_tick_that_fails_does_not_end_the_tracker(runtime, caplog):
    class Nonsense(Scripted):
        async def run(self, sink):
            report = snapshot("4b1621", time.time(), messages=2)
            report.gs = "fast"
            sink.put("roof", [report], 1)
            await super().run(sink)

    tracker = Tracker(runtime, [], [Nonsense(["4b1620"])])
    replica = PictureReplica(runtime.bus)
    asyncio.run(run_until(tracker, lambda: tracker.statistics.ticks_failed and replica.sky.hexes))
    assert replica.sky.hexes == ["4b1620"]
    assert tracker.statistics.ticks_failed == 1
    assert "a tick failed" in caplog.text


def test_the_picture_survives_a_restart(database_url, make_runtime):
    runtime = make_runtime(database_url=database_url)
    first = Tracker(runtime, [], [Scripted(["4b1620"])])
    replica = PictureReplica(runtime.bus)
    asyncio.run(run_until(first, lambda: replica.sky.hexes))
    before = replica.sky
    again = make_runtime(database_url=database_url)
    second = Tracker(again, [], [])
    asyncio.run(run_until(second, lambda: second.statistics.seq))
    after = PictureReplica(again.bus).sky
    assert after.hexes == ["4b1620"]
    assert after.epoch != before.epoch
    assert after.aircraft("4b1620")["first_seen"] == before.aircraft("4b1620")["first_seen"]


class Counting(Failing):
    name = "counting"

    def __init__(self):
        super().__init__()
        self.ticks = 0

    def start(self):
        pass

    def on_tick(self, sky):
        self.ticks += 1


def test_the_picture_goes_on_while_the_monitors_of_a_takeover_wait(runtime):
    """For a database or a bus that has lost a host, say."""
    replica = PictureReplica(runtime.bus)
    asyncio.run(run_until(Tracker(runtime, [], [Scripted(["4b1620"])]), lambda: replica.sky.hexes))
    counting = Counting()

    async def take_over():
        tracker, free = Tracker(runtime, [], []), asyncio.Event()
        tracker._followed = replica.sky

        async def make():
            await free.wait()
            return [counting]

        task = asyncio.create_task(tracker.run(make))
        await eventually(lambda: replica.sky.epoch == tracker.picture.epoch and replica.sky.seq >= 2, "ticks")
        hexes, ticks = replica.sky.hexes, counting.ticks
        free.set()
        await eventually(lambda: counting.ticks, "a tick with the monitor")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return hexes, ticks

    assert asyncio.run(take_over()) == (["4b1620"], 0)
    assert counting.closed == 1


def test_a_damaged_saved_picture_is_an_empty_sky(runtime, caplog):
    with writing(runtime.sessions) as session:
        session.add(PictureState(name="picture", saved_at=utcnow(), data=b"nonsense"))
    tracker = Tracker(runtime, [], [])
    asyncio.run(run_until(tracker, lambda: tracker.statistics.seq))
    assert len(PictureReplica(runtime.bus).sky) == 0
    assert "cannot be used" in caplog.text


def test_every_role_can_have_the_trail_of_an_aircraft(any_runtime):
    replica = PictureReplica(any_runtime.bus)

    async def ask():
        tracker = Tracker(any_runtime, [], [Scripted(["4b1620"])])
        task = asyncio.create_task(tracker.run())
        answers = [
            await asyncio.to_thread(until, lambda: replica.trail("4b1620")),
            await asyncio.to_thread(replica.trail, "000000"),
        ]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return answers

    known, unknown = asyncio.run(ask())
    assert [(point.lat, point.lon, point.altitude_ft) for point in known][-1] == (47.0, 8.0, 1000)
    assert unknown == []
    if not any_runtime.bus.carries_objects:
        # Nobody answers any more.
        assert replica.trail("4b1620") == []
    replica.close()


def test_what_receivers_say_at_once_is_shown_before_the_first_second_is_full(make_runtime, monkeypatch):
    monkeypatch.setattr("skywatch.picture.tracker.until_next_second", lambda now: 3600.0)
    runtime = make_runtime()
    replica = PictureReplica(runtime.bus)
    asyncio.run(run_until(Tracker(runtime, [], [Scripted(["4b1620"])]), lambda: len(replica.sky) == 1))


@pytest.mark.parametrize("now", [1_700_000_000.0, 1_700_000_000.25, 1_700_000_000.999])
def test_ticks_are_at_full_seconds_of_the_wall_clock(now):
    assert 0 < until_next_second(now) <= 1
    assert (now + until_next_second(now)) % 1.0 == pytest.approx(0.0, abs=1e-6)


def test_the_picture_survives_kill_9(tmp_path, sqlite_url, make_runtime):
    ini = tmp_path / "killed.ini"
    ini.write_text(
        "[app:main]\nuse = egg:skywatch\nenvironment = development\n"
        f"database_url = {sqlite_url}\npicture_save_s = 1\npicture_timeout_s = 600\n"
        "receiver.demo = simulate aircraft=50 seed=7\n"
    )
    command = [sys.executable, "-W", "ignore", "-m", "skywatch", "serve", str(ini), "--role", "tracker"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # A simulator that is there still: what one had that was switched off is gone.
    runtime = make_runtime(database_url=sqlite_url, picture_timeout_s=600, receiver__demo="simulate aircraft=50 seed=7")

    def saved():
        assert process.poll() is None, "the tracker did not start"
        data = read(runtime.sessions, "picture", 600)
        return data is not None and len(decode(data).first_seen) >= 40

    try:
        until(saved, "a picture in the database")
    finally:
        process.kill()
        process.wait(PATIENCE_S)
    first_seen = decode(read(runtime.sessions, "picture", 600)).first_seen
    tracker = Tracker(runtime)
    asyncio.run(run_until(tracker, lambda: tracker.statistics.seq))
    sky = PictureReplica(runtime.bus).sky
    assert len(sky) >= 40
    assert first_seen.items() <= dict(zip(sky.hexes, sky.columns["first_seen"].tolist(), strict=True)).items()


def store(runtime, **values):
    with writing(runtime.sessions) as session:
        named = {f"receiver.{name}" if "station" not in name else name: text for name, text in values.items()}
        change(session, runtime.settings, Actor("root", "console"), named)


def statuses_of(runtime):
    message = runtime.bus.last("receivers")
    found = [] if message is None else msgspec.json.decode(message.data, type=list[ReceiverStatus])
    return {status.name: status for status in found}


def health_of(name):
    return next(((one.ok, one.detail, one.figures) for one in health.components() if one.name == name), None)


def test_receivers_follow_what_the_console_stores(make_runtime):
    runtime = make_runtime(receiver__ini="simulate aircraft=3 seed=1")
    tracker = Tracker(runtime)
    (untouched,) = tracker.receivers
    replica = PictureReplica(runtime.bus)

    async def play():
        task = asyncio.create_task(tracker.run())
        await eventually(lambda: tracker.picture.messages)
        store(runtime, own="simulate aircraft=2 seed=2")
        await eventually(lambda: statuses_of(runtime).get("own") and statuses_of(runtime)["own"].messages)
        store(runtime, own="sbs 127.0.0.1:1")
        await eventually(lambda: statuses_of(runtime)["own"].kind == "sbs")
        store(runtime, own=None)
        await eventually(lambda: list(statuses_of(runtime)) == ["ini"])
        assert list(tracker.receivers) == [untouched]
        assert '"own"' not in exposition({"test": export()}).decode()
        # Another position of the station is for all of them.
        epoch = tracker.picture.epoch
        store(runtime, station_lat="59.9", station_lon="30.3")
        await eventually(lambda: tracker.picture.station == (59.9, 30.3))
        assert tracker.picture.epoch == tracker.statistics.epoch != epoch
        assert tracker.picture.validator.station == (59.9, 30.3)
        await eventually(lambda: [one for one in tracker.receivers if one is not untouched])
        await eventually(lambda: len(replica.sky) and replica.sky.station == (59.9, 30.3))
        assert health_of("receiver_tasks") == (True, "", {"receivers": 1})
        tracker.follow = None
        await eventually(lambda: health_of("receiver_tasks")[1] == "changed settings are not followed")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(play())


def test_a_move_that_failed_half_way_is_made_for_every_receiver(make_runtime, monkeypatch):
    runtime = make_runtime(receiver__ini="simulate aircraft=3 seed=1")
    tracker = Tracker(runtime)
    (before,) = tracker.receivers
    follow = tracker.receivers.follow

    async def fails(*arguments, **options):
        raise OSError("a fault")

    async def play():
        store(runtime, station_lat="59.9", station_lon="30.3")
        runtime.stored.expire()
        settings = runtime.current.of(PictureSettings)
        monkeypatch.setattr(tracker.receivers, "follow", fails)
        with pytest.raises(OSError, match="a fault"):
            await tracker.follow(settings)
        monkeypatch.setattr(tracker.receivers, "follow", follow)
        await tracker.follow(settings)
        (moved,) = tracker.receivers
        assert moved is not before
        # Only once.
        await tracker.follow(dataclasses.replace(settings))
        assert list(tracker.receivers) == [moved]

    asyncio.run(play())


def test_a_stored_receiver_that_cannot_be_opened_stops_nothing(make_runtime, monkeypatch):
    runtime = make_runtime(receiver__ini="simulate aircraft=3")
    store(runtime, own="sbs 127.0.0.1:1")
    # As with a later version that knows the kind no more.
    monkeypatch.delitem(KINDS, "sbs")
    tracker = Tracker(runtime)
    states = {status.name: (status.state, status.last_error) for status in tracker.statuses()}
    assert states["own"][0] == "failed"
    assert "unknown kind of receiver 'sbs'" in states["own"][1]


def test_receivers_with_a_place_of_their_own_are_judged_from_there(make_runtime):
    coast = "beast localhost:1 place=53.2101,-4.5202"
    runtime = make_runtime(
        **{"receiver.coast": coast, "receiver.roof": "beast localhost:2"}, station_lat="47.4", station_lon="8.5"
    )
    picture = Tracker(runtime).picture
    assert picture.places == {"coast": (53.2101, -4.5202)}
    assert picture.origin_of("coast") == (53.21, -4.52)
    assert picture.origin_of("roof") == (47.4, 8.5)


def test_where_receivers_hear_aircraft_is_noted(make_runtime):
    receivers = {
        "roof": "beast localhost:1",
        "near": "beast localhost:2 place=47.401,8.501",
        "coast": "sbs localhost:3 place=53.2,-4.5",
        "net": "adsbx-v2 http://localhost:4/v2",
        "demo": "simulate aircraft=5",
    }

    def tracker_of(names):
        ini = {f"receiver.{name}": receivers[name] for name in names}
        return Tracker(make_runtime(**ini, station_lat="47.4", station_lon="8.5"))

    elsewhere, ours = ELSEWHERE << ORIGIN_SHIFT, OURS << ORIGIN_SHIFT
    expected = {"roof": 0, "near": 0, "coast": ours, "net": elsewhere, "demo": SIMULATED | elsewhere}
    assert tracker_of(receivers).picture.origins == expected
    assert tracker_of(["demo"]).picture.origins == {"demo": SIMULATED}


def test_what_a_removed_network_knew_is_not_heard_by_the_antenna(make_runtime):
    runtime = make_runtime(station_lat="47.4", station_lon="8.5")
    store(runtime, net="adsbx-v2 http://localhost:4/v2")
    tracker = Tracker(runtime)
    now = tracker.picture.now()
    far = Report("4b1620", now, now, snapshot=True, type="adsb_icao", lat=50.0, lon=8.0, alt_baro=40_000, messages=9)
    tracker.picture.put("net", [far], 1, 1)

    async def remove():
        store(runtime, net=None)
        runtime.stored.expire()
        await tracker.follow(runtime.current.of(PictureSettings))

    asyncio.run(remove())
    assert list(tracker.receivers) == []
    assert own_antenna.heard(tracker.picture.tick()).tolist() == [False]
