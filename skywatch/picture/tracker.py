"""``Tracker``: the role that runs the receivers, ticks the picture once a second and publishes it.

It runs as one asyncio task. A receiver, a monitor or a database that fails is logged and counted; the picture goes on.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from skywatch.airframes.cache import AirframeCache
from skywatch.core import geo
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import writing
from skywatch.core.election.tracker_election import OnlyTracker
from skywatch.core.process import tasks
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.inputs.running_inputs import RunningInputs, described_failures
from skywatch.picture.access import PictureAccess
from skywatch.picture.counted import counts_simulated, record_real_sky
from skywatch.picture.declared import (
    FAMILY,
    declared_listeners,
    declared_receivers,
    open_declared,
    unusable,
    use_settings,
)
from skywatch.picture.distribution.feed import SkyFeed
from skywatch.picture.distribution.follower import PictureFollower
from skywatch.picture.distribution.publisher import SkyPublisher
from skywatch.picture.distribution.statistics import TrackerStatistics
from skywatch.picture.intake import FeederIntake
from skywatch.picture.monitor import Monitor
from skywatch.picture.picture import Picture
from skywatch.picture.reports_feed import FeederReports
from skywatch.picture.running_monitors import RunningMonitors
from skywatch.picture.saver import PictureSaver
from skywatch.picture.settings import PictureSettings
from skywatch.picture.state.own_antenna import ELSEWHERE, ORIGIN_SHIFT, OURS, SIMULATED, STATION
from skywatch.picture.state.routes import LiveRoutes
from skywatch.picture.state.sky import Sky
from skywatch.picture.state.visits import LiveVisits
from skywatch.picture.storage.followed_sky import saved_from
from skywatch.picture.tick_report import TickReport, forget_receiver
from skywatch.picture.trails.remote import TrailServer
from skywatch.receivers.base import Receiver, ReceiverStatus
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.feeder_streams.hub import feeder_hub
from skywatch.receivers.feeder_streams.installation import InstallationFeeders
from skywatch.receivers.feeder_streams.message_codec import FeederMessage
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.reports.further_reports import FurtherReports
from skywatch.receivers.settings import NETWORKS, SIMULATOR, ReceiverSettings
from skywatch.receivers.site import ANYWHERE

log = logging.getLogger(__name__)

# How often a standby looks whether it leads (s).
LEADS_EVERY_S = 0.05
# How often changed settings are looked for (s).
FOLLOW_EVERY_S = 1.0

# Every second brings tens of thousands of small lists that the next second drops; with Python's usual threshold
# the collector would walk through them hundreds of times before that.
GARBAGE_THRESHOLDS = (200_000, 20, 20)
# Turns of the loop between publishing and the monitors: where subscribers are on the same loop, the first makes their
# updates and the second writes what is left of them. They need not wait for alerts, history and safety.
TURNS_OF_SUBSCRIBERS = 2
# A receiver whose place is so near (nm) stands at the station.
SAME_PLACE_NM = 1.0
# After so long (s) most receivers have said something; nobody need look at an empty sky for a whole second.
FIRST_REPORTS_S = 0.3


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
        self.airframes = AirframeCache(runtime.sessions, runtime.bus)
        self._feeders = runtime.shared(feeder_hub)
        self._reception = runtime.shared(InstallationFeeders)
        self.picture = Picture(
            settings.station,
            settings.picture_timeout_s,
            self.airframes,
            maximum=settings.picture_max_aircraft,
            proof=True,
            shown_station=settings.shown_station,
            feeders=self._reception,
            routes=runtime.shared(LiveRoutes),
            visits=runtime.shared(LiveVisits),
        )
        self.picture.corroboration.limit = settings.of(ReceiverSettings).feeder_new_aircraft_minute
        self._intake = FeederIntake(self.picture, self._reception, runtime.bus)
        # Given ones are the caller's; those of the settings follow them.
        self._follows = receivers is None
        self.receivers: RunningInputs[Receiver] = RunningInputs(self._open, self._run_receiver, unusable)
        if receivers is None:
            open_declared(self.receivers, runtime.current, self._open)
        for receiver in receivers or ():
            self.receivers.add(f"receiver.{receiver.status.name}", receiver)
        self.monitors = RunningMonitors(monitors)
        self._access = runtime.shared(PictureAccess)
        self._note_receivers(settings)
        self._only = runtime.shared(OnlyTracker)
        self._report = TickReport(runtime.bus, self.picture, self._only.instance, self._only.is_in_touch)
        self._saver = PictureSaver(runtime.sessions, self.picture, self.statistics)
        self._publisher = SkyPublisher(runtime.bus, self._only.may_send)
        self._further = runtime.shared(FurtherReports)
        self._feed = runtime.shared(SkyFeed)
        self._feeder_reports = FeederReports(runtime.bus, self._take_second)
        self._follow_faults = FaultLog(log, "changed settings are not followed", "changed settings are followed")
        # That of the leader, as it was when this tracker took over.
        self._followed: Sky | None = None
        # Whether an aircraft that is not simulated was ever in the picture, and whether that is stored.
        self._hears_real = self._is_real_stored = False
        self._is_real_read = False
        # Receivers have the station of the time when they were opened.
        self._must_reopen = False

    @property
    def statistics(self) -> TrackerStatistics:
        """Figures of the last tick and of the last minute."""
        return self._report.statistics

    async def stand_by(self) -> None:
        """Follow the leader's picture until this process leads: no receiver and no monitor runs, and nothing is
        published or written.
        """
        self.airframes.start()
        leader = PictureFollower(self.runtime.bus, self.settings.picture_timeout_s)
        try:
            await asyncio.to_thread(leader.start)
            sky = leader.sky
            await asyncio.to_thread(self._intake.prepare)
            await asyncio.to_thread(self._saver.restore_trails, self.settings, set(sky.hexes))
            while not self._only.is_leading:
                await asyncio.sleep(LEADS_EVERY_S)
                if leader.sky is not sky:
                    sky = leader.sky
                    self.picture.trails.add(sky)
                    # As the leader does, so that a military aircraft is never shown as a civil one after it.
                    self.airframes.lookup(sky.hexes)
            self._followed = leader.sky
        except asyncio.CancelledError:
            self.airframes.close()
            raise
        finally:
            await asyncio.to_thread(leader.close)

    def _warm_up(self) -> bool:
        """Restore the picture of the leader before, or the saved one; whether an aircraft is in it."""
        if self._followed is None:
            self.airframes.start()
        elif len(self._followed):
            try:
                return bool(self.picture.restore(saved_from(self._followed)))
            except Exception:
                log.exception("the picture of the leader before cannot be used, the saved one is")
        return self._saver.restore(self.settings)

    async def run(self, make_monitors: Callable[[], Awaitable[Sequence[Monitor]]] | None = None) -> None:
        """Track until cancelled; what the monitors accepted is written before this returns.

        ``make_monitors`` gives those that come in place of those that it was made with: a tracker that stood by has
        them only now.
        """
        self.statistics.started_at = unix_now()
        self._access.open(self.picture)
        gc.set_threshold(*GARBAGE_THRESHOLDS)
        # In a thread: a start may wait a little for the bus or the database.
        is_restored = await asyncio.to_thread(self._warm_up)
        self.picture.begin(self._only.term)
        self.statistics.epoch = self.picture.epoch
        trail_server = await asyncio.to_thread(TrailServer, self.runtime.bus, self.picture.trails, self._only.is_sure)
        await asyncio.to_thread(self._publisher.start)
        await asyncio.to_thread(self._feeder_reports.start, asyncio.get_running_loop())
        starting = asyncio.create_task(self._start_monitors(make_monitors), name="monitors start")
        try:
            if self._followed is not None:
                # The picture goes on: monitors may have to wait for a database and a bus that have lost a host.
                await self._tick_until(starting)
            await starting
        except BaseException:
            await tasks.end(starting)
            raise
        self.receivers.start()
        following = asyncio.create_task(
            tasks.repeat(self._follow_current, FOLLOW_EVERY_S, self._follow_faults), name="settings of receivers"
        )
        faults = FaultLog(log, "it cannot be stored that real aircraft are heard", "it is stored")
        noting = asyncio.create_task(tasks.repeat(self._store_real_sky, FOLLOW_EVERY_S, faults), name="real sky")
        try:
            if is_restored:
                # At once, so that a picture that was saved is there before the first second has passed.
                await self._tick_if_sure()
            await asyncio.sleep(FIRST_REPORTS_S)
            await self._tick_if_sure()
            while True:
                await asyncio.sleep(until_next_second(time.time()))
                await self._tick_if_sure()
        finally:
            await tasks.end(following, noting)
            await self.receivers.stop()
            await asyncio.to_thread(trail_server.close)
            await asyncio.to_thread(self._feeder_reports.close)
            await asyncio.to_thread(self._publisher.close)
            await self._close()

    async def _start_monitors(self, make: Callable[[], Awaitable[Sequence[Monitor]]] | None) -> None:
        monitors = self.monitors if make is None else RunningMonitors(await make())
        await asyncio.to_thread(monitors.start)
        self.monitors = monitors

    async def _tick_until(self, done: asyncio.Task[None]) -> None:
        """Tick at once, and then each second until a task is done."""
        while not done.done():
            await self._tick_if_sure()
            await asyncio.wait({done}, timeout=until_next_second(time.time()))

    def tick(self) -> Sky:
        """One tick: picture, bus, monitors."""
        started = time.perf_counter()
        sky = self._make_sky()
        self._show(sky, time.perf_counter() - started)
        return sky

    def _make_sky(self) -> Sky:
        """Make and publish the present picture."""
        for source, reports in self._further.take().items():
            self.picture.put(source, reports, len(reports), proven=True)
        self._intake.put_agreed()
        sky = self.picture.tick()
        self.airframes.store_reports(self.picture.take_reported_military())
        self._publisher.publish(sky)
        return sky

    def _show(self, sky: Sky, taken_s: float) -> None:
        """Show a published picture, which took so long, to the monitors, and report the tick."""
        started = time.perf_counter()
        self.monitors.on_tick(sky, self._feed.subscribers())
        self._hears_real = self._hears_real or not sky.column("simulated").all()
        self._publish_report(sky, taken_s + time.perf_counter() - started)
        self._saver.save_when_due(self.settings.picture_save_s)

    def _take_second(self, message: FeederMessage) -> None:
        """Take what the feeders of another process sent."""
        self._intake.take(message.reduction, message.process)
        for number in message.copied:
            self._feeders.note_copied(number)

    async def _follow_current(self) -> None:
        # In a thread: now and then it asks the database.
        await self.follow((await asyncio.to_thread(lambda: self.runtime.current)).of(PictureSettings))

    async def _store_real_sky(self) -> None:
        if not self._is_real_read:
            self._is_real_stored = await asyncio.to_thread(self._read_real_sky)
            self._hears_real = self._hears_real or self._is_real_stored
            self._is_real_read = True
        if self._hears_real and not self._is_real_stored:
            await asyncio.to_thread(self._record_real_sky)
            self._is_real_stored = True

    def _read_real_sky(self) -> bool:
        with self.runtime.sessions() as session:
            return not counts_simulated(session)

    def _record_real_sky(self) -> None:
        with writing(self.runtime.sessions) as session:
            record_real_sky(session)

    async def follow(self, settings: PictureSettings) -> None:
        """Take changed settings: the station, and receivers that were added, changed or removed."""
        if settings is self.settings:
            return
        stations = settings.station, settings.shown_station
        if stations != (self.picture.station, self.picture.shown_station):
            # Receivers know where the antenna is, whatever others may know of it.
            self._must_reopen = self._must_reopen or settings.station != self.picture.station
            self.picture.move(*stations)
            self.statistics.epoch = self.picture.epoch
        if self._follows:
            before = {f"receiver.{status.name}": status for status in self.statuses()}
            for name in await self.receivers.follow(declared_receivers(settings), reopen=self._must_reopen):
                forget_receiver(before[name])
                if before[name].kind == SIMULATOR:
                    self.picture.forget(before[name].name)
            self._must_reopen = False
            self._note_receivers(settings)
        use_settings(self.receivers, settings.of(ReceiverSettings))
        self.picture.corroboration.limit = settings.of(ReceiverSettings).feeder_new_aircraft_minute
        self.settings = settings

    def _open(self, full_name: str, text: str) -> Receiver:
        context = ReceiverContext(
            settings=self.runtime.current.of(ReceiverSettings),
            tap=self.runtime.shared(FrameTap),
            feeders=self._feeders,
            consume=self._intake.take,
        )
        return open_receiver(full_name.removeprefix("receiver."), text, self.picture.station, context)

    async def _run_receiver(self, receiver: Receiver) -> None:
        await receiver.run(self.picture)

    def _note_receivers(self, settings: PictureSettings) -> None:
        # Only recordings have a speed; to ask for their class would load their decoders for everybody.
        self.picture.pace.clear()
        self.picture.places.clear()
        self.picture.shown_places.clear()
        for receiver in self.receivers:
            self.picture.pace[receiver.status.name] = getattr(receiver, "speed", 1.0)
            # That of one that is gone stays: its aircraft are shown for some time.
            self.picture.origins[receiver.status.name] = self._origin_of(receiver)
            if isinstance(receiver, RetryingReceiver) and receiver.site.is_own and receiver.site.place is not None:
                self.picture.places[receiver.name] = receiver.site.place
                self.picture.shown_places[receiver.name] = settings.shown(receiver.site.place)

    def _origin_of(self, receiver: Receiver) -> int:
        """Where a receiver hears aircraft, as bits of ``own_antenna``; 0 at the station."""
        kind = receiver.status.kind
        if kind == SIMULATOR:
            # Beside real receivers nothing is made of what is not real.
            are_all = all(other.status.kind == SIMULATOR for other in self.receivers)
            return SIMULATED | (STATION if are_all else ELSEWHERE) << ORIGIN_SHIFT
        if kind in NETWORKS:
            return ELSEWHERE << ORIGIN_SHIFT
        site = receiver.site if isinstance(receiver, RetryingReceiver) else ANYWHERE
        station = self.picture.station
        if not site.is_own or site.place is None:
            return STATION
        is_there = station is not None and geo.distance_nm(*station, *site.place) <= SAME_PLACE_NM
        return STATION if is_there else OURS << ORIGIN_SHIFT

    async def _tick_if_sure(self) -> None:
        """Tick unless another tracker leads by now."""
        if self._only.may_publish() or await asyncio.to_thread(self._only.confirm):
            await self._tick_safely()

    async def _tick_safely(self) -> None:
        try:
            started = time.perf_counter()
            sky = self._make_sky()
            taken_s = time.perf_counter() - started
            for _ in range(TURNS_OF_SUBSCRIBERS):
                await asyncio.sleep(0)
            self._show(sky, taken_s)
        except Exception:
            # An internal fault: a new picture is better than none.
            log.exception("a tick failed, the picture starts over")
            self.picture.recover()
            self.statistics.epoch = self.picture.epoch
            self.statistics.ticks_failed += 1

    def statuses(self) -> list[ReceiverStatus]:
        """The state of every receiver; refused positions are counted with refused messages."""
        statuses = []
        for receiver in self.receivers:
            status = receiver.status
            invalid = {**status.invalid, **self.picture.validator.implausible.get(status.name, Counter())}
            statuses.append(msgspec.structs.replace(status, invalid=invalid))
        if not self.runtime.bus.carries_objects:
            listeners = [name.removeprefix(FAMILY) for name in declared_listeners(self.runtime.current)]
            statuses += self._feeder_reports.statuses(listeners)
        return statuses

    def _publish_report(self, sky: Sky, duration_s: float) -> None:
        fault = self._follow_faults.description or described_failures(self.receivers.failures)
        self._report.publish(
            sky,
            duration_s,
            self._publisher.skipped,
            self.monitors.errors,
            self.statuses(),
            fault,
            simulated=not self._hears_real,
        )

    async def _close(self) -> None:
        await self._saver.close(self.settings.picture_save_s)
        await self.monitors.close()
        self.airframes.close()
        self._report.close()


def until_next_second(now: float) -> float:
    """Seconds to the next full one of the wall clock ``now`` (unix seconds): more than none, and at most one."""
    return 1.0 - now % 1.0
