"""Overflights: the flights over an area as the API answers them, and what is counted of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from sqlalchemy.orm import Session

from skywatch.airframes.military import hidden_from
from skywatch.airports.directory import directory
from skywatch.airports.station_time import is_night, local_minutes, station_zone
from skywatch.alerts.access import fetch
from skywatch.alerts.models import Geofence
from skywatch.core.clock import to_datetime
from skywatch.core.polygons.geometry import MIN_WIDTH
from skywatch.core.problems import invalid
from skywatch.history.flights.service import Labels
from skywatch.history.storage.points import MILITARY, address_text
from skywatch.history.storage.span import Span
from skywatch.overflights.area import Area, area_of_box, area_of_geometry
from skywatch.overflights.passes import Question, passes
from skywatch.picture.counted import counts_simulated
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence
from skywatch.settings import Settings

# Flights of one answer, which are in memory at once.
MOST_FLIGHTS = 100_000
SPAN, LONGEST_SPAN = timedelta(days=7), timedelta(days=92)
EARLIEST = datetime.fromtimestamp(0, UTC)
# Airports whose elevation stands for that of the ground (nm); beyond the first the ground is another.
_AIRPORTS_NM = (30.0, 300.0, 12_000.0)
_CODE = 0x01FFFFFF


class TooManyFlights(Exception):
    """A question has more than ``MOST_FLIGHTS`` flights."""


@dataclass(frozen=True)
class Asked:
    """A question about an area: what is shown of it, the height and over what, and the span."""

    area: Area
    geofence: int | None
    name: str | None
    below_ft: float
    over: str
    elevation_ft: float | None
    begin: datetime
    end: datetime

    @property
    def base_ft(self) -> float:
        """The height over the sea from which heights are counted."""
        return self.elevation_ft or 0.0 if self.over == "ground" else 0.0


def geofence_of(session: Session, visibility: Visibility, geofence_id: int) -> Geofence:
    """The geofence of a question; raises Problem (404)."""
    return fetch(session, Geofence, geofence_id, visibility, sentence("thing.geofence", "geofence"))


def asked_about(
    session: Session,
    visibility: Visibility,
    *,
    geofence: int | None,
    bbox: tuple[float, float, float, float] | None,
    below_ft: float,
    over: str,
    elevation_ft: float | None,
    span: tuple[datetime, datetime],
) -> Asked:
    """A question about a geofence or a box; raises Problem (400, 404)."""
    if (geofence is None) == (bbox is None):
        detail = sentence("overflights.one_area", "needs either geofence or bbox")
        raise invalid("geofence" if bbox is None else "bbox", detail, "querystring")
    row = geofence_of(session, visibility, geofence) if geofence is not None else None
    if row is not None:
        return asked_of(row, below_ft, over, elevation_ft, span)
    assert bbox is not None
    try:
        area = area_of_box(bbox)
    except ValueError:
        detail = sentence(
            "field.box_thin", "must be at least {degrees} degrees wide and high", degrees=f"{MIN_WIDTH:.6f}"
        )
        raise invalid("bbox", detail, "querystring") from None
    return Asked(area, None, None, below_ft, over, _ground_ft(area, over, elevation_ft), *span)


def asked_of(
    row: Geofence, below_ft: float, over: str, elevation_ft: float | None, span: tuple[datetime, datetime]
) -> Asked:
    """A question about a geofence."""
    area = area_of_geometry(row.geometry)
    given = row.elevation_ft if elevation_ft is None else elevation_ft
    return Asked(area, row.id, row.name, below_ft, over, _ground_ft(area, over, given), *span)


def _ground_ft(area: Area, over: str, given: float | None) -> float | None:
    """The elevation of the ground: the one that is given, else that of the nearest airport."""
    if over != "ground" or given is not None:
        return given if over == "ground" else None
    airports = directory()
    for within_nm in _AIRPORTS_NM:
        nearest = airports.nearest(area.lat, area.lon, within_nm, has_elevation=True)
        if nearest is not None:
            return nearest.elevation_ft
    return None


def overflights(session: Session, settings: Settings, visibility: Visibility, asked: Asked) -> list[dict[str, Any]]:
    """All flights of a question, the newest first, with ``military`` beside what is answered of them.

    Raises TooManyFlights where these are more than ``MOST_FLIGHTS``.
    """
    question = Question(asked.area, asked.below_ft + asked.base_ft, asked.begin.timestamp(), asked.end.timestamp())
    span = Span(question.begin, question.end, hidden=hidden_from(visibility, session))
    found = passes(session, question, span, simulated=counts_simulated(session))
    if len(found.flight) > MOST_FLIGHTS:
        raise TooManyFlights
    labels = Labels(visibility).fetch(session, found.flight.tolist())
    _, minutes = local_minutes(found.entered_at, station_zone(settings))
    night = is_night(minutes, settings).tolist()
    columns = zip(*(column.tolist() for column in found), night, strict=True)
    return [
        {
            "flight_id": flight,
            "icao_hex": address_text(aircraft & _CODE).upper(),
            "callsign": label.callsign,
            "registration": label.registration,
            "type": label.aircraft_type,
            "entered_at": to_datetime(entered),
            "left_at": to_datetime(round(left, 1)),
            "lowest_ft": round(lowest - asked.base_ft),
            "closest_nm": round(closest, 2),
            "at_night": at_night,
            "military": bool(aircraft & MILITARY),
        }
        for aircraft, flight, entered, left, lowest, closest, at_night in columns
        # A flight that is not stored any more was removed, by retention or with the simulator.
        if (label := labels.get(flight)) is not None
    ]


def summary(flights: Sequence[dict[str, Any]], asked: Asked, settings: Settings) -> dict[str, Any]:
    """What is counted of flights, and the question, as the API answers them."""
    zone = station_zone(settings)
    days, minutes = local_minutes(np.array([flight["entered_at"].timestamp() for flight in flights]), zone)
    hours = np.bincount(minutes // 60, minlength=24) if len(minutes) else np.zeros(24, int)
    names = days.astype(str).tolist()
    by_day = Counter(names)
    night_by_day = Counter(day for day, flight in zip(names, flights, strict=True) if flight["at_night"])
    types = Counter(flight["type"] for flight in flights)
    return {
        "by_hour": hours.tolist(),
        "by_day": [
            {"day": day, "flights": by_day[day], "night": night_by_day[day]}
            for day in _days(asked.begin, asked.end, zone)
        ],
        "by_type": [
            {"type": kind, "flights": count}
            for kind, count in sorted(types.items(), key=lambda item: (-item[1], item[0] or "~"))
        ],
        "night_share": round(sum(night_by_day.values()) / len(flights), 4) if flights else None,
        "area": {
            "geofence": asked.geofence,
            "name": asked.name,
            "lat": round(asked.area.lat, 6),
            "lon": round(asked.area.lon, 6),
            "geometry": asked.area.geometry,
        },
        "from": asked.begin,
        "to": asked.end,
        "timezone": zone.key,
        "below_ft": asked.below_ft,
        "over": asked.over,
        "elevation_ft": asked.elevation_ft,
    }


def _days(begin: datetime, end: datetime, zone: ZoneInfo) -> list[str]:
    """The days of a span that has its begin, not its end."""
    first = begin.astimezone(zone).date()
    last = (end.astimezone(UTC) - timedelta(microseconds=1)).astimezone(zone).date()
    return [(first + timedelta(days=number)).isoformat() for number in range((last - first).days + 1)]
