"""Services of the role tracker: they get the fenced means, follow the picture, and end with the tracker."""

from __future__ import annotations

import asyncio
import threading

import pytest
import sqlalchemy as sa

from skywatch.core.bus import topics
from skywatch.core.bus.base import call_on_loop
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.database.engine import writing
from skywatch.core.database.fencing import Fence, FencedError
from skywatch.core.database.models import StoredSetting
from skywatch.core.election.tracker_election import LOCK, OnlyTracker
from skywatch.core.feature import Feature, FeatureSet
from skywatch.core.hooks import Service
from skywatch.core.runtime import Runtime
from skywatch.features import FEATURES
from skywatch.picture.distribution.feed import SkyFeed
from skywatch.picture.hooks import PictureMonitor
from skywatch.picture.tracker import Tracker
from skywatch.serving.roles import TrackerService, create_services
from skywatch.settings import load_with_origins
from tests.skies import show, sky_of
from tests.waiting import eventually

PREPARED = threading.Event()


class Balloons:
    """A service that counts skies and writes a row when it stops."""

    can_stop = True

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.feed = runtime.shared(SkyFeed)
        self.skies = 0
        self.is_stopped = False
        runtime.shared(created).append(self)

    async def start(self) -> None:
        self.feed.subscribe("balloons", self.follow)

    async def stop(self) -> None:
        self.feed.unsubscribe("balloons")
        self.is_stopped = True
        if not self.can_stop:
            raise OSError("tangled")

    def follow(self, sky) -> None:
        self.skies += 1

    def write(self) -> None:
        with writing(self.runtime.sessions) as session:
            session.add(StoredSetting(name="balloon", value="", sealed=False, updated_at=utcnow(), updated_by="test"))


def created(runtime):
    """The services of the process."""
    return []


@pytest.fixture(scope="module")
def settings_class():
    """The settings of a service with one more feature, which take a second to compose."""
    feature = Feature(
        name="balloons",
        provides=(
            Service(role="tracker", create=Balloons),
            Service(role="tracker", create=SilentBalloons),
            PictureMonitor(lambda runtime: runtime.shared(steps).append("created"), lambda: 1 / 0),
            PictureMonitor(lambda runtime: None, PREPARED.set),
        ),
    )
    return FeatureSet([*FEATURES, feature]).settings()


@pytest.fixture
def runtime(sqlite_url, settings_class):
    texts = {"secret": "x" * 40, "database_url": sqlite_url, "receiver.demo": "simulate aircraft=3"}
    runtime = Runtime.open(load_with_origins(settings_class, texts, {})[0])
    yield runtime
    runtime.close()


class SilentBalloons(Balloons):
    """A second service, which does not follow the picture."""

    async def start(self) -> None:
        """Begin."""


def is_of_tracker(hook):
    return isinstance(hook, Service) and hook.role == "tracker"


def steps(runtime):
    """What became of the monitor."""
    return []


def balloons(runtime):
    return runtime.shared(created)


def test_writes_of_a_tracker_service_are_refused_after_another_tracker_took_over(runtime, monkeypatch):
    ends = []
    monkeypatch.setattr("skywatch.core.election.tracker_election._end_process", lambda: ends.append(1))
    services = create_services(runtime, ("tracker", "worker"))
    assert isinstance(services[0], TrackerService)
    first, second = balloons(runtime)
    runtime.shared(OnlyTracker).fence.take(runtime.sessions)
    first.write()
    Fence(LOCK).take(runtime.sessions)
    with pytest.raises(FencedError):
        second.write()
    assert ends == [1]
    with runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(StoredSetting)) == 1


def test_a_service_follows_the_picture_until_the_stop_and_its_faults_stop_nobody(runtime, caplog, monkeypatch):
    (tracker, *_) = create_services(runtime, ("tracker",))
    first, second = balloons(runtime)
    monkeypatch.setattr(first, "can_stop", False, raising=False)

    async def run():
        await tracker.start()
        await eventually(lambda: first.skies >= 2)
        await tracker.stop()

    asyncio.run(run())
    assert first.is_stopped
    assert second.is_stopped
    assert "Balloons did not stop cleanly" in caplog.text
    assert runtime.shared(SkyFeed).subscribers() == []


def test_monitors_are_prepared_while_a_tracker_stands_by_and_made_when_it_leads(runtime, monkeypatch, caplog):
    leads = threading.Event()
    monkeypatch.setattr(OnlyTracker, "is_leading", property(lambda self: leads.is_set()))
    PREPARED.clear()
    (tracker, *_) = create_services(runtime, ("tracker",))

    async def run():
        await tracker.start()
        await eventually(PREPARED.is_set)
        assert runtime.shared(steps) == []
        leads.set()
        await eventually(lambda: balloons(runtime)[0].skies >= 1)
        await tracker.stop()

    asyncio.run(run())
    assert runtime.shared(steps) == ["created"]
    # One that cannot be prepared is made all the same.
    assert "a monitor cannot be prepared" in caplog.text


def test_services_that_have_started_are_stopped_where_the_next_cannot_start(runtime, monkeypatch):
    (tracker, *_) = create_services(runtime, ("tracker",))
    first, second = balloons(runtime)

    async def fail():
        raise OSError("no gas")

    monkeypatch.setattr(second, "start", fail)
    with pytest.raises(OSError, match="no gas"):
        asyncio.run(tracker.start())
    assert first.is_stopped
    assert not second.is_stopped


def test_a_follower_that_fails_is_counted_under_its_name_and_the_others_follow(runtime, caplog):
    feed = runtime.shared(SkyFeed)
    seen = []
    feed.subscribe("failing", lambda sky: 1 / 0)
    feed.subscribe("seeing", seen.append)
    tracker = Tracker(runtime, receivers=[])

    async def tick():
        return tracker.tick()

    sky = asyncio.run(tick())
    assert seen == [sky]
    assert tracker.statistics.monitor_errors == {"failing": 1}
    assert "monitor failing failed" in caplog.text
    with pytest.raises(ValueError, match="seeing follows the picture already"):
        feed.subscribe("seeing", seen.append)
    feed.unsubscribe("failing")
    feed.unsubscribe("failing")
    assert [name for name, _ in feed.subscribers()] == ["seeing"]


def test_acars_and_outputs_are_services_of_the_tracker_and_no_monitors():
    declared = {feature.name for feature in FEATURES for hook in feature.provides if is_of_tracker(hook)}
    assert {"acars", "outputs"} <= declared
    assert not {"acars", "outputs"} & {
        f.name for f in FEATURES for hook in f.provides if isinstance(hook, PictureMonitor)
    }


@pytest.mark.parametrize("has_stood_by", [True, False])
def test_a_tracker_that_stood_by_publishes_the_picture_of_the_leader_before_first(
    make_runtime, monkeypatch, has_stood_by
):
    runtime = make_runtime()
    tracker, order, skies = Tracker(runtime, receivers=[]), [], []
    show(runtime, sky_of({"hex": "4b1620", "lat": 47.0, "lon": 8.0}, now=unix_now()))
    monkeypatch.setattr(tracker._publisher, "publish", lambda sky: (order.append("picture"), skies.append(sky)))
    monkeypatch.setattr(tracker.monitors, "start", lambda: order.append("monitors"))

    async def lead():
        if has_stood_by:
            await tracker.stand_by()
        running = asyncio.create_task(tracker.run())
        await eventually(lambda: {"picture", "monitors"} <= set(order))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(lead())
    assert order[:2] == (["picture", "monitors"] if has_stood_by else ["monitors", "picture"])
    assert skies[0].hexes == (["4b1620"] if has_stood_by else [])


def test_subscribers_on_the_same_loop_get_a_tick_before_the_monitors(runtime):
    order = []
    runtime.shared(SkyFeed).subscribe("monitor", lambda sky: order.append("monitor"))

    async def run():
        loop = asyncio.get_running_loop()

        def update(message):
            order.append("update")
            # As ``Turn`` does: what was not written at once leaves at the end of the turn.
            loop.call_soon(order.append, "written")

        runtime.bus.subscribe((topics.PICTURE,), lambda message: call_on_loop(loop, update, message))
        running = asyncio.create_task(Tracker(runtime, receivers=[]).run())
        await eventually(lambda: order.count("monitor") == 2)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(run())
    assert order == ["update", "written", "monitor"] * 2
