"""``Site``: where the antenna of a receiver stands, and how far from there its positions are believed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET, UnsetType

from skywatch.core import geo
from skywatch.core.arrays import Array
from skywatch.inputs.options import Options, Station
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import STEADY_AT, ReportColumns

OUT_OF_RANGE = "position_out_of_range"
# No place on Earth is farther away.
FARTHEST_NM = 10_900.0
_sources = itemgetter(*map(STEADY_AT.__getitem__, ("type", "mlat", "tisb")))


class Site(NamedTuple):
    """``place`` (lat, lon in degrees) is the station's unless ``is_own``, None where neither is known.

    Positions farther away than ``range_nm`` are not believed (infinite: all are).
    """

    place: Station = None
    range_nm: float = math.inf
    is_own: bool = False

    def limit(self, reports: Sequence[Report], newer_than: float) -> tuple[Sequence[Report], int]:
        """Reports without the positions that are out of range, and how many of these were new.

        Those of increments are, and those of snapshots that were received after ``newer_than`` (unix s). What others
        computed or relayed did not come from that far, and stays.
        """
        if self.place is None or math.isinf(self.range_nm):
            return reports, 0
        if isinstance(reports, ReportColumns):
            distances = self._distance_nm(reports.column("lat"), reports.column("lon"))
            far = np.flatnonzero(distances > self.range_nm)
            rows = far[own_positions(reports.take(far.tolist()))].tolist()
            refused = int(np.count_nonzero(reports.position_at[rows] > newer_than))
            return reports.without_positions(rows), refused
        return reports, sum(self._limit_one(report, newer_than) for report in reports)

    def _limit_one(self, report: Report, newer_than: float) -> bool:
        """Drop the position of a report if it is out of range; whether it was a new one."""
        if report.lat is UNSET or report.lon is UNSET or not is_own_position(report):
            return False
        if self._distance_nm(report.lat, report.lon) <= self.range_nm:
            return False
        is_new = not report.snapshot or report.position_at > newer_than
        report.lat = report.lon = report.seen_pos = UNSET
        report.position_at = 0.0
        return is_new

    def _distance_nm(self, lat: Any, lon: Any) -> Any:
        assert self.place is not None, "asked only where the antenna's place is known"
        return geo.distance_nm(*self.place, lat, lon)


ANYWHERE = Site()


def is_own_position(report: Report) -> bool:
    """Whether the aircraft itself sent the position; where the input does not say, it is taken to be so."""
    return _is_own(report.type, report.mlat, report.tisb)


def own_positions(reports: ReportColumns) -> Array:
    """?[n]: ``is_own_position`` of each."""
    return np.array([_is_own(*sources) for sources in map(_sources, reports.steady)], "?")


def _is_own(source: str | UnsetType, mlat: Sequence[str] | UnsetType, tisb: Sequence[str] | UnsetType) -> bool:
    if "lat" in (mlat or ()) or "lat" in (tisb or ()):
        return False
    return source is UNSET or source.startswith("adsb")


def read_site(options: Options, station: Station, default_nm: float) -> Site:
    """The options ``place=LAT,LON`` and ``range_nm=`` (0: no limit); raises ValueError for people."""
    place = options.point("place")
    range_nm = options.number("range_nm", default_nm, 0.0, FARTHEST_NM)
    return Site(place or station, range_nm or math.inf, is_own=place is not None)
