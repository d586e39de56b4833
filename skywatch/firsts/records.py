"""The records of a flight: the best values of its track, kept where they are the best of their day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from skywatch.airframes.military import MilitaryAircraft
from skywatch.core.runtime import Runtime
from skywatch.firsts.bests import LONGEST, LOWEST, Best, bests_of, is_aeroplane
from skywatch.firsts.models import DayRecord
from skywatch.firsts.sightings import Row
from skywatch.history.storage.points import Points, address_code
from skywatch.history.storage.reader import Span, read_aircraft
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.settings import ReceiverSettings

# Positions may lie outside first and last message by no more than the picture's retention (s).
AROUND_S = 120.0


def bests_of_flight(runtime: Runtime, session: Session, row: Row) -> list[Best]:
    """The best values of a flight that has ended."""
    if row.positions < 2:
        return []
    lasted_s = (row.last_seen_at - row.first_seen_at).total_seconds()
    found = [Best(LONGEST, lasted_s, row.first_seen_at.timestamp(), None, False)]
    if row.points:
        station = runtime.current.of(PictureSettings).shown_station
        found += bests_of(_points_of(session, row), station, aeroplane=is_aeroplane(row.category, row.aircraft_type))
    return found


def only_receiver(runtime: Runtime) -> str | None:
    """The name of the receiver where there is one alone: points do not say which of several it was."""
    receivers = list(runtime.current.of(ReceiverSettings).receivers)
    return receivers[0] if len(receivers) == 1 else None


def _points_of(session: Session, row: Row) -> Points:
    begin, end = row.first_seen_at.timestamp() - AROUND_S, row.last_seen_at.timestamp() + AROUND_S
    points = read_aircraft(session, Span(begin, end, address_code(row.icao_hex)), [(begin, end)])
    result: Points = points[points["flight"] == row.id]
    return result


def store_bests(
    session: Session,
    bests: Sequence[tuple[Row, list[Best]]],
    military: MilitaryAircraft,
    zone: ZoneInfo,
    receiver: str | None,
) -> None:
    """Store the best values of flights that have ended where they are the best of their day."""
    for row, found in bests:
        for record in record_rows(row, found, military, zone, receiver):
            stored = session.get(DayRecord, {name: record[name] for name in ("name", "day", "simulated", "military")})
            if stored is None or is_better(stored.name, record["value"], stored.value):
                session.merge(DayRecord(**record))
    session.flush()


def record_rows(
    row: Row, bests: Iterable[Best], military: MilitaryAircraft, zone: ZoneInfo, receiver: str | None
) -> Iterable[dict[str, Any]]:
    """The best values of a flight as rows of ``first_records``."""
    is_military = military.includes(row.icao_hex, was_marked=row.military)
    for best in bests:
        at = datetime.fromtimestamp(best.at, zone)
        yield {
            "name": best.name,
            "day": at.date(),
            "simulated": row.simulated,
            "military": is_military,
            "value": best.value,
            "at": at,
            "icao_hex": row.icao_hex,
            "callsign": row.callsign,
            "aircraft_type": row.aircraft_type,
            "flight_id": row.id,
            "receiver": receiver if best.is_own else None,
            "source": best.source,
        }


def is_better(name: str, value: float, than: float) -> bool:
    """Whether a value beats another one."""
    return value < than if name in LOWEST else value > than
