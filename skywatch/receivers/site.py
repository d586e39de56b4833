"""``Site``: where the antenna of a receiver stands, and how far from there its positions are believed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET

from skywatch.core import geo
from skywatch.inputs.options import Options, Station
from skywatch.receivers.reports.report import Report, source_of_position

OUT_OF_RANGE = "position_out_of_range"
# No place on Earth is farther away.
FARTHEST_NM = 10_900.0
# A position of a snapshot that is older than this (s) was counted before.
NEW_S = 1.5


class Site(NamedTuple):
    """``place`` (lat, lon in degrees) is the station's unless ``is_own``, None where neither is known.

    Positions farther away than ``range_nm`` are not believed (infinite: all are).
    """

    place: Station = None
    range_nm: float = math.inf
    is_own: bool = False

    def limit(self, reports: Sequence[Report], invalid: Counter[str]) -> int:
        """Drop the positions of reports that are out of range; how many new ones these were.

        What others computed or relayed did not come from that far, and stays.
        """
        if self.place is None or math.isinf(self.range_nm):
            return 0
        refused = 0
        for report in reports:
            if report.lat is UNSET or report.lon is UNSET or not is_own_position(report):
                continue
            if geo.distance_nm(*self.place, report.lat, report.lon) > self.range_nm:
                refused += not report.snapshot or report.at - report.position_at <= NEW_S
                report.lat = report.lon = report.seen_pos = UNSET
                report.position_at = 0.0
        if refused:
            invalid[OUT_OF_RANGE] += refused
        return refused


ANYWHERE = Site()


def is_own_position(report: Report) -> bool:
    """Whether the aircraft itself sent the position; where the input does not say, it is taken to be so."""
    source = source_of_position(report)
    return source is UNSET or source.startswith("adsb")


def read_site(options: Options, station: Station, default_nm: float) -> Site:
    """The options ``place=LAT,LON`` and ``range_nm=`` (0: no limit); raises ValueError for people."""
    place = options.point("place")
    range_nm = options.number("range_nm", default_nm, 0.0, FARTHEST_NM)
    return Site(place or station, range_nm or math.inf, is_own=place is not None)
