"""Safety's part in the tracker: detects at every tick, tracks events, and stores and publishes them."""

from __future__ import annotations

import logging
import queue

from sqlalchemy.orm import Session

from skywatch.core import events
from skywatch.core.clock import unix_now
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.core.storage.queue import WriteQueue
from skywatch.core.storage.writer import BackgroundWriter
from skywatch.core.telemetry.metrics import boolean_label
from skywatch.picture.state.sky import Sky
from skywatch.safety.detection.detectors import Detectors
from skywatch.safety.detection.finding import marked_simulated
from skywatch.safety.detection.learnt_places import Cell, Learnt
from skywatch.safety.detection.navigation.regions import Region
from skywatch.safety.events import storage
from skywatch.safety.events.tracker import Change, EventTracker, LiveEvent
from skywatch.safety.metrics import SAFETY_ACTIVE, SAFETY_COUNTED, SAFETY_CROWD, SAFETY_EVENTS
from skywatch.safety.places import regions
from skywatch.safety.places import storage as places
from skywatch.safety.thresholds import store as settings_store
from skywatch.safety.thresholds.thresholds import Thresholds

log = logging.getLogger(__name__)
# Limit of changes buffered for the database: hours of a busy sky. Updates of an event replace one another, and while
# more than COARSE_SHARE of the limit waits, what begins is counted in one event of its type: nothing has to be dropped.
QUEUE_LIMIT, COARSE_SHARE = 20_000, 0.25
# A changed threshold is in force within 2 s, as documented.
THRESHOLDS_EVERY_S = 1.5
PLACES_EVERY_S = 60.0
REGIONS_EVERY_S = 10.0
START_S = 2.0
# Every event has been listed by itself, or every aircraft compared, for so long (s) when the log says that it is so
# again.
COUNTED_S = 60.0

Restored = tuple[list[LiveEvent], list[Region], dict[Cell, Learnt]]


class SafetyMonitor:
    """See ``skywatch.picture.monitor.Monitor``."""

    name = "safety"

    def __init__(self, runtime: Runtime) -> None:
        self._sessions = runtime.sessions
        self._detectors = Detectors()
        self._book = EventTracker()
        self._thresholds = Thresholds()
        self._restored: queue.SimpleQueue[Restored] = queue.SimpleQueue()
        self._forgotten: queue.SimpleQueue[set[Cell] | None] = queue.SimpleQueue()
        self._queue: WriteQueue[Change] = WriteQueue(QUEUE_LIMIT)
        self._writer: BackgroundWriter[Change, list[tuple[LiveEvent, int]]] = BackgroundWriter(
            "safety", self._sessions, self._queue, self._write, committed=_number, prepare=self._restore
        )
        self._region_log = regions.RegionLog()
        self._tasks = (
            PeriodicTask("safety_thresholds", THRESHOLDS_EVERY_S, self._read_thresholds),
            PeriodicTask("safety_places", PLACES_EVERY_S, self._store_places),
            PeriodicTask("safety_regions", REGIONS_EVERY_S, self._store_regions),
        )
        # When occurrences were only counted last; None once that was long ago.
        self._counted_at: float | None = None
        # When aircraft were too crowded to be compared last; None once that was long ago.
        self._crowded_at: float | None = None
        self._forgotten_at: float | None = None
        self._has_thresholds = False
        self._was_complete = True

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds in force."""
        return self._thresholds

    def start(self) -> None:
        """Start; earlier events are restored as soon as the database answers."""
        self._writer.start(START_S)
        for task in self._tasks:
            task.start(0.0)

    def on_tick(self, sky: Sky) -> None:
        """Detect, track events, and queue changes for the writer."""
        self._take_up(sky.now)
        thresholds = self._thresholds
        self._detectors.aggregation.coarse = self._queue.depth > COARSE_SHARE * self._queue.limit
        if self._was_complete and not sky.is_complete:
            self._book.hold(sky.now)
        self._was_complete = sky.is_complete
        findings = marked_simulated(self._detectors.update(sky, thresholds), sky)
        self._put(self._book.update(findings, sky.now, thresholds, sky.is_complete))
        self._note_counted(sky.now)
        self._note_crowd(sky.now)
        flags = [event.finding.military for event in self._book.active if event.raised]
        for is_military in (False, True):
            SAFETY_ACTIVE.labels(boolean_label(is_military)).set(flags.count(is_military))
        simulated = {event.finding.key for event in self._book.active if event.finding.simulated}
        self._region_log.note(self._detectors.regions, sky.now, thresholds.area_cell_deg, simulated)

    def _put(self, changes: list[Change]) -> None:
        """Queue changes: an update replaces the one that waits, and is not needed once its event has ended."""
        for change in changes:
            if change.step == "updated":
                self._queue.replace(id(change.live), change)
                continue
            if change.step == "ended":
                self._queue.discard(id(change.live))
            self._queue.append((change,))
        for change in changes:
            if change.first_raised:
                SAFETY_EVENTS.labels(change.event.finding.type, boolean_label(change.event.finding.military)).inc()

    def _note_counted(self, now: float) -> None:
        """Show how many occurrences are only counted, and log when that begins and when it is over."""
        counted = self._detectors.aggregation.counted
        for (kind, is_military), count in counted.items():
            SAFETY_COUNTED.labels(kind, boolean_label(is_military)).set(count)
        total = sum(counted.values())
        if total:
            if self._counted_at is None:
                log.warning("too many safety events at once: %d are counted in one event for each region", total)
            self._counted_at = now
        elif self._counted_at is not None and now - self._counted_at > COUNTED_S:
            log.warning("safety events are listed one by one again")
            self._counted_at = None

    def _note_crowd(self, now: float) -> None:
        """Log when aircraft begin to be too crowded to be compared, and when that is over."""
        SAFETY_CROWD.set(self._detectors.crowd)
        if self._detectors.crowd:
            if self._crowded_at is None:
                log.warning(
                    "too many aircraft in one place: %d are not compared, so that they raise no proximity event",
                    self._detectors.crowd,
                )
            self._crowded_at = now
        elif self._crowded_at is not None and now - self._crowded_at > COUNTED_S:
            log.warning("all aircraft are compared again for proximity events")
            self._crowded_at = None

    def close(self) -> None:
        """Write pending changes; the next start restores active events."""
        for task in self._tasks:
            task.close()
        self._writer.close()

    def _take_up(self, now: float) -> None:
        while not self._restored.empty():
            live, known_regions, cells = self._restored.get()
            self._book.restore(live, now)
            self._detectors.restore([event.finding for event in live], known_regions, now)
            self._detectors.learner.restore(cells)
        while not self._forgotten.empty():
            self._detectors.learner.forget(self._forgotten.get())

    def _restore(self) -> None:
        """In the writer's thread, before anything is written."""
        with self._sessions() as session:
            live = storage.read_active(session)
            past_regions = regions.read_active(session, live, unix_now())
            self._restored.put((live, past_regions, places.read(session)))

    def _write(self, session: Session, changes: list[Change]) -> list[tuple[LiveEvent, int]]:
        ids, messages = storage.write(session, changes)
        events.publish(session, *messages)
        return ids

    def _read_thresholds(self) -> None:
        with self._sessions() as session:
            self._thresholds, forgotten = settings_store.read(session)
        if self._has_thresholds and forgotten != self._forgotten_at:
            self._forgotten.put(None)
        self._forgotten_at, self._has_thresholds = forgotten, True

    def _store_places(self) -> None:
        places.store(self._sessions, self._detectors.learner)

    def _store_regions(self) -> None:
        self._region_log.store(self._sessions)


def _number(changes: list[Change], ids: list[tuple[LiveEvent, int]]) -> None:
    """After the commit: the identifiers of new events."""
    for event, row_id in ids:
        event.id = row_id


def create(runtime: Runtime) -> SafetyMonitor:
    """The monitor of this installation."""
    return SafetyMonitor(runtime)
