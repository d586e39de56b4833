"""The aircraft topics: the picture as snapshots and as updates between two ticks.

``PictureState`` stores for each aircraft the tick of its last change, and for a while the aircraft that left. From that
an update between any two recent ticks can be made, so that resuming and slow clients need no stored backlog. It is
independent of connections.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from skywatch.picture.state.sky import Sky, empty_sky
from skywatch.realtime.topics.areas import Area, ChangedTiles, Departures, Moves, Rows
from skywatch.realtime.topics.columns import Form
from skywatch.realtime.topics.tile_grid import TileForm
from skywatch.realtime.wire.frames import Event

Population = Literal["all", "civil", "military"]

# Ticks after which a returning subscriber gets a snapshot; five minutes outlast a restart and a tunnel.
HISTORY_TICKS = 300
# Rough sizes that decide whether an update over many ticks is still smaller than a snapshot.
_AIRCRAFT_BYTES, _ADDRESS_BYTES = 400, 9


@dataclass(frozen=True)
class LiveView:
    """The contents of a subscription: topic, population, with or without airframe details, area."""

    topic: str
    population: Population
    details: bool
    area: Area | None = None
    # Rows of a few values instead of whole aircraft: of everything or an area, or by tiles.
    form: Form | TileForm | None = None
    # The user whose marks the rows have: a stream of their own while any aircraft is marked for them.
    user: int | None = None
    # Distances and bearings from the exact place of the station.
    exact: bool = False

    @cached_property
    def digest(self) -> str:
        """A short hash that is the same in every process for views with the same contents."""
        contents = f"{self.topic} {self.population} {self.details} {self.area}" + (f" {self.form}" if self.form else "")
        contents += f" {self.user}" if self.user is not None else ""
        contents += " exact" if self.exact else ""
        return hashlib.blake2s(contents.encode(), digest_size=4).hexdigest()


class PictureState:
    """The latest sky and what is needed to send the difference from any recent one."""

    def __init__(self) -> None:
        self.sky: Sky = empty_sky()
        # The tick before, without the JSON of its aircraft: of a full sky that is 11 MB.
        self.previous: Sky | None = None
        self.changed_seq: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        # Updates can begin at this tick or later.
        self.floor = 0
        self._departed: dict[Population, dict[str, int]] = {"all": {}, "civil": {}, "military": {}}
        self._memory: dict[object, object] = {}

    def forget(self) -> None:
        """Reset: the next sky is not a continuation."""
        self.sky, self.previous = empty_sky(), None
        self._memory.clear()

    def ingest(self, sky: Sky) -> bool:
        """Set the next sky; returns False if ticks were missed, so that no update from the last one is possible."""
        before, self.previous = self.sky, None
        continuous = sky.epoch == before.epoch and sky.seq == before.seq + 1
        self.sky = sky
        self._memory.clear()
        if not continuous:
            self.floor = sky.seq
            self.changed_seq = np.full(len(sky), sky.seq, dtype=np.int64)
            for departed in self._departed.values():
                departed.clear()
            return False
        before = self.previous = replace(before, encoded=[], details=[], scratch={})
        was = sky.column("previous_row")
        existing = was >= 0
        seqs = np.full(len(sky), sky.seq, dtype=np.int64)
        unchanged = existing & ~sky.column("changed")
        seqs[unchanged] = self.changed_seq[was[unchanged]]
        self.changed_seq = seqs
        self._store_departures(before, sky)
        self.floor = max(self.floor, sky.seq - HISTORY_TICKS)
        return True

    def follow(self, other: PictureState, sky: Sky) -> None:
        """Share the history of another state, for a sky that differs from its only in the contents of aircraft."""
        if self.sky is not sky:
            self._memory.clear()
        self.sky, self.previous = sky, other.previous
        self.changed_seq, self.floor, self._departed = other.changed_seq, other.floor, other._departed

    def _store_departures(self, before: Sky, sky: Sky) -> None:
        for population in ("all", "civil", "military"):
            departed = self._departed[population]
            for row in self._departed_rows(population).tolist():
                departed[before.hexes[row]] = sky.seq
            if sky.seq % 16 == 0:
                self._departed[population] = {a: seq for a, seq in departed.items() if seq > sky.seq - HISTORY_TICKS}

    def _departed_rows(self, population: Population) -> Rows:
        """Rows of the last tick that are no longer in a population: departed, or now known to be (not) military."""
        assert self.previous is not None
        sky, before = self.sky, self.previous
        was = sky.column("previous_row")
        stayed = np.zeros(len(before), dtype=bool)
        members = (was >= 0) & members_of(sky, population)
        stayed[was[members]] = True
        return np.flatnonzero(members_of(before, population) & ~stayed)

    # What subscribers are sent

    @property
    def weight(self) -> int:
        """The size of all aircraft as JSON (bytes)."""
        weight = self._memory.get("weight")
        if not isinstance(weight, int):
            weight = self._memory["weight"] = sum(map(len, self.sky.encoded))
        return weight

    def epoch(self, view: LiveView) -> str:
        """The start of the picture and the digest of the view: a seq means something only within both."""
        return f"{self.sky.epoch}.{view.digest}"

    def snapshot(self, view: LiveView) -> Event:
        """The present contents of a view, as ``aircraft:snapshot``."""
        event = self._memory.get(view)
        if not isinstance(event, Event):
            data = self.snapshot_data(view)
            event = Event(view.topic, "aircraft:snapshot", self.epoch(view), self.sky.seq, data)
            self._memory[view] = event
        return event

    def snapshot_data(self, view: LiveView) -> bytes:
        """The data of a snapshot: aircraft, count and time."""
        rows = self._rows(view)
        bodies = self._bodies(view.details)
        joined = b",".join([bodies[row] for row in rows.tolist()])
        return b'{"aircraft":[%b],"count":%d,"now":%b}' % (joined, len(rows), _number(self.sky.now))

    def can_continue(self, view: LiveView, epoch: str, seq: int) -> bool:
        """Whether an update from this point to now is possible."""
        return epoch == self.epoch(view) and self.floor <= seq <= self.sky.seq

    def update(self, view: LiveView, since: int) -> Event:
        """What changed after tick ``since``, as ``aircraft:update``; a snapshot where that is smaller.

        ``since`` must be a point from which ``can_continue``.
        """
        key = (view, since)
        event = self._memory.get(key)
        if not isinstance(event, Event):
            event = self._memory[key] = self._make_update(view, since)
        return event

    def _make_update(self, view: LiveView, since: int) -> Event:
        if since == self.sky.seq - 1 and self.previous is not None:
            joined, removed = self._step(view)
        else:
            rows = self._rows(view)
            changed = rows[self.changed_seq[rows] > since]
            removed = self._removed_since(view, since, rows)
            if len(changed) * _AIRCRAFT_BYTES + len(removed) * _ADDRESS_BYTES > len(rows) * _AIRCRAFT_BYTES:
                return self.snapshot(view)
            bodies = self._bodies(view.details)
            joined = b",".join([bodies[row] for row in changed.tolist()])
        data = b'{"now":%b,"since":%d,"aircraft":[%b],"removed":%b}' % (
            _number(self.sky.now),
            since,
            joined,
            msgspec.json.encode(removed),
        )
        return Event(view.topic, "aircraft:update", self.epoch(view), self.sky.seq, data)

    def _step(self, view: LiveView) -> tuple[bytes, list[str]]:
        """What changed in the last tick alone: shared by all areas of the same population."""
        bodies = self._bodies(view.details)
        if view.area is not None:
            return self._tiles(view.population).update(view.area, view.details, bodies)
        assert self.previous is not None
        key = ("step", view.population, view.details)
        if key not in self._memory:
            changed = np.flatnonzero(self.sky.column("changed") & members_of(self.sky, view.population))
            removed = [self.previous.hexes[row] for row in self._departed_rows(view.population).tolist()]
            self._memory[key] = (b",".join([bodies[row] for row in changed.tolist()]), removed)
        step: tuple[bytes, list[str]] = self._memory[key]  # type: ignore[assignment]
        return step

    def _removed_since(self, view: LiveView, since: int, rows: Rows) -> list[str]:
        """Addresses the view may have shown at ``since`` and does not show now (some it may never have shown)."""
        index = self.sky.index
        is_shown = np.zeros(len(self.sky), dtype=bool)
        is_shown[rows] = True
        removed = [
            address
            for address, seq in self._departed[view.population].items()
            if seq > since and not (address in index and is_shown[index[address]])
        ]
        if view.area is None:
            return removed
        departed = set(removed)
        outside = ~is_shown & (self.changed_seq > since) & members_of(self.sky, view.population)
        hexes = self.sky.hexes
        return removed + [hexes[row] for row in np.flatnonzero(outside).tolist() if hexes[row] not in departed]

    def _rows(self, view: LiveView) -> Rows:
        members = members_of(self.sky, view.population)
        if view.area is not None:
            members = members & view.area.inside(self.sky.column("lat"), self.sky.column("lon"))
        return np.flatnonzero(members)

    def _bodies(self, details: bool) -> list[bytes]:
        """Every aircraft encoded; those with details are joined once per tick."""
        if not details:
            return self.sky.encoded
        key = "bodies"
        if key not in self._memory:
            self._memory[key] = [self.sky.body(row, True) for row in range(len(self.sky))]
        bodies: list[bytes] = self._memory[key]  # type: ignore[assignment]
        return bodies

    def _tiles(self, population: Population) -> ChangedTiles:
        key = ("tiles", population)
        tiles = self._memory.get(key)
        if isinstance(tiles, ChangedTiles):
            return tiles
        assert self.previous is not None
        sky, before = self.sky, self.previous
        lat, lon = sky.column("lat"), sky.column("lon")
        rows = np.flatnonzero(sky.column("changed") & members_of(sky, population))
        was = sky.column("previous_row")[rows]
        if len(before):
            was_lat = np.where(was >= 0, before.column("lat")[was], np.nan)
            was_lon = np.where(was >= 0, before.column("lon")[was], np.nan)
        else:
            was_lat = was_lon = np.full(len(rows), np.nan)
        departed = self._departed_rows(population)
        tiles = self._memory[key] = ChangedTiles(
            Moves(rows, lat[rows], lon[rows], was_lat, was_lon),
            Departures(
                [before.hexes[row] for row in departed.tolist()],
                before.column("lat")[departed],
                before.column("lon")[departed],
            ),
            sky.hexes.__getitem__,
        )
        return tiles


def members_of(sky: Sky, population: Population) -> npt.NDArray[np.bool_]:
    """Which aircraft of a sky belong to a population."""
    military = sky.column("military")
    if population == "all":
        return np.ones(len(sky), dtype=bool)
    return military if population == "military" else ~military


def _number(value: float) -> bytes:
    return b"%.3f" % value
