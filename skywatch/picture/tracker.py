"""``Tracker``: the role that runs the receivers, ticks the picture once a second and publishes it.

It runs as one asyncio task. A receiver, a monitor or a database that fails is logged and counted; the picture goes on.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence

import msgspec
import numpy as np

from skywatch.airframes.cache import AirframeCache
from skywatch.core.bus import Message, topics
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import outage_of, reason
from skywatch.core.process import tasks
from skywatch.core.reporting import health
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.core.runtime import Runtime
from skywatch.inputs.running import RunningInputs, described_failures
from skywatch.picture import measuring, metrics
from skywatch.picture.declared import declared_receivers, open_declared, unusable
from skywatch.picture.monitor import Monitor
from skywatch.picture.only_tracker import OnlyTracker
from skywatch.picture.picture import Picture
from skywatch.picture.receiving.further_reports import FurtherReports
from skywatch.picture.saving import picture as saved
from skywatch.picture.settings import PictureSettings
from skywatch.picture.sharing.feed import Follow, SkyFeed
from skywatch.picture.sharing.publisher import SkyPublisher
from skywatch.picture.sharing.statistics import TickMeter, TrackerStatistics
from skywatch.picture.state.sky import Sky
from skywatch.picture.trails.remote import TrailServer
from skywatch.receivers.base import Receiver, ReceiverStatus
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.receiver import RetryingReceiver

log = logging.getLogger(__name__)

SAVED_PICTURE, SAVED_TRAILS = "picture", "trails"
# Trails grow to many times the size of the picture and lose little by being older: every so many saves.
TRAILS_EVERY = 6
# How often changed settings are looked for (s).
FOLLOW_EVERY_S = 1.0
# A monitor that takes longer delays the next tick; it is logged, at most this often (s).
SLOW_MONITOR_S = 0.1
SLOW_MONITOR_EVERY_S = 60.0

# Every second brings tens of thousands of small lists that the next second drops; with Python's usual threshold
# the collector would walk through them hundreds of times before that.
GARBAGE_THRESHOLDS = (200_000, 20, 20)
# After so long (s) most receivers have said something; nobody need look at an empty sky for a whole second.
FIRST_REPORTS_S = 0.3

_json = msgspec.json.Encoder()


class Tracker:
    """Receivers, picture and monitors of one installation.

    Opens the receivers of the settings (SettingsError names one that is wrong) unless ``receivers`` are given;
    nothing runs before ``run``.
    """

    def __init__(
        self, runtime: Runtime, monitors: Sequence[Monitor] = (), receivers: Sequence[Receiver] | None = None
    ) -> None:
        self.runtime = runtime
        settings = self.settings = runtime.current.of(PictureSettings)
        station = settings.station
        # Given ones are the caller's; those of the settings follow them.
        self._follows = receivers is None
        self.receivers: RunningInputs[Receiver] = RunningInputs(self._open, self._run_receiver, unusable)
        if receivers is None:
            open_declared(self.receivers, runtime.current, station)
        for receiver in receivers or ():
            self.receivers.add(f"receiver.{receiver.status.name}", receiver)
        self.monitors = list(monitors)
        for monitor in self.monitors:
            metrics.MONITOR_ERRORS.labels(monitor.name)  # at 0: Prometheus sees no growth in what appears at 1
        self.airframes = AirframeCache(runtime.sessions, runtime.bus)
        self.picture = Picture(
            station,
            settings.picture_timeout_s,
            self.airframes,
            maximum=settings.picture_max_aircraft,
            proof=True,
            shown_station=settings.shown_station,
        )
        self._note_pace()
        self._only = runtime.shared(OnlyTracker)
        self.statistics = TrackerStatistics(instance=self._only.instance, epoch=self.picture.epoch)
        self._meter = TickMeter()
        self._publisher = SkyPublisher(runtime.bus)
        self._further = runtime.shared(FurtherReports)
        self._feed = runtime.shared(SkyFeed)
        self._tap = runtime.shared(FrameTap)
        self._monitor_errors: Counter[str] = Counter()
        self._slow_logged_at: dict[str, float] = {}
        self._saving: asyncio.Task[None] | None = None
        self._saved_messages = 0
        self._saves = 0
        self._save_faults = FaultLog(log, "the picture cannot be saved", "the picture is saved again")
        self._next_save = 0.0
        self._follow_faults = FaultLog(log, "changed settings are not followed", "changed settings are followed")
        # Receivers have the station of the time when they were opened.
        self._must_reopen = False

    async def run(self) -> None:
        """Track until cancelled; what the monitors accepted is written before this returns."""
        self.statistics.started_at = unix_now()
        gc.set_threshold(*GARBAGE_THRESHOLDS)
        self.airframes.start()
        is_restored = await asyncio.to_thread(self._warm_up)
        # In a thread: a start may wait a little for the bus or the database.
        trail_server = await asyncio.to_thread(TrailServer, self.runtime.bus, self.picture.trails)
        await asyncio.to_thread(self._publisher.start)
        await asyncio.to_thread(self._start_monitors)
        self.receivers.start()
        following = asyncio.create_task(self._follow_for_ever(), name="settings of receivers")
        try:
            if is_restored:
                # At once, so that a picture that was saved is there before the first second has passed.
                self._tick_safely()
            await asyncio.sleep(FIRST_REPORTS_S)
            self._tick_safely()
            while True:
                await asyncio.sleep(until_next_second(time.time()))
                if self._only.may_publish() or await asyncio.to_thread(self._only.confirm):
                    self._tick_safely()
        finally:
            await tasks.end(following)
            await self.receivers.stop()
            await asyncio.to_thread(trail_server.close)
            await asyncio.to_thread(self._publisher.close)
            await self._close()

    def tick(self) -> Sky:
        """One tick: picture, bus, monitors."""
        started = time.perf_counter()
        for source, reports in self._further.take().items():
            self.picture.put(source, reports, len(reports), proven=True)
        sky = self.picture.tick()
        self._publisher.publish(sky)
        for monitor in self.monitors:
            self._observe(monitor.name, monitor.on_tick, sky)
        for name, follow in self._feed.subscribers():
            self._observe(name, follow, sky)
        self._account(sky, time.perf_counter() - started)
        self._save_when_due()
        return sky

    async def _follow_for_ever(self) -> None:
        while True:
            await asyncio.sleep(FOLLOW_EVERY_S)
            try:
                # In a thread: now and then it asks the database.
                await self.follow((await asyncio.to_thread(lambda: self.runtime.current)).of(PictureSettings))
                self._follow_faults.succeeded()
            except Exception as error:
                # Running receivers continue; the next second retries.
                self._follow_faults.failed(reason(error), error)

    async def follow(self, settings: PictureSettings) -> None:
        """Take changed settings: the station, and receivers that were added, changed or removed."""
        if settings is self.settings:
            return
        places = settings.station, settings.shown_station
        if places != (self.picture.station, self.picture.shown_station):
            # Receivers know where the antenna is, whatever others may know of it.
            self._must_reopen = self._must_reopen or settings.station != self.picture.station
            self.picture.move(*places)
            self.statistics.epoch = self.picture.epoch
        if self._follows:
            before = {f"receiver.{status.name}": status for status in self.statuses()}
            for name in await self.receivers.follow(declared_receivers(settings), anew=self._must_reopen):
                measuring.forget_receiver(before[name])
            self._must_reopen = False
            self._note_pace()
        self.settings = settings

    def _open(self, full_name: str, text: str) -> Receiver:
        return open_receiver(full_name.removeprefix("receiver."), text, self.picture.station)

    async def _run_receiver(self, receiver: Receiver) -> None:
        if isinstance(receiver, RetryingReceiver):
            receiver.tap = self._tap
        await receiver.run(self.picture)

    def _note_pace(self) -> None:
        # Only recordings have a speed; to ask for their class would load their decoders for everybody.
        self.picture.pace.clear()
        for receiver in self.receivers:
            self.picture.pace[receiver.status.name] = getattr(receiver, "speed", 1.0)

    def _tick_safely(self) -> None:
        try:
            self.tick()
        except Exception:
            # An internal fault: a new picture is better than none.
            log.exception("a tick failed, the picture begins anew")
            self.picture.recover()
            self.statistics.epoch = self.picture.epoch
            self.statistics.ticks_failed += 1

    def statuses(self) -> list[ReceiverStatus]:
        """The state of every receiver; positions that were not believed are counted with what was refused."""
        statuses = []
        for receiver in self.receivers:
            status = receiver.status
            invalid = {**status.invalid, **self.picture.validator.implausible.get(status.name, Counter())}
            statuses.append(msgspec.structs.replace(status, invalid=invalid))
        return statuses

    def _observe(self, name: str, follow: Follow, sky: Sky) -> None:
        started = time.perf_counter()
        self._guarded(name, lambda: follow(sky))
        duration_s = time.perf_counter() - started
        metrics.MONITOR_SECONDS.labels(name).observe(duration_s)
        if duration_s > SLOW_MONITOR_S:
            now = time.monotonic()
            if now - self._slow_logged_at.get(name, -SLOW_MONITOR_EVERY_S) >= SLOW_MONITOR_EVERY_S:
                self._slow_logged_at[name] = now
                log.warning("monitor %s took %.0f ms for one tick", name, duration_s * 1000)

    def _guarded(self, name: str, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception:
            self._monitor_errors[name] += 1
            metrics.MONITOR_ERRORS.labels(name).inc()
            # Logging every second would fill a disk: logs the first failures and then every hundredth.
            if self._monitor_errors[name] <= 3 or self._monitor_errors[name] % 100 == 0:
                log.exception("monitor %s failed", name)

    def _account(self, sky: Sky, duration_s: float) -> None:
        statistics = self.statistics
        statistics.at, statistics.seq = sky.now, sky.seq
        statistics.skies_skipped = self._publisher.skipped
        statistics.aircraft = len(sky)
        positions, military = ~np.isnan(sky.columns["lat"]), sky.columns["military"]
        statistics.with_position = int(np.count_nonzero(positions))
        statistics.military = int(np.count_nonzero(military))
        statistics.military_with_position = int(np.count_nonzero(positions & military))
        statistics.messages = sky.messages
        statistics.monitor_errors = dict(self._monitor_errors)
        statistics.implausible = {name: dict(counts) for name, counts in self.picture.validator.implausible.items()}
        measuring.measure_admission(statistics, self.picture.admission)
        self._meter.add(time.monotonic(), duration_s, sky.messages)
        self._meter.fill(statistics)
        self.runtime.bus.publish(Message(topics.TRACKER, "statistics", _json.encode(statistics), snapshot=True))
        metrics.TICK_SECONDS.observe(duration_s)
        measuring.measure_picture(statistics)
        metrics.PICTURE_TICK_AT.set(sky.now)
        metrics.PICTURE_MESSAGES.set(sky.messages)
        statuses = self.statuses()
        self.runtime.bus.publish(Message(topics.RECEIVERS, "status", _json.encode(statuses), snapshot=True))
        for status in statuses:
            measuring.measure_receiver(status)
        health.report("tracker", True, tick_s=statistics.tick_mean_s)
        detail = self._follow_faults.description or described_failures(self.receivers.failures)
        health.report("receiver_tasks", not detail, detail, receivers=len(statuses))

    def _start_monitors(self) -> None:
        for monitor in self.monitors:
            self._guarded(monitor.name, monitor.start)

    async def _close_monitors(self) -> None:
        """Close all monitors concurrently: each may wait for the database, and a process has 20 s to stop."""

        def close(monitor: Monitor) -> None:
            self._guarded(monitor.name, monitor.close)

        await asyncio.gather(*(asyncio.to_thread(close, monitor) for monitor in self.monitors))

    def _warm_up(self) -> bool:
        """Restore the saved picture; whether an aircraft is in it."""
        sessions, timeout_s = self.runtime.sessions, self.settings.picture_timeout_s
        alive: Collection[str] = ()
        try:
            data = saved.read(sessions, SAVED_PICTURE, timeout_s)
            if data is None:
                return False
            alive = self.picture.restore(saved.decode(data))
            log.info("the picture was restored with %d aircraft", len(alive))
            trails = saved.read(
                sessions,
                SAVED_TRAILS,
                timeout_s + TRAILS_EVERY * self.settings.picture_save_s,
            )
            if trails is not None:
                self.picture.trails.restore(trails, alive)
        except Exception as error:
            log.warning("the saved picture cannot be used as a whole: %s", error)
        return len(alive) > 0

    def _save_when_due(self) -> None:
        interval_s = self.settings.picture_save_s
        if not interval_s or self.picture.messages == self._saved_messages or time.monotonic() < self._next_save:
            return
        if self._saving is not None and not self._saving.done():
            return
        self._next_save = time.monotonic() + interval_s
        self._saves += 1
        self._saving = asyncio.get_running_loop().create_task(self._save(self._saves % TRAILS_EVERY == 0))

    async def _save(self, with_trails: bool) -> None:
        self._saved_messages = self.picture.messages
        parts = {SAVED_PICTURE: saved.encode(self.picture.save())}
        if with_trails:
            parts[SAVED_TRAILS] = self.picture.trails.save()
        try:
            await asyncio.to_thread(saved.write, self.runtime.sessions, parts)
            self.statistics.saved_at, self.statistics.save_error = unix_now(), None
            self._save_faults.succeeded()
        except Exception as error:
            self._save_faults.failed(reason(error), cause=outage_of(error))
            self.statistics.save_error = reason(error)[:200]

    async def _close(self) -> None:
        if self._saving is not None:
            await self._saving
        if self.settings.picture_save_s and self.picture.messages != self._saved_messages:
            await self._save(with_trails=True)
        await self._close_monitors()
        self.airframes.close()
        health.withdraw("tracker")
        health.withdraw("picture")
        health.withdraw("receiver_tasks")


def until_next_second(now: float) -> float:
    """Seconds to the next full one of the wall clock ``now`` (unix seconds): more than none, and at most one."""
    return 1.0 - now % 1.0
