"""The list of known aircraft in memory, updated by its revision before every answer.

A large sorted segment stays as it was loaded; entries changed since are in a small second segment that hides the old
rows. When that has grown, as after an import, the list is reloaded in the background while requests use the old one.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from skywatch.airframes.military import MilitaryAircraft, military_aircraft
from skywatch.cannonball.known.revision import current_revision
from skywatch.cannonball.known.segment import AGENCY_TYPES, BLOCK, Entry, Filters, Mask, Segment
from skywatch.cannonball.models import KnownAircraft, KnownRemoval
from skywatch.core.database.engine import SessionFactory
from skywatch.core.runtime import Runtime

log = logging.getLogger(__name__)

# Time for which the list is used without a query (s); announcements on the bus expire it at once.
RECENT_S = 0.5
# Largest number of changed entries before the list is reloaded; building their segment takes some milliseconds.
CHANGES_KEPT = 2000
_COLUMNS = tuple(getattr(KnownAircraft, name) for name in Entry._fields)


@dataclass(frozen=True)
class Matches:
    """The result of a search: number of entries, of verified ones, and the addresses of one page."""

    count: int
    verified_count: int
    addresses: list[str]


@dataclass(frozen=True)
class Totals:
    """The statistics of the list."""

    total: int
    verified: int
    by_agency_type: dict[str, int]
    by_state: dict[str, int]


@dataclass(frozen=True)
class Snapshot:
    """The whole list at one revision; ``alive`` is the mask of rows of ``base`` that have not changed."""

    revision: int
    base: Segment
    alive: Mask
    changed: Segment

    def agency_type(self, address: int) -> str | None:
        """The agency type of the entry of an address, None if it is not on the list."""
        row = self.changed.row_of(address)
        if row >= 0:
            result: str | None = AGENCY_TYPES[self.changed.agency_types[row]]
            return result
        row = self.base.row_of(address)
        return AGENCY_TYPES[self.base.agency_types[row]] if row >= 0 and self.alive[row] else None

    def find(self, filters: Filters, offset: int, limit: int) -> Matches:
        """Entries that match the filters, by address; ``offset`` and ``limit`` select a page."""
        in_base = self.base.matching(filters) & self.alive
        in_changed = self.changed.matching(filters)
        addresses = self.base.addresses[in_base]
        newer = self.changed.addresses[in_changed]
        if len(newer):
            addresses = np.insert(addresses, np.searchsorted(addresses, newer), newer)
        verified = np.count_nonzero(in_base & self.base.verified)
        verified += np.count_nonzero(in_changed & self.changed.verified)
        page = [f"{address:06X}" for address in addresses[offset : offset + limit].tolist()]
        return Matches(len(addresses), int(verified), page)

    def totals(self, hidden: MilitaryAircraft | None) -> Totals:
        """Counts by agency type (every type is named) and state (those that occur), without ``hidden`` aircraft."""
        types = np.zeros(len(AGENCY_TYPES), dtype=np.int64)
        states: dict[str, int] = {}
        total = verified = 0
        for segment, alive in ((self.base, self.alive), (self.changed, np.ones(len(self.changed), dtype=bool))):
            mask = segment.matching(Filters(hidden=hidden)) & alive
            total += int(np.count_nonzero(mask))
            verified += int(np.count_nonzero(mask & segment.verified))
            types += np.bincount(segment.agency_types[mask], minlength=len(AGENCY_TYPES))
            for state, count in zip(*np.unique(segment.states[mask], return_counts=True), strict=True):
                if state:
                    states[state.decode()] = states.get(state.decode(), 0) + int(count)
        by_type = dict(zip(AGENCY_TYPES, types.tolist(), strict=True))
        return Totals(total, verified, by_type, dict(sorted(states.items())))


def known_index(runtime: Runtime) -> KnownIndex:
    """The index of a process that serves the list."""
    return KnownIndex(runtime.sessions)


class KnownIndex:
    """Provides snapshots; one for each process that serves the list."""

    def __init__(self, sessions: SessionFactory) -> None:
        self._sessions = sessions
        # Locked while the whole list is loaded.
        self._reading = threading.Lock()
        # Locked while the snapshot is replaced.
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        # Which aircraft are military, as recent as what ``recent`` returns.
        self.military = MilitaryAircraft()
        self._changes: dict[str, Entry | None] = {}
        self._recent_until = 0.0

    def recent(self) -> Snapshot:
        """A snapshot at most ``RECENT_S`` old; nearly always without a query."""
        snapshot, now = self._snapshot, time.monotonic()
        if snapshot is not None and now < self._recent_until:
            return snapshot
        self._recent_until = now + RECENT_S  # Before the query: an announcement during it expires it.
        try:
            with self._sessions() as db:
                self.military = military_aircraft(db)
                return self.snapshot(db)
        except BaseException:
            self._recent_until = 0.0
            raise

    def expire(self) -> None:
        """Query the database before the next answer: the list has changed."""
        self._recent_until = 0.0

    def snapshot(self, db: Session) -> Snapshot:
        """The list in the transaction of ``db``; if too much has changed, the old list while it is reloaded."""
        snapshot = self._snapshot
        if snapshot is None:
            return self.prepare()
        if snapshot.revision == current_revision(db) or self._reading.locked():
            return snapshot
        updated = self._update(db)
        if updated is None:
            threading.Thread(target=self._read_in_background, name="known-aircraft", daemon=True).start()
        return updated or snapshot

    def prepare(self) -> Snapshot:
        """Update or load the list and wait for it; other threads use the old list meanwhile."""
        with self._sessions() as db:
            updated = self._update(db)
        return updated or self._read_all()

    def _read_all(self) -> Snapshot:
        with self._reading, self._sessions() as db:
            # Another thread may have loaded it while this one waited.
            if (updated := self._update(db)) is not None:
                return updated
            revision = current_revision(db)
            # On the connection itself: faster than a session for plain columns.
            base = Segment(db.connection().execute(sa.select(*_COLUMNS), execution_options={"yield_per": BLOCK}))
            with self._lock:
                self._changes = {}
                self._snapshot = Snapshot(revision, base, np.ones(len(base), dtype=bool), Segment([]))
                return self._snapshot

    def _read_in_background(self) -> None:
        try:
            self.prepare()
        except SQLAlchemyError as error:
            log.warning("the list of known aircraft cannot be read: %s", str(error).splitlines()[0])

    def _update(self, db: Session) -> Snapshot | None:
        with self._lock:
            return self._update_locked(db)

    def _update_locked(self, db: Session) -> Snapshot | None:
        """Apply the changes since the snapshot; None if there are too many, or nothing was loaded yet."""
        snapshot, revision = self._snapshot, current_revision(db)
        if snapshot is None or revision < snapshot.revision:
            # A lower revision means another database: a backup was restored.
            return None
        if revision == snapshot.revision:
            return snapshot
        changed = db.execute(
            sa.select(*_COLUMNS).where(KnownAircraft.revision > snapshot.revision).limit(CHANGES_KEPT + 1)
        ).all()
        removed = db.scalars(
            sa.select(KnownRemoval.icao_hex).where(KnownRemoval.revision > snapshot.revision).limit(CHANGES_KEPT + 1)
        ).all()
        if len(self._changes) + len(changed) + len(removed) > CHANGES_KEPT:
            return None
        # An address may have been removed from the list and added again: the present entry counts.
        self._changes.update(dict.fromkeys(removed))
        self._changes.update((row.icao_hex, Entry(*row)) for row in changed)
        touched = np.fromiter((int(a, 16) for a in self._changes), dtype=np.uint32, count=len(self._changes))
        alive = np.ones(len(snapshot.base), dtype=bool)
        alive[snapshot.base.rows_of(np.sort(touched))] = False
        changes = Segment([entry for entry in self._changes.values() if entry is not None])
        self._snapshot = Snapshot(revision, snapshot.base, alive, changes)
        return self._snapshot
