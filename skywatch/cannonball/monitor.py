"""Cannonball's part in the tracker: follows users, aircraft of interest and flight patterns tick by tick."""

from __future__ import annotations

import logging
import queue

from sqlalchemy.exc import SQLAlchemyError

from skywatch.cannonball.known.revision import TOPIC as KNOWN_TOPIC
from skywatch.cannonball.known.revision import current_revision
from skywatch.cannonball.tracking.changes import Detection
from skywatch.cannonball.tracking.interest import InterestBook
from skywatch.cannonball.tracking.known_table import EMPTY, KnownTable
from skywatch.cannonball.tracking.location import LocationStore
from skywatch.cannonball.tracking.locations import LocationBook
from skywatch.cannonball.tracking.records import Change
from skywatch.cannonball.tracking.restart import end_open_patterns, recent_pauses, take_up_sessions
from skywatch.cannonball.tracking.sessions import SessionBook
from skywatch.cannonball.tracking.watch import PatternWatch
from skywatch.cannonball.tracking.writer import Chore, Writer
from skywatch.core.bus import BusError
from skywatch.core.bus.base import Message
from skywatch.core.clock import unix_now
from skywatch.core.db import writing
from skywatch.core.runtime import Runtime
from skywatch.picture.sky import Sky

log = logging.getLogger(__name__)

# Internal topic: a user ended a session (data: its id).
COMMAND_TOPIC = "cannonball.commands"
LIST_EVERY_S = 5.0
LOCATIONS_EVERY_S = 60.0


class CannonballMonitor:
    """See ``skywatch.picture.monitor.Monitor``."""

    name = "cannonball"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        settings = self._settings = runtime.settings
        self._locations = LocationBook(runtime.bus)
        self._interests = InterestBook()
        self._watch = PatternWatch(settings.cannonball_pattern_confidence, settings.cannonball_pattern_memory_s)
        self._sessions = SessionBook(settings)
        self._ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._detected: dict[int, float] = {}
        self._table = EMPTY
        self._now = unix_now()
        self._writer = Writer(
            runtime,
            settings.cannonball_flush_s,
            [
                Chore(LIST_EVERY_S, self._refresh_table),
                Chore(LOCATIONS_EVERY_S, self._locations.read_all),
            ],
            self._ended.put,
        )
        self._subscription = runtime.bus.subscribe([KNOWN_TOPIC, COMMAND_TOPIC], self._hear)

    def start(self) -> None:
        """Take up what was running before."""
        self._locations.read_all()
        try:
            self._refresh_table()
            self._restore()
        except SQLAlchemyError as error:
            log.warning("Cannonball begins without what was before: %s", str(error).splitlines()[0])
        self._writer.start()

    def on_tick(self, sky: Sky) -> None:
        """One tick: locations, interest, patterns, sessions; what is to be written goes to the writer."""
        self._now = sky.now
        changes: list[Change] = []
        self._locations.update(sky.now)
        self._interests.table = self._table
        self._interests.update(sky)
        changes += self._watch.update(sky)
        changes += self._detections(sky)
        changes += self._sessions.end_by_user(self._ended_by_users(), sky.now)
        changes += self._sessions.update(sky, self._locations.users, self._interests, self._watch)
        if changes:
            self._writer.put(changes)

    def close(self) -> None:
        """Write what was taken; running sessions are taken up again by the next start."""
        self._subscription.close()
        self._locations.close()
        self._writer.close()

    def _hear(self, message: Message) -> None:
        if message.topic == KNOWN_TOPIC:
            self._writer.run_chores_soon()
        else:
            self._ended.put(int(message.data))

    def _ended_by_users(self) -> list[int]:
        ended = []
        while not self._ended.empty():
            ended.append(self._ended.get())
        return ended

    def _detections(self, sky: Sky) -> list[Change]:
        found: list[Change] = []
        first_seen = sky.column("first_seen")
        for row in self._interests.known_rows.tolist():
            known_id = self._interests.known_id(row)
            last = self._detected.get(known_id)
            if last is None or sky.now - last > self._settings.cannonball_flight_gap_s:
                found.append(Detection(known_id, float(first_seen[row]), sky.now))
            self._detected[known_id] = sky.now
        return found

    def _refresh_table(self) -> None:
        with self._runtime.sessions() as db:
            if current_revision(db) != self._table.revision:
                self._table = KnownTable.read(db)

    def _restore(self) -> None:
        now = unix_now()
        try:
            users = {location.user_id for location in LocationStore(self._runtime.bus).all()}
        except BusError:
            users = set()
        with writing(self._runtime.sessions) as db:
            pauses = recent_pauses(db, now)
            sessions = take_up_sessions(db, users, now, self._settings.cannonball_unseen_s)
            end_open_patterns(db, now)
        for pair, given in pauses.items():
            self._sessions.remember_pauses(pair, given)
        for session in sessions:
            self._sessions.restore(session)


def create(runtime: Runtime) -> CannonballMonitor:
    """The monitor of this installation."""
    return CannonballMonitor(runtime)
