"""The aircraft topics: what of the picture a subscriber sees, as snapshots and as updates between two ticks.

``PictureState`` remembers for each aircraft the tick in which it last changed, and for a while who left. From that
an update between any two recent ticks can be made, so that resuming and slow reading need no stored backlog. It
knows nothing of connections.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from skywatch.picture.sky import Sky, empty_sky
from skywatch.realtime.areas import Area, Rows, Tiles
from skywatch.realtime.columns import Form
from skywatch.realtime.frames import Event

Population = Literal["all", "civil", "military"]

# A subscriber who comes back later than this gets a snapshot; five minutes outlast a restart and a tunnel.
HISTORY_TICKS = 300
# Rough sizes that decide whether an update over many ticks is still smaller than a snapshot.
_AIRCRAFT_BYTES, _ADDRESS_BYTES = 400, 9


@dataclass(frozen=True)
class View:
    """What a subscription sees: a topic, which aircraft, with or without airframe details, where."""

    topic: str
    population: Population
    details: bool
    area: Area | None = None
    # Rows of a few values instead of whole aircraft.
    form: Form | None = None
    # Whose marks the rows bear: a stream of this user's own while any aircraft is marked for them.
    user: int | None = None

    @cached_property
    def mark(self) -> str:
        """A short mark that is the same in every process for views that show the same."""
        shown = f"{self.topic} {self.population} {self.details} {self.area}" + (f" {self.form}" if self.form else "")
        shown += f" {self.user}" if self.user is not None else ""
        return hashlib.blake2s(shown.encode(), digest_size=4).hexdigest()


class PictureState:
    """The latest sky and what is needed to tell the difference to any recent one."""

    def __init__(self) -> None:
        self.sky: Sky = empty_sky()
        self.previous: Sky | None = None
        self.changed_seq: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        # Updates can begin at this tick or later.
        self.floor = 0
        self._left: dict[Population, dict[str, int]] = {"all": {}, "civil": {}, "military": {}}
        self._memory: dict[object, object] = {}

    def forget(self) -> None:
        """Begin anew: nothing leads from here to the next sky."""
        self.sky, self.previous = empty_sky(), None
        self._memory.clear()

    def ingest(self, sky: Sky) -> bool:
        """Take the next sky; False where ticks were missed, so that nothing leads from the last one to this."""
        before, self.previous = self.sky, None
        continuous = sky.epoch == before.epoch and sky.seq == before.seq + 1
        self.sky = sky
        self._memory.clear()
        if not continuous:
            self.floor = sky.seq
            self.changed_seq = np.full(len(sky), sky.seq, dtype=np.int64)
            for left in self._left.values():
                left.clear()
            return False
        self.previous = before
        was = sky.column("previous_row")
        known = was >= 0
        seqs = np.full(len(sky), sky.seq, dtype=np.int64)
        kept = known & ~sky.column("changed")
        seqs[kept] = self.changed_seq[was[kept]]
        self.changed_seq = seqs
        self._remember_who_left(before, sky)
        self.floor = max(self.floor, sky.seq - HISTORY_TICKS)
        return True

    def _remember_who_left(self, before: Sky, sky: Sky) -> None:
        for population in ("all", "civil", "military"):
            left = self._left[population]
            for row in self._left_rows(population).tolist():
                left[before.hexes[row]] = sky.seq
            if sky.seq % 16 == 0:
                self._left[population] = {a: seq for a, seq in left.items() if seq > sky.seq - HISTORY_TICKS}

    def _left_rows(self, population: Population) -> Rows:
        """Rows of the tick before that are no longer in a population: gone, or found to be (not) military."""
        assert self.previous is not None
        sky, before = self.sky, self.previous
        was = sky.column("previous_row")
        stayed = np.zeros(len(before), dtype=bool)
        members = (was >= 0) & members_of(sky, population)
        stayed[was[members]] = True
        return np.flatnonzero(members_of(before, population) & ~stayed)

    # What subscribers are sent

    def epoch(self, view: View) -> str:
        """The start of the picture and the mark of the view: a seq means something only within both."""
        return f"{self.sky.epoch}.{view.mark}"

    def snapshot(self, view: View) -> Event:
        """All that the view shows now, as ``aircraft:snapshot``."""
        found = self._memory.get(view)
        if not isinstance(found, Event):
            data = self.snapshot_data(view)
            found = Event(view.topic, "aircraft:snapshot", self.epoch(view), self.sky.seq, data)
            self._memory[view] = found
        return found

    def snapshot_data(self, view: View) -> bytes:
        """The data of a snapshot: aircraft, count and time."""
        rows = self._rows(view)
        bodies = self._bodies(view.details)
        joined = b",".join([bodies[row] for row in rows.tolist()])
        return b'{"aircraft":[%b],"count":%d,"now":%b}' % (joined, len(rows), _number(self.sky.now))

    def can_continue(self, view: View, epoch: str, seq: int) -> bool:
        """Whether an update leads from this point to now."""
        return epoch == self.epoch(view) and self.floor <= seq <= self.sky.seq

    def update(self, view: View, since: int) -> Event:
        """What changed after tick ``since``, as ``aircraft:update``; a snapshot where that is smaller.

        ``since`` must be a point from which ``can_continue``.
        """
        key = (view, since)
        found = self._memory.get(key)
        if not isinstance(found, Event):
            found = self._memory[key] = self._make_update(view, since)
        return found

    def _make_update(self, view: View, since: int) -> Event:
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

    def _step(self, view: View) -> tuple[bytes, list[str]]:
        """What changed in the last tick alone: shared by all areas of the same population."""
        bodies = self._bodies(view.details)
        if view.area is not None:
            return self._tiles(view.population).update(view.area, view.details, bodies)
        assert self.previous is not None
        key = ("step", view.population, view.details)
        if key not in self._memory:
            changed = np.flatnonzero(self.sky.column("changed") & members_of(self.sky, view.population))
            removed = [self.previous.hexes[row] for row in self._left_rows(view.population).tolist()]
            self._memory[key] = (b",".join([bodies[row] for row in changed.tolist()]), removed)
        step: tuple[bytes, list[str]] = self._memory[key]  # type: ignore[assignment]
        return step

    def _removed_since(self, view: View, since: int, rows: Rows) -> list[str]:
        """Addresses the view may have shown at ``since`` and does not show now (some it may never have shown)."""
        index = self.sky.index
        shown = np.zeros(len(self.sky), dtype=bool)
        shown[rows] = True
        removed = [
            address
            for address, seq in self._left[view.population].items()
            if seq > since and not (address in index and shown[index[address]])
        ]
        if view.area is None:
            return removed
        known = set(removed)
        outside = ~shown & (self.changed_seq > since) & members_of(self.sky, view.population)
        hexes = self.sky.hexes
        return removed + [hexes[row] for row in np.flatnonzero(outside).tolist() if hexes[row] not in known]

    def _rows(self, view: View) -> Rows:
        members = members_of(self.sky, view.population)
        if view.area is not None:
            members = members & view.area.inside(self.sky.column("lat"), self.sky.column("lon"))
        return np.flatnonzero(members)

    def _bodies(self, details: bool) -> list[bytes]:
        """Every aircraft encoded; those with details are put together once a tick."""
        if not details:
            return self.sky.encoded
        key = "bodies"
        if key not in self._memory:
            self._memory[key] = [self.sky.body(row, True) for row in range(len(self.sky))]
        bodies: list[bytes] = self._memory[key]  # type: ignore[assignment]
        return bodies

    def _tiles(self, population: Population) -> Tiles:
        key = ("tiles", population)
        tiles = self._memory.get(key)
        if isinstance(tiles, Tiles):
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
        gone = self._left_rows(population)
        tiles = self._memory[key] = Tiles(
            rows,
            lat[rows],
            lon[rows],
            was_lat,
            was_lon,
            [before.hexes[row] for row in gone.tolist()],
            before.column("lat")[gone],
            before.column("lon")[gone],
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
