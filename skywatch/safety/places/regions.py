"""Regions of disturbed navigation signals over time: recording them, and their state at a moment."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.core.clock import earlier, to_datetime
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.picture.counted import counted
from skywatch.safety.detection.navigation.regions import Region
from skywatch.safety.events.tracker import LiveEvent
from skywatch.safety.models import SafetyEvent, SafetyRegion

# Limit of states buffered for the database.
QUEUE_LIMIT = 10_000
# A region that does not change for longer is looked up no more: the index is that of its beginning.
MAX_STATE = timedelta(days=1)


@dataclass
class _State:
    """A region between two changes."""

    region: str
    from_at: float
    until_at: float
    cell_deg: float
    cells: tuple[str, ...]
    bad: int
    good: int
    military: bool
    hexes: set[str]
    simulated: bool = False
    row_id: int | None = None
    is_stored: bool = False

    def like(self, other: _State) -> bool:
        """Whether the two differ in time only."""
        return (self.cells, self.bad, self.good) == (other.cells, other.bad, other.good)


class RegionLog:
    """Records regions in the tracker's thread, stores them in another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: dict[str, _State] = {}
        self._waiting: list[_State] = []

    def note(self, regions: Iterable[Region], now: float, cell_deg: float, simulated: Collection[str] = ()) -> None:
        """Take the regions of this tick; ``simulated`` are keys of regions with a simulated aircraft."""
        with self._lock:
            present: set[str] = set()
            for region in regions:
                cells = tuple(sorted(f"{y}:{x}" for y, x in region.cells))
                counts = region.bad, region.good, region.military
                state = _State(
                    region.key, now, now, cell_deg, cells, *counts, set(region.hexes), region.key in simulated
                )
                present.add(region.key)
                before = self._latest.get(region.key)
                if before is not None and before.like(state):
                    before.until_at, before.is_stored = now, False
                    before.hexes |= state.hexes
                    before.simulated |= state.simulated
                    continue
                self._latest[region.key] = state
                self._waiting.append(state)
            for key in set(self._latest) - present:
                del self._latest[key]
            del self._waiting[:-QUEUE_LIMIT]

    def store(self, sessions: SessionFactory) -> None:
        """Write new and continued states; raises SQLAlchemyError, after which all are retried."""
        with self._lock:
            by_id = {id(state): state for state in (*self._waiting, *self._latest.values())}
            states = [state for state in by_id.values() if not state.is_stored]
        if not states:
            return
        with writing(sessions) as session:
            row_ids = [_write(session, state) for state in states]
        with self._lock:
            for state, row_id in zip(states, row_ids, strict=True):
                state.row_id, state.is_stored = row_id, True
            self._waiting = [state for state in self._waiting if not state.is_stored]


def _write(session: Session, state: _State) -> int:
    """Write a state; returns the identifier of its row, which is valid once the transaction is committed."""
    aircraft = sorted(address.upper() for address in state.hexes)
    if state.row_id is not None:
        update = sa.update(SafetyRegion).where(SafetyRegion.id == state.row_id)
        session.execute(
            update.values(until_at=to_datetime(state.until_at), aircraft=aircraft, simulated=state.simulated)
        )
        return state.row_id
    row = SafetyRegion(
        region=state.region,
        from_at=to_datetime(state.from_at),
        until_at=to_datetime(state.until_at),
        cell_deg=state.cell_deg,
        cells=list(state.cells),
        bad=state.bad,
        good=state.good,
        military=state.military,
        simulated=state.simulated,
        aircraft=aircraft,
    )
    session.add(row)
    session.flush()
    return row.id


def read_active(session: Session, live: Iterable[LiveEvent], now: float) -> list[Region]:
    """The regions of events that are still active, with their latest cells."""
    regions: list[Region] = []
    for event in live:
        if not event.finding.key.startswith("region:"):
            continue
        query = sa.select(SafetyRegion).where(SafetyRegion.region == event.finding.key)
        row = session.scalars(query.order_by(SafetyRegion.id.desc()).limit(1)).one_or_none()
        if row is None:
            continue
        _, number, began = event.finding.key.split(":")
        cells = {(int(y), int(x)) for y, x in (cell.split(":") for cell in row.cells)}
        regions.append(
            Region(int(number), cells, row.bad, row.good, now, row.military, event.finding.hexes, float(began))
        )
    return regions


def at(session: Session, when: datetime, military: bool) -> list[SafetyRegion]:
    """The regions at a moment."""
    began = SafetyRegion.from_at.between(earlier(when, MAX_STATE), when)
    query = sa.select(SafetyRegion).where(
        began, SafetyRegion.until_at >= when, counted(session, SafetyRegion.simulated)
    )
    if not military:
        query = query.where(civil_rows(SafetyRegion))
    latest: dict[str, SafetyRegion] = {row.region: row for row in session.scalars(query.order_by(SafetyRegion.id))}
    return list(latest.values())


def region_answer(row: SafetyRegion) -> dict[str, Any]:
    """A region as GeoJSON: its cells as a MultiPolygon, the counts behind it as properties."""
    size = row.cell_deg
    polygons = []
    for y, x in (map(int, cell.split(":")) for cell in row.cells):
        south, west = y * size, x * size
        ring = [[west, south], [west + size, south], [west + size, south + size], [west, south + size], [west, south]]
        polygons.append([[[round(lon, 4), round(lat, 4)] for lon, lat in ring]])
    return {
        "type": "Feature",
        "geometry": {"type": "MultiPolygon", "coordinates": polygons},
        "properties": {
            "region": row.region,
            "bad": row.bad,
            "good": row.good,
            "share": round(row.bad / max(row.bad + row.good, 1), 3),
            "from_at": row.from_at,
            "until_at": row.until_at,
        },
    }


def now(session: Session, military: bool) -> list[SafetyRegion]:
    """The regions of events that are active, each as it was stored last."""
    active = sa.select(SafetyEvent.key).where(SafetyEvent.ended_at.is_(None), SafetyEvent.key.startswith("region:"))
    query = sa.select(SafetyRegion).where(SafetyRegion.region.in_(active), counted(session, SafetyRegion.simulated))
    if not military:
        query = query.where(civil_rows(SafetyRegion))
    latest: dict[str, SafetyRegion] = {row.region: row for row in session.scalars(query.order_by(SafetyRegion.id))}
    return list(latest.values())
