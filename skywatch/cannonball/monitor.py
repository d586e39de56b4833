"""The part of Cannonball in the tracker: locations, aircraft of interest, flight patterns and sessions at each tick."""

from __future__ import annotations

import logging
import queue
import time
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from skywatch.cannonball import topics
from skywatch.cannonball.known.revision import current_revision
from skywatch.cannonball.known.service import repair_derived
from skywatch.cannonball.location import LocationStore
from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracker.confidence import sure_sky, with_sure_places
from skywatch.cannonball.tracker.interests.detections import Detections
from skywatch.cannonball.tracker.interests.interest import InterestTable
from skywatch.cannonball.tracker.interests.known_table import EMPTY, KnownTable
from skywatch.cannonball.tracker.interests.pattern_change import PatternChange
from skywatch.cannonball.tracker.interests.watch import PatternWatch
from skywatch.cannonball.tracker.locations import LocationCache, end_forbidden
from skywatch.cannonball.tracker.pauses import Pauses, longest_pause_s
from skywatch.cannonball.tracker.session import LiveSession, Pair
from skywatch.cannonball.tracker.sessions import SessionTracker
from skywatch.cannonball.tracker.storage.records import Change
from skywatch.cannonball.tracker.storage.restart import muted_pairs, open_patterns, recent_pauses, resume_sessions
from skywatch.cannonball.tracker.storage.writer import CannonballWriter
from skywatch.core.bus import BusError
from skywatch.core.bus import topics as bus_topics
from skywatch.core.bus.base import Message
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import reason, writing
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.picture.state.sky import Sky

log = logging.getLogger(__name__)

LIST_EVERY_S = 5.0
LOCATIONS_EVERY_S = 60.0
# Longest wait for the database and the bus at the start (s), in a thread.
START_S = 3.0

# How often it is saved when known aircraft were last seen (s): far less than the gap that ends a flight.
DETECTIONS_EVERY_S = 30.0


@dataclass(frozen=True)
class Restored:
    """What the last tracker left; sessions of users in ``awaited`` have no location here, but may have one soon."""

    pauses: dict[Pair, Pauses]
    sessions: list[LiveSession]
    patterns: list[PatternChange]
    muted: set[Pair]
    seen_at: dict[int, float]
    awaited: set[int]


class CannonballMonitor:
    """See ``skywatch.picture.monitor.Monitor``."""

    name = "cannonball"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        settings = self._settings = runtime.settings.of(CannonballSettings)
        self._locations = LocationCache(runtime.bus)
        self._interests = InterestTable()
        self._watch = PatternWatch(settings.cannonball_pattern_confidence, settings.cannonball_pattern_memory_s)
        self._sessions = SessionTracker(settings)
        self._ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._detections = Detections(settings.cannonball_flight_gap_s)
        self._table = EMPTY
        self._now = unix_now()
        self._restored: queue.SimpleQueue[Restored] = queue.SimpleQueue()
        self._is_restored = False
        self._list_task = PeriodicTask("cannonball_list", LIST_EVERY_S, self._refresh_table)
        self._locations_task = PeriodicTask("cannonball_locations", LOCATIONS_EVERY_S, self._read_locations)
        self._detections_task = PeriodicTask("cannonball_detections", DETECTIONS_EVERY_S, self._save_detections)
        self._writer = CannonballWriter(
            runtime.sessions,
            settings.cannonball_flush_s,
            prepare=self._restore,
            on_ended_elsewhere=self._ended.put,
        )
        self._subscription = runtime.bus.subscribe(
            [topics.KNOWN, topics.COMMANDS, bus_topics.IDENTITIES], self._on_message
        )

    def start(self) -> None:
        """Start; running sessions are restored before the first tick unless the database is slow."""
        wait_until = time.monotonic() + START_S
        self._locations_task.start(START_S)
        self._list_task.start(max(0.0, wait_until - time.monotonic()))
        self._writer.start(max(0.0, wait_until - time.monotonic()))
        self._detections_task.start()

    def on_tick(self, sky: Sky) -> None:
        """Process one tick: locations, interest, patterns, sessions; changes are queued for the writer.

        Sessions and detections wait for what the last tracker left: it decides what is new.
        """
        self._now = sky.now
        sky = sure_sky(sky)
        self._resume()
        changes: list[Change] = []
        self._sessions.unknowns.update(self._locations.update(sky.now), sky.now)
        self._interests.table = self._table
        self._interests.update(sky)
        changes += self._watch.update(with_sure_places(sky))
        if self._is_restored:
            if detections := self._detections.update(sky, self._interests):
                changes += detections
                self._detections_task.run_soon()
            changes += self._sessions.end_by_user(self._ended_by_users(), sky.now)
            changes += self._sessions.update(sky, self._locations.users, self._interests, self._watch)
        if changes:
            self._writer.put(changes)

    def close(self) -> None:
        """Stop, and write queued changes; the next start restores running sessions."""
        self._subscription.close()
        self._list_task.close()
        self._locations_task.close()
        self._detections_task.close()
        self._locations.close()
        self._writer.close()
        try:
            self._save_detections()
        except (SQLAlchemyError, OSError) as error:
            log.warning("cannonball: when known aircraft were last seen cannot be saved: %s", reason(error))

    def _on_message(self, message: Message) -> None:
        if message.topic == topics.KNOWN:
            self._list_task.run_soon()
            self._locations_task.run_soon()
        elif message.topic == bus_topics.IDENTITIES:
            if message.event == "changed":
                self._locations_task.run_soon()
        else:
            self._ended.put(int(message.data))

    def _ended_by_users(self) -> list[int]:
        ended = []
        while not self._ended.empty():
            ended.append(self._ended.get())
        return ended

    def _save_detections(self) -> None:
        if self._is_restored:
            self._detections.save(self._runtime.sessions, self._now)

    def _read_locations(self) -> None:
        store = LocationStore(self._runtime.bus)
        locations = store.all()
        self._locations.replace(locations)
        # Deleted and deactivated users are not tracked, and their sessions cannot be written.
        users = {location.user_id for location in locations}
        end_forbidden(users, store, self._runtime.sessions, self._runtime.settings)

    def _refresh_table(self) -> None:
        with self._runtime.sessions() as db:
            if current_revision(db) == self._table.revision:
                return
            before, self._table = self._table.revision, KnownTable.read(db)
        repair_derived(self._runtime.sessions, before)

    def _restore(self) -> None:
        """Read what the last tracker left; in the writer's thread, before it writes anything."""
        now, settings = unix_now(), self._settings
        located = self._located()
        # A bus of this process lost the locations with the last one; nobody has ended them.
        lasts = located is not None and not self._runtime.bus.carries_objects
        with writing(self._runtime.sessions) as db:
            pauses = recent_pauses(db, now, longest_pause_s(settings))
            sessions = resume_sessions(
                db, located if lasts else None, now, settings.cannonball_unseen_s, settings.cannonball_overhead_nm
            )
            muted = muted_pairs(db, now)
            patterns = open_patterns(db, now, settings.cannonball_unseen_s)
        users = {session.user_id for session in sessions} | {user_id for user_id, _ in muted}
        awaited = set() if lasts else users - (located or set())
        seen_at = self._detections.read(self._runtime.sessions)
        self._restored.put(Restored(pauses, sessions, patterns, muted, seen_at, awaited))

    def _located(self) -> set[int] | None:
        """The users with a location, None if the bus cannot be asked."""
        try:
            return {location.user_id for location in LocationStore(self._runtime.bus).all()}
        except BusError:
            return None

    def _resume(self) -> None:
        while not self._restored.empty():
            restored = self._restored.get()
            for pair, pair_pauses in restored.pauses.items():
                self._sessions.remember_pauses(pair, pair_pauses)
            for session in restored.sessions:
                self._sessions.restore(session)
            self._watch.restore(restored.patterns, self._now)
            self._sessions.mute(restored.muted)
            self._detections.restore(restored.seen_at)
            for user_id in restored.awaited - self._locations.users.keys():
                self._sessions.unknowns.await_location(user_id, self._now + self._settings.cannonball_location_ttl_s)
            self._is_restored = True


def create(runtime: Runtime) -> CannonballMonitor:
    """The monitor of this installation."""
    return CannonballMonitor(runtime)
