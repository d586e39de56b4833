"""The list of known aircraft in a process's memory, brought up to date by its revision before every answer.

A big sorted part is kept as it was read; what changed since is a small second part that hides the old rows. When that
has grown, as after an import, everything is read anew beside the requests, which are answered from the list as it was
until then. The database stays the only truth.
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

from skywatch.cannonball.known.revision import current_revision
from skywatch.cannonball.known.segment import AGENCY_TYPES, BLOCK, Entry, Filters, Mask, Segment
from skywatch.cannonball.models import KnownAircraft, KnownRemoval
from skywatch.core.db import SessionFactory

log = logging.getLogger(__name__)

# How long a process that was told of no change relies on that (s); announcements on the bus come at once.
RECENT_S = 0.5
# So many changed entries are kept apart before all are read again; building their part takes some milliseconds.
CHANGES_KEPT = 2000
_COLUMNS = tuple(getattr(KnownAircraft, name) for name in Entry._fields)


@dataclass(frozen=True)
class Matches:
    """What a search found: how many entries, how many of them verified, and the addresses of one page."""

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
    """The whole list at one revision; ``alive`` says which rows of ``base`` still stand."""

    revision: int
    base: Segment
    alive: Mask
    changed: Segment

    def agency_type(self, address: int) -> str | None:
        """The agency type of the entry of an address, None where it is not on the list."""
        row = self.changed.row_of(address)
        if row >= 0:
            return AGENCY_TYPES[self.changed.agency_types[row]]
        row = self.base.row_of(address)
        return AGENCY_TYPES[self.base.agency_types[row]] if row >= 0 and self.alive[row] else None

    def find(self, filters: Filters, offset: int, limit: int) -> Matches:
        """Entries that pass the filters, by address; ``offset`` and ``limit`` cut out a page."""
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

    def totals(self, military: bool) -> Totals:
        """Counts by agency type (every type is named) and state (those that occur); ``military`` includes that type."""
        types = np.zeros(len(AGENCY_TYPES), dtype=np.int64)
        states: dict[str, int] = {}
        total = verified = 0
        for segment, alive in ((self.base, self.alive), (self.changed, np.ones(len(self.changed), dtype=bool))):
            mask = segment.matching(Filters(military=military)) & alive
            total += int(np.count_nonzero(mask))
            verified += int(np.count_nonzero(mask & segment.verified))
            types += np.bincount(segment.agency_types[mask], minlength=len(AGENCY_TYPES))
            for state, count in zip(*np.unique(segment.states[mask], return_counts=True), strict=True):
                if state:
                    states[state.decode()] = states.get(state.decode(), 0) + int(count)
        by_type = dict(zip(AGENCY_TYPES, types.tolist(), strict=True))
        return Totals(total, verified, by_type, dict(sorted(states.items())))


class KnownIndex:
    """Gives out snapshots; one for each process that serves the list."""

    def __init__(self, sessions: SessionFactory) -> None:
        self._sessions = sessions
        # Held for as long as the whole list is being read.
        self._reading = threading.Lock()
        # Held while the snapshot is replaced.
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._changes: dict[str, Entry | None] = {}
        self._recent_until = 0.0

    def recent(self) -> Snapshot:
        """The list as it was at most ``RECENT_S`` ago; nearly always without a query."""
        held, now = self._snapshot, time.monotonic()
        if held is not None and now < self._recent_until:
            return held
        self._recent_until = now + RECENT_S  # before the query: what is announced meanwhile ends it
        try:
            with self._sessions() as db:
                return self.snapshot(db)
        except BaseException:
            self._recent_until = 0.0
            raise

    def expire(self) -> None:
        """Look at the database before the next answer: the list has changed."""
        self._recent_until = 0.0

    def snapshot(self, db: Session) -> Snapshot:
        """The list as ``db`` sees it now; where too much has changed for that, as it was while it is read anew."""
        held = self._snapshot
        if held is None:
            return self.prepare()
        if held.revision == current_revision(db) or self._reading.locked():
            return held
        caught_up = self._caught_up(db)
        if caught_up is None:
            threading.Thread(target=self._read_beside, name="known-aircraft", daemon=True).start()
        return caught_up or held

    def prepare(self) -> Snapshot:
        """Bring the list up to date and wait for it; others are answered from the list as it was meanwhile."""
        with self._sessions() as db:
            caught_up = self._caught_up(db)
        return caught_up or self._read_all()

    def _read_all(self) -> Snapshot:
        with self._reading, self._sessions() as db:
            # Whoever was waited for may have read it.
            if (caught_up := self._caught_up(db)) is not None:
                return caught_up
            revision = current_revision(db)
            # On the connection itself: columns need nothing of what a session does to every row.
            base = Segment(db.connection().execute(sa.select(*_COLUMNS), execution_options={"yield_per": BLOCK}))
            with self._lock:
                self._changes = {}
                self._snapshot = Snapshot(revision, base, np.ones(len(base), dtype=bool), Segment([]))
                return self._snapshot

    def _read_beside(self) -> None:
        try:
            self.prepare()
        except SQLAlchemyError as error:
            log.warning("the list of known aircraft cannot be read: %s", str(error).splitlines()[0])

    def _caught_up(self, db: Session) -> Snapshot | None:
        with self._lock:
            return self._catch_up(db)

    def _catch_up(self, db: Session) -> Snapshot | None:
        """Take over what changed since the snapshot; None where that is too much, or nothing was read yet."""
        held, revision = self._snapshot, current_revision(db)
        if held is None or revision < held.revision:
            # A lower revision is that of another database: a copy was put back.
            return None
        if revision == held.revision:
            return held
        changed = db.execute(
            sa.select(*_COLUMNS).where(KnownAircraft.revision > held.revision).limit(CHANGES_KEPT + 1)
        ).all()
        removed = db.scalars(
            sa.select(KnownRemoval.icao_hex).where(KnownRemoval.revision > held.revision).limit(CHANGES_KEPT + 1)
        ).all()
        if len(self._changes) + len(changed) + len(removed) > CHANGES_KEPT:
            return None
        # An address may have been taken off the list and put on it again: what is there now counts.
        self._changes.update(dict.fromkeys(removed))
        self._changes.update((row.icao_hex, Entry(*row)) for row in changed)
        touched = np.fromiter((int(a, 16) for a in self._changes), dtype=np.uint32, count=len(self._changes))
        alive = np.ones(len(held.base), dtype=bool)
        alive[held.base.rows_of(np.sort(touched))] = False
        changes = Segment([entry for entry in self._changes.values() if entry is not None])
        self._snapshot = Snapshot(revision, held.base, alive, changes)
        return self._snapshot
