"""The range of reception of a day, by bearing and altitude, with and without military aircraft."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skywatch.core.batch import BatchJob
from skywatch.core.geo import SECTOR_DEG, SECTORS
from skywatch.history.analysis.service import BANDS_FT, LIMITS_FT, RangeBySector, heard_points
from skywatch.history.batch.day import HistoryDay
from skywatch.history.storage.points import MILITARY


def run(day: HistoryDay, options: bytes) -> Iterator[tuple[Any, ...]]:
    """A row for each sector and band that has points."""
    assert day.station is not None
    everybody, civil = RangeBySector(day.station), RangeBySector(day.station)
    for points in day.hours(day.begin, day.end):
        heard = heard_points(points, day.station)
        everybody.add(heard)
        civil.add(heard.where(heard.points["aircraft"] & MILITARY == 0))
    for sector in range(SECTORS):
        for band in range(len(BANDS_FT)):
            if everybody.counts[sector, band]:
                yield (
                    sector * SECTOR_DEG,
                    (sector + 1) * SECTOR_DEG,
                    LIMITS_FT[band],
                    LIMITS_FT[band + 1],
                    everybody.range_nm(sector, band),
                    int(everybody.counts[sector, band]),
                    civil.range_nm(sector, band),
                    int(civil.counts[sector, band]),
                )


JOBS = (
    BatchJob(
        name="coverage",
        columns={
            "bearing_from": "int",
            "bearing_to": "int",
            "min_altitude_ft": "int",
            "max_altitude_ft": "int",
            "max_distance_nm": "float",
            "points": "int",
            "max_distance_nm_civil": "float",
            "points_civil": "int",
        },
        run=run,
        needs_station=True,
    ),
)
