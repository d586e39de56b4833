"""Editions of reports: made after midnight of the station by a worker, stored, and sent to the report's channels once.

With several workers each looks every half a minute; the one whose transaction moves a report's ``done_until`` makes
the edition.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import MilitaryAircraft, military_aircraft
from skywatch.airports.station_time import station_zone
from skywatch.alerts.models import Geofence
from skywatch.archive.reader.archive_reader import bind
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.database.engine import outage_of, reason, writing
from skywatch.core.problems import not_found
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.notify.deliveries.outbox import Notification, enqueue
from skywatch.notify.user_rights import visibilities
from skywatch.overflights import service
from skywatch.overflights.area import area_of_geometry
from skywatch.overflights.models import Edition, Report
from skywatch.overflights.reports import begin_of, get, last_boundary, owner_id
from skywatch.picture.counted import counts_simulated
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence
from skywatch.settings import Settings

log = logging.getLogger(__name__)
COMPONENT = "overflights_reports"
KIND, EVENT = "report", "report.edition"
EVERY_S = 30.0
# What was received before midnight is stored by then.
SETTLED = timedelta(seconds=45)
# Editions of a page whose documents are read.
MOST_READ = 50
# Who reads the archive for reports.
_PERSON = "reports"


class Question(msgspec.Struct):
    """What an edition asked, as it is stored with it."""

    geofence: int
    name: str
    geometry: dict[str, Any]
    below_ft: float
    over: str
    elevation_ft: float | None
    simulated: bool


class StoredFlight(msgspec.Struct):
    """A flight of an edition."""

    flight_id: int
    icao_hex: str
    callsign: str | None
    registration: str | None
    type: str | None
    entered_at: datetime
    left_at: datetime
    lowest_ft: float
    closest_nm: float
    at_night: bool
    military: bool


class Document(msgspec.Struct):
    """An edition as it is stored."""

    question: Question
    flights: list[StoredFlight]


class ReportsFailed(Exception):
    """Editions that were due could not be made; the message says how many, and why the first one."""


class _CountedFlight(msgspec.Struct):
    """What is read of a flight to count it."""

    icao_hex: str
    at_night: bool
    military: bool


class _CountedDocument(msgspec.Struct):
    flights: list[_CountedFlight]


def make_due(runtime: Runtime, now: datetime) -> int:
    """Make the editions that are due and return how many; of several that were missed the last one.

    A report that fails does not stop the others: raises ReportsFailed at the end.
    """
    settings = runtime.current
    zone = station_zone(settings)
    with runtime.sessions() as session:
        rows = session.execute(sa.select(Report.id, Report.every, Report.done_until)).all()
    made, failed = 0, 0
    first: Exception | None = None
    for report_id, every, done_until in rows:
        end = last_boundary(every, now - SETTLED, zone)
        if done_until >= end:
            continue
        try:
            made += _make(runtime, settings, report_id, end)
        except Exception as error:
            if outage_of(error):
                raise
            log.warning("the edition of report %d until %s could not be made", report_id, to_iso(end), exc_info=error)
            failed, first = failed + 1, first or error
    if first is not None:
        raise ReportsFailed(
            f"{failed} {'report' if failed == 1 else 'reports'} could not be made: {reason(first)}"
        ) from first
    return made


def _make(runtime: Runtime, settings: Settings, report_id: int, end: datetime) -> bool:
    """Make an edition, unless somebody else has."""
    with runtime.sessions() as session:
        bind(session, runtime, _PERSON, is_stream=True)
        report = session.get(Report, report_id)
        geofence = session.get(Geofence, report.geofence_id) if report is not None else None
        if report is None or geofence is None:
            return False
        may = visibilities(session, settings, [report.user_id]).get(report.user_id)
        document = None
        begin = begin_of(report.every, end, station_zone(settings))
        # Where the station's zone has moved, most of the period may be that of the edition before.
        is_new = end - report.done_until >= (end - begin) / 2
        if is_new and may is not None and Permission.HISTORY_VIEW in may.permissions:
            asked = service.asked_of(geofence, report.below_ft, report.over, None, (begin, end))
            try:
                flights = service.overflights(session, settings, may, asked)
            except service.TooManyFlights:
                return _refuse(runtime, report, geofence.name, (begin, end))
            question = Question(
                geofence.id, geofence.name, geofence.geometry, asked.below_ft, asked.over, asked.elevation_ft,
                counts_simulated(session) and bool(flights),
            )  # fmt: skip
            document = Document(question, [StoredFlight(**flight) for flight in flights])
    with writing(runtime.sessions) as session:
        if not _claim(session, report_id, end) or document is None:
            return False
        _store(session, report_id, document, (begin, end))
    return True


def _claim(session: Session, report_id: int, end: datetime) -> bool:
    """Whether nobody else has dealt with this period."""
    claimed: Any = session.execute(
        sa.update(Report).where(Report.id == report_id, Report.done_until < end).values(done_until=end)
    )
    return bool(claimed.rowcount == 1)


def _refuse(runtime: Runtime, report: Report, name: str, span: tuple[datetime, datetime]) -> bool:
    """Make no edition of more flights than one may have, and tell the report's channels."""
    with writing(runtime.sessions) as session:
        if _claim(session, report.id, span[1]):
            text = (
                f"More than {service.MOST_FLIGHTS:,} flights over {name} below {report.below_ft} ft: no edition was"
                " made. Choose a smaller area, a lower height or a shorter period."
            )
            log.warning("report %d: %s", report.id, text)
            enqueue(session, [_notification(report, span, text, utcnow(), None)])
    return False


def _store(session: Session, report_id: int, document: Document, span: tuple[datetime, datetime]) -> None:
    report = session.get_one(Report, report_id)
    now = utcnow()
    night = sum(flight.at_night for flight in document.flights)
    edition = Edition(
        report_id=report_id,
        begin_at=span[0],
        end_at=span[1],
        made_at=now,
        count=len(document.flights),
        night=night,
        document=zlib.compress(msgspec.json.encode(document)),
    )
    session.add(edition)
    session.flush()
    share = _share(edition.count, night)
    at_night = "" if share is None else f", {share:.0%} of them in the night"
    known = military_aircraft(session)
    military = {
        flight.icao_hex for flight in document.flights if known.includes(flight.icao_hex, was_marked=flight.military)
    }
    flights = "1 flight" if edition.count == 1 else f"{edition.count} flights"
    text = f"{flights} over {document.question.name} below {report.below_ft} ft{at_night}."
    notification = _notification(report, span, text, now, edition)
    enqueue(session, [dataclasses.replace(notification, military=bool(military), aircraft=tuple(sorted(military)))])


def _notification(
    report: Report, span: tuple[datetime, datetime], text: str, now: datetime, edition: Edition | None
) -> Notification:
    """What the channels of a report get of a period; without an edition where none was made."""
    body = {
        "report": {"id": report.id, "name": report.name},
        "edition": None if edition is None else edition.id,
        "from": to_iso(span[0]),
        "to": to_iso(span[1]),
        "made_at": to_iso(now),
        "count": None if edition is None else edition.count,
        "night_share": None if edition is None else _share(edition.count, edition.night),
    }
    return Notification(
        kind=KIND,
        event=EVENT,
        subject_id=0 if edition is None else edition.id,
        user_id=report.user_id,
        priority="info",
        channel_ids=tuple(report.channels),
        body=body,
        title=report.name,
        text=text,
        at=now,
    )


def page(
    session: Session, visibility: Visibility, report_id: int, offset: int, limit: int
) -> tuple[list[dict[str, Any]], int]:
    """A page of the editions of a report of the caller's, the newest first, and their number.

    For who may not see military aircraft, whose flights are counted again, it ends after ``MOST_READ``.
    """
    report = get(session, visibility, report_id)
    own = Edition.report_id == report.id
    count = session.scalar(sa.select(sa.func.count()).select_from(Edition).where(own)) or 0
    most = limit if visibility.military else min(limit, MOST_READ)
    columns = [column for column in Edition.__table__.c if not (visibility.military and column.name == "document")]
    query = sa.select(*columns).where(own).order_by(Edition.end_at.desc())
    rows = session.execute(query.offset(offset).limit(most)).all()
    known = None if visibility.military else military_aircraft(session)
    return [_edition_answer(row, *_counts(row, known)) for row in rows], count


def find(session: Session, visibility: Visibility, edition_id: int, report_id: int | None = None) -> Edition:
    """An edition of a report of the caller's, of this one where it is given; raises Problem (401, 404)."""
    own = Report.user_id == owner_id(visibility)
    query = sa.select(Edition).join(Report, Report.id == Edition.report_id).where(Edition.id == edition_id, own)
    row = session.scalar(query)
    if row is None or report_id not in (None, row.report_id):
        raise not_found(sentence("thing.edition", "edition"))
    return row


def title_of(session: Session, row: Edition) -> str:
    """The name of the report of an edition."""
    return session.get_one(Report, row.report_id).name


def read(session: Session, visibility: Visibility, row: Edition) -> tuple[service.Asked, list[dict[str, Any]], bool]:
    """What an edition asked, its flights as the caller may see them, and whether they are of the simulated sky."""
    document = msgspec.json.decode(zlib.decompress(row.document), type=Document)
    question = document.question
    area = area_of_geometry(question.geometry)
    asked = service.Asked(
        area, question.geofence, question.name, question.below_ft, question.over, question.elevation_ft,
        row.begin_at, row.end_at,
    )  # fmt: skip
    return asked, _visible(session, visibility, document.flights), question.simulated


def _visible(session: Session, visibility: Visibility, flights: Sequence[StoredFlight]) -> list[dict[str, Any]]:
    shown = [msgspec.structs.asdict(flight) for flight in flights]
    if not visibility.military:
        known = military_aircraft(session)
        shown = [each for each in shown if not known.includes(each["icao_hex"], was_marked=each["military"])]
    if not visibility.details:
        shown = [each | {"registration": None} for each in shown]
    return shown


def _counts(row: Any, known: MilitaryAircraft | None) -> tuple[int, int]:
    """The flights of an edition and those at night; without the military ones where these are given."""
    if known is None:
        return row.count, row.night
    flights = msgspec.json.decode(zlib.decompress(row.document), type=_CountedDocument).flights
    shown = [each for each in flights if not known.includes(each.icao_hex, was_marked=each.military)]
    return len(shown), sum(each.at_night for each in shown)


def _edition_answer(row: Any, count: int, night: int) -> dict[str, Any]:
    return {
        "id": row.id,
        "from": row.begin_at,
        "to": row.end_at,
        "made_at": row.made_at,
        "count": count,
        "night_share": _share(count, night),
    }


def _share(count: int, night: int) -> float | None:
    return round(night / count, 4) if count else None


class ReportService:
    """The part of a worker that makes editions."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._task = PeriodicTask(COMPONENT, EVERY_S, self._run, retry_s=EVERY_S)

    async def start(self) -> None:
        """Start the thread, which makes what was missed."""
        self._task.start()

    async def stop(self) -> None:
        """Stop it."""
        await asyncio.to_thread(self._task.close)

    def _run(self) -> None:
        made = make_due(self._runtime, utcnow())
        if made:
            log.info("%d editions of reports were made", made)


def create(runtime: Runtime) -> ReportService:
    """The part of this installation."""
    return ReportService(runtime)
