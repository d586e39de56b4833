"""Area searches by their geometry, and figures of eight: what turns and crosses its own way, and is no lap.

Expanding squares, spirals and sector searches are reported from the second round on, and need not be waited for as
long as what the windows of `station` call an area search. Figures of eight are circling, wherever they are straight.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from math import atan2, degrees, hypot

from skywatch.patterns.findings import LOW_PASSES, Finding, FindingLog, PatternType
from skywatch.patterns.loops.shape import measure
from skywatch.patterns.searches.expanding import Growth, grows, growth_of
from skywatch.patterns.searches.lobes import Lobe, LobeFinder
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.low_points import LowPoints
from skywatch.patterns.track.plane import segment_distance, wrap_deg
from skywatch.patterns.track.trail import Vertex

_LOOK_DEG = 30.0
"""The rounds are compared again after this much turn (deg)."""


class SearchDetector:
    """Follows the rounds and the lobes of one aircraft."""

    __slots__ = ("_eight", "_finder", "_finding", "_grows_from_t", "_grows_t", "_line", "_lobes", "_log", "_looked_deg",
                 "_lows", "_pause_s", "_reported", "_s")  # fmt: skip

    def __init__(self, settings: PatternSettings, log: FindingLog, lows: LowPoints) -> None:
        self._s = settings
        self._log = log
        self._lows = lows
        self._line: deque[Vertex] = deque(maxlen=settings.search_limits.max_vertices)
        self._finder = LobeFinder(settings)
        self._lobes: deque[Lobe] = deque(maxlen=settings.figure_of_eight.lobes + 1)
        self._finding: Finding | None = None
        self._looked_deg = 0.0
        self._grows_t = self._grows_from_t = float("inf")
        self._pause_s = 0.0
        self._reported: Lobe | None = None
        self._eight: tuple[Lobe, Lobe] | None = None
        """The last two lobes where they are a figure of eight."""

    def clear(self) -> None:
        """Forget the trail; an open finding ends."""
        self._end()
        self._line.clear()
        self._finder.clear()
        self._lobes.clear()
        self._looked_deg = 0.0
        self._grows_t = float("inf")
        self._eight = None

    def _end(self) -> None:
        if self._finding is not None:
            self._log.end(self._finding)
            self._finding = self._reported = None

    def add(self, v: Vertex) -> None:
        """Take the next vertex."""
        self._line.append(v)
        if self._finding is not None and self._finding not in self._log.open:
            self._finding = None
        if abs(v.turn_deg - self._looked_deg) >= _LOOK_DEG:
            self._looked_deg = v.turn_deg
            self._compare(v)
        lobe = self._finder.add(v)
        if lobe is not None:
            self._join(v, lobe)
        elif self._finding is None and self._eight is not None:
            self._retrace(v, *self._eight)
        f = self._finding
        if f is not None and v.t - f.t1 > self._pause_s:
            self._end()

    def _compare(self, v: Vertex) -> None:
        """Compare the round under way with the one before."""
        s, f = self._s, self._finding
        if len(self._line) < s.growing_rounds.headings:
            return
        growth = growth_of(self._line, s)
        if growth is None or not grows(growth, s):
            self._grows_t = float("inf")
            return
        if self._grows_t == float("inf"):
            self._grows_t, self._grows_from_t = v.t, growth.t0
        lasts = f is not None or v.t - self._grows_t >= s.growing_rounds.lasting_laps * growth.lap_s
        if not (lasts or self._is_square(growth)) or not self._is_level(growth.t0):
            return
        self._pause_s = max(s.search_limits.pause_s, s.growing_rounds.pause_laps * growth.lap_s)
        details: dict[str, object] = {"search": "expanding", "spacing_nm": round(growth.spacing_nm, 2)}
        self._report(v, PatternType.AREA_SEARCH, self._grows_from_t, growth.t1, details)

    def _is_square(self, growth: Growth) -> bool:
        """Return whether two rounds are those of an expanding square, which grows more than anything else does."""
        s = self._s
        if growth.growth < s.expanding_square.growth or growth.evenness < s.expanding_square.even_share:
            return False
        rounds = [p for p in self._line if p.t >= growth.t0]
        return (
            straight_share(rounds) >= s.expanding_square.straight_share
            and measure(rounds).elongation <= s.expanding_square.max_elongation
        )

    def _join(self, v: Vertex, lobe: Lobe) -> None:
        """Add a lobe to those before it, and report the row that they make."""
        s, lobes = self._s, self._lobes
        for kind, steps, least in (
            (PatternType.AREA_SEARCH, steps_in_sectors, s.sector_search.lobes),
            (PatternType.CIRCLING, steps_in_eight, s.figure_of_eight.lobes + self._is_told()),
        ):
            row, count = [lobe], 1
            for before in reversed(lobes):
                step = steps(before, row[-1], s)
                if step == 0:
                    break
                row.append(before)
                count += step
            # Laps to one side are no eight, whatever was lost between them.
            both = any(a.turn_deg * lobe.turn_deg < 0.0 for a in row)
            enough = count >= least and both is (kind is PatternType.CIRCLING)
            if enough or self._goes_on(kind, lobe):
                self._report_row(v, kind, row)
                break
        before = lobes[-1] if lobes else lobe
        self._eight = (before, lobe) if steps_in_eight(before, lobe, s) == 1 else None
        lobes.append(lobe)

    def _retrace(self, v: Vertex, first: Lobe, second: Lobe) -> None:
        """Report a figure of eight while its first lobe is flown once more, as far as that is seen to be so."""
        s = self._s
        now = [p for p in self._line if p.t > second.t1]
        if v.t - second.t1 > (1.0 + s.alike_lobes.pause_share) * first.duration_s:
            self._eight = None
            return
        turned_deg = (v.turn_deg - now[0].turn_deg) * (1.0 if first.turn_deg > 0.0 else -1.0)
        if turned_deg < s.figure_of_eight.again_share * abs(first.turn_deg) or self._is_told():
            return
        way = [(p.x, p.y) for p in self._line if first.t0 <= p.t <= first.t1]
        way = [(first.x, first.y), *way, (second.x, second.y)]
        limit_nm = s.figure_of_eight.astray_share * first.reach_nm + s.trusted_position.noise_nm
        if all(min(segment_distance(p.x, p.y, *a, *b) for a, b in pairwise(way)) <= limit_nm for p in now):
            self._report_row(v, PatternType.CIRCLING, [second, first])

    def _is_told(self) -> bool:
        """Return whether circling to both sides is open already, whose laps one lobe more must outweigh."""
        return any(f.details.get("direction") == "both" for f in self._log.open)

    def _goes_on(self, kind: PatternType, lobe: Lobe) -> bool:
        """Return whether a lobe is one more of the open finding, though others before it were not seen."""
        f = self._finding
        return (
            f is not None
            and f.kind is kind
            and self._reported is not None
            and is_same_figure(self._reported, lobe, self._s)
        )

    def _report_row(self, v: Vertex, kind: PatternType, row: list[Lobe]) -> None:
        """Report lobes, the newest first."""
        s, newest, oldest = self._s, row[0], row[-1]
        if not self._is_level(oldest.t0):
            return
        self._pause_s = max(s.search_limits.pause_s, (2.0 + s.alike_lobes.pause_share) * newest.duration_s)
        self._reported = newest
        if kind is PatternType.AREA_SEARCH:
            # Noise bends legs: once a search is open its lobes say enough.
            is_open = self._finding is not None and self._finding.details.get("search") == "sector"
            way = [p for p in self._line if oldest.t0 <= p.t <= newest.t1]
            if not is_open and straight_share(way) < s.sector_search.straight_share:
                return
            details: dict[str, object] = {"search": "sector", "leg_nm": round(newest.reach_nm, 1)}
        else:
            details = {"figure": "eight", "direction": "both"}
        self._report(v, kind, oldest.t0, newest.t1, details)

    def _is_level(self, since_t: float) -> bool:
        """Return whether the flight kept its height since a time, as far as heights are known."""
        heights = [p.alt_ft for p in self._line if p.t >= since_t and p.alt_ft is not None]
        return not heights or max(heights) - min(heights) <= self._s.search_limits.max_drift_ft

    def _report(self, v: Vertex, kind: PatternType, t0: float, t1: float, details: dict[str, object]) -> None:
        """Report a pattern, or that it goes on."""
        f = self._finding
        if f is not None and f.kind is kind:
            f.t1 = max(f.t1, t1)
            self._describe(f, details)
            self._log.update(f)
            return
        new = Finding(kind, t0, t1, 0.0, 0.0, 0.0, 0.0)
        self._describe(new, details)
        if self._log.report(new, v.t):
            last, self._reported = self._reported, None
            self._end()
            self._finding, self._reported = new, last

    def _describe(self, f: Finding, details: dict[str, object]) -> None:
        points = [p for p in self._line if f.t0 <= p.t <= f.t1]
        west, east = min(p.x for p in points), max(p.x for p in points)
        south, north = min(p.y for p in points), max(p.y for p in points)
        f.x, f.y = 0.5 * (west + east), 0.5 * (south + north)
        f.radius_nm = max(hypot(p.x - f.x, p.y - f.y) for p in points)
        turns = sum(abs(b.turn_deg - a.turn_deg) for a, b in pairwise(points)) / 360.0
        flown_s = max(points[-1].t - points[0].t, 1.0)
        way_nm = points[-1].path_nm - points[0].path_nm
        f.score = min(0.95, 1.0 - 0.5 ** max(turns - 0.7, 0.5))
        if self._lows.are_low_passes(f.t0, f.t1):
            f.reason = LOW_PASSES
            f.score = min(f.score, self._s.certainty.ordinary_max)
        heights = [p.alt_ft for p in points if p.alt_ft is not None]
        f.details = {
            **details,
            "turns": round(turns, 1),
            "lap_s": round(flown_s / max(turns, 1.0)),
            "leg_share": round(straight_share(points), 2),
            "speed_kt": round(way_nm * 3600.0 / flown_s),
            "way_nm": round(way_nm, 1),
            "altitude_ft": [min(heights), max(heights)] if heights else None,
        }


def straight_share(line: Sequence[Vertex]) -> float:
    """Return the share of the time on steps that turn less than a third as quickly as all on average."""
    steps = [(b.t - a.t, abs(b.turn_deg - a.turn_deg)) for a, b in pairwise(line)]
    flown_s = max(sum(time_s for time_s, _ in steps), 1.0)
    slow_deg_s = sum(turn for _, turn in steps) / flown_s / 3.0
    return sum(time_s for time_s, turn in steps if turn < slow_deg_s * time_s) / flown_s


def is_same_figure(before: Lobe, after: Lobe, s: PatternSettings) -> bool:
    """Return whether two lobes are alike and have one crossing."""
    small, large = sorted((before.length_nm, after.length_nm))
    reach = max(before.reach_nm, after.reach_nm)
    apart = hypot(after.x - before.x, after.y - before.y)
    return (
        large <= s.alike_lobes.length_ratio * small
        and apart <= s.alike_lobes.shift_share * reach + s.trusted_position.noise_nm
    )


def steps_in_eight(before: Lobe, after: Lobe, s: PatternSettings) -> int:
    """Return how many lobes of a figure of eight the second is after the first: 1, 2 where one was lost, or 0.

    Lobes turn to either side by turns, and lie opposite each other.
    """
    if not is_same_figure(before, after, s):
        return 0
    pause_s, longer_s = after.t0 - before.t1, max(before.duration_s, after.duration_s)
    opposite = abs(_between_deg(before, after)) >= s.figure_of_eight.opposite_deg
    if before.turn_deg * after.turn_deg < 0.0:
        return int(opposite and pause_s <= s.alike_lobes.pause_share * longer_s)
    return 2 * int(not opposite and pause_s <= (1.0 + 2.0 * s.alike_lobes.pause_share) * longer_s)


def steps_in_sectors(before: Lobe, after: Lobe, s: PatternSettings) -> int:
    """Return 1 where the second lobe is the next sector of a search (IAMSAR Manual, volume III), else 0.

    Each has two turns of 120 degrees to the same side, and the next lies 120 degrees farther that way, or 30 degrees
    more where the search begins again between the sectors of the first.
    """
    if before.turn_deg * after.turn_deg < 0.0 or not is_same_figure(before, after, s):
        return 0
    small, large = sorted((before.length_nm, after.length_nm))
    apart = hypot(after.x - before.x, after.y - before.y)
    if large > s.sector_search.length_ratio * small or apart > s.sector_search.datum_share * max(
        before.reach_nm, after.reach_nm
    ):
        return 0
    if any(
        abs(abs(lobe.turn_deg) - 2.0 * s.sector_search.turn_deg) > s.sector_search.error_deg for lobe in (before, after)
    ):
        return 0
    off = abs(_between_deg(before, after)) - s.sector_search.turn_deg
    follows = after.t0 - before.t1 <= s.alike_lobes.pause_share * max(before.duration_s, after.duration_s)
    return int(follows and -s.sector_search.error_deg <= off <= s.sector_search.error_deg + s.sector_search.restart_deg)


def _between_deg(before: Lobe, after: Lobe) -> float:
    """Return the angle from the axis of one lobe to that of the next."""
    return wrap_deg(degrees(atan2(after.axis_x, after.axis_y) - atan2(before.axis_x, before.axis_y)))
