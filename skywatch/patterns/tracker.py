"""One aircraft's pattern detectors behind one door."""

from __future__ import annotations

from math import hypot

from skywatch.patterns.findings import Finding, FindingLog, PatternEvent
from skywatch.patterns.legs.corridor import CorridorDetector
from skywatch.patterns.legs.grid import GridDetector
from skywatch.patterns.legs.legs import LegFinder
from skywatch.patterns.legs.procedure_turns import ProcedureTurns
from skywatch.patterns.loops.orbit import OrbitDetector
from skywatch.patterns.searches.detector import SearchDetector
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.station import StationDetector
from skywatch.patterns.track.low_points import LowPoints
from skywatch.patterns.track.trail import Trail, Vertex


class PatternTracker:
    """Feeds the positions of one aircraft to every detector; cost and memory do not grow with the trail."""

    __slots__ = ("_corridor", "_grid", "_legs", "_log", "_lows", "_orbit", "_procedures", "_s", "_search", "_station",
                 "_trail")  # fmt: skip

    def __init__(
        self, flight_id: str, icao24: str, settings: PatternSettings | None = None, first_number: int = 1
    ) -> None:
        """Begin with an aircraft; its patterns are numbered from `first_number`."""
        s = self._s = settings or PatternSettings()
        self._trail = Trail(s)
        self._lows = LowPoints(s)
        self._legs = LegFinder(s)
        self._log = FindingLog(s, flight_id, icao24, first_number)
        self._orbit = OrbitDetector(s, self._log, self._lows)
        self._grid = GridDetector(s, self._log, self._lows)
        self._search = SearchDetector(s, self._log, self._lows)
        self._procedures = ProcedureTurns(s)
        self._corridor = CorridorDetector(s, self._log, self._lows, self._grid, self._procedures)
        self._station = StationDetector(s, self._log, self._lows, self._procedures)

    @property
    def open(self) -> list[Finding]:
        """The findings that have not ended."""
        return self._log.open

    @property
    def next_number(self) -> int:
        """Number that the next pattern will get."""
        return self._log.next_number

    def feed(
        self,
        t: float,
        lat: float,
        lon: float,
        alt_ft: float | None = None,
        gs_kt: float | None = None,
        track_deg: float | None = None,
        vrate_fpm: float | None = None,
    ) -> list[PatternEvent]:
        """Take the next position and return what it changed, most often nothing.

        Positions (unix s, degrees, ft, kt, degrees true) come in the order in which they were received; one that is
        late, repeated, too soon, impossible or out of range is passed over. The vertical rate is taken so that a
        whole position can be passed, and not used: heights a minute apart tell more.
        """
        trail = self._trail
        before_t = trail.last_t
        v = trail.add(t, lat, lon, alt_ft, gs_kt, track_deg)
        if trail.last_t == before_t:
            return []
        plane = trail.plane
        if plane is not None and plane is not self._log.plane:
            self._forget()
            self._log.plane = plane
        if alt_ft is not None:
            self._lows.add(t, trail.x, trail.y, alt_ft, trail.turn_deg)
        self._station.add(t, trail.x, trail.y, alt_ft, gs_kt, trail.path_nm, trail.noise)
        if v is not None:
            self._look(v)
        return self._log.collect()

    def _look(self, v: Vertex) -> None:
        self._orbit.add(v)
        ended = self._legs.add(v)
        if ended is not None:
            self._procedures.add(ended)
        self._search.add(v)
        self._grid.add(v, ended, self._legs.current)
        self._corridor.add(v)
        # The map is true near its anchor only; it is moved on while nothing hangs on it.
        if not self._log.open and hypot(v.x, v.y) > self._s.trusted_position.plane_reach_nm:
            self._trail.forget()

    def _forget(self) -> None:
        self._orbit.clear()
        self._search.clear()
        self._grid.clear()
        self._corridor.clear()
        self._station.clear()
        self._legs.clear()
        self._procedures.clear()
        self._lows.clear()

    def close(self) -> list[PatternEvent]:
        """End what is open, as when the aircraft left the picture; return the events."""
        self._forget()
        self._trail.forget()
        return self._log.collect()
