"""Reports of users: an area and a height, how often, and the channels that get the editions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airports.station_time import midnight, station_zone
from skywatch.alerts.models import Geofence
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid_fields, not_found
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.http.resources.answer import answer
from skywatch.notify.channels.queries import foreign_channels
from skywatch.overflights.models import Report
from skywatch.overflights.schemas import ReportChangeFields, ReportFields, ReportRecord
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence
from skywatch.settings import Settings

MOST_REPORTS = 50
_AUDITED = ("name", "geofence_id", "below_ft", "over", "every", "channels")


def last_boundary(every: str, now: datetime, zone: ZoneInfo) -> datetime:
    """The last midnight of the zone at which a period ended; weeks begin on Monday."""
    day = now.astimezone(zone).date()
    if every == "week":
        day -= timedelta(days=day.weekday())
    return midnight(day.replace(day=1) if every == "month" else day, zone)


def begin_of(every: str, end: datetime, zone: ZoneInfo) -> datetime:
    """The begin of the period that ends at a boundary."""
    day: date = end.astimezone(zone).date()
    before = day - timedelta(days=7 if every == "week" else 1)
    return midnight(before.replace(day=1) if every == "month" else before, zone)


def next_boundary(every: str, now: datetime, zone: ZoneInfo) -> datetime:
    """The next midnight at which a period ends."""
    day = last_boundary(every, now, zone).astimezone(zone).date()
    if every == "month":
        return midnight((day + timedelta(days=31)).replace(day=1), zone)
    return midnight(day + timedelta(days=7 if every == "week" else 1), zone)


def page(session: Session, visibility: Visibility, offset: int, limit: int) -> tuple[list[Report], int]:
    """The caller's reports by id, and how many there are; raises Problem (401)."""
    own = Report.user_id == owner_id(visibility)
    count = session.scalar(sa.select(sa.func.count()).select_from(Report).where(own)) or 0
    rows = session.scalars(sa.select(Report).where(own).order_by(Report.id).offset(offset).limit(limit)).all()
    return list(rows), count


def owner_id(visibility: Visibility) -> int:
    """The caller as an owner; raises Problem (401) for an anonymous one."""
    if visibility.user_id is None:
        raise Problem("authentication_required", sentence("overflights.login", "Log in to have reports of your own."))
    return visibility.user_id


def get(session: Session, visibility: Visibility, report_id: int) -> Report:
    """A report of the caller's; raises Problem (401, 404)."""
    row = session.scalar(sa.select(Report).where(Report.id == report_id, Report.user_id == owner_id(visibility)))
    if row is None:
        raise not_found(sentence("thing.report", "report"))
    return row


def create(session: Session, visibility: Visibility, actor: Actor, settings: Settings, fields: ReportFields) -> Report:
    """Create a report; its first edition is of the period that is going on. Raises Problem (400, 401, 409)."""
    user_id = owner_id(visibility)
    _, count = page(session, visibility, 0, 1)
    if count >= MOST_REPORTS:
        detail = sentence("overflights.quota", "A user can have at most {limit} reports.", limit=MOST_REPORTS)
        raise Problem("conflict", detail)
    _check(session, user_id, fields.geofence, fields.channels)
    now = utcnow()
    given = fields.given()
    row = Report(
        user_id=user_id,
        geofence_id=given.pop("geofence"),
        done_until=last_boundary(fields.every, now, station_zone(settings)),
        created_at=now,
        updated_at=now,
        **given,
    )
    session.add(row)
    session.flush()
    _record(session, actor, "report.created", row, after=_audited(row))
    return row


def change(
    session: Session,
    visibility: Visibility,
    actor: Actor,
    settings: Settings,
    report_id: int,
    fields: ReportChangeFields,
) -> Report:
    """Change a report; where it is made at other times, from the period on that is going on."""
    row = get(session, visibility, report_id)
    before, given, now = _audited(row), fields.given(), utcnow()
    _check(session, row.user_id, given.get("geofence", row.geofence_id), given.get("channels", []))
    if given.get("every", row.every) != row.every:
        row.done_until = last_boundary(given["every"], now, station_zone(settings))
    if "geofence" in given:
        row.geofence_id = given.pop("geofence")
    for name, value in given.items():
        setattr(row, name, value)
    row.updated_at = now
    session.flush()
    _record(session, actor, "report.changed", row, before=before, after=_audited(row))
    return row


def delete(session: Session, visibility: Visibility, actor: Actor, report_id: int) -> None:
    """Delete a report with its editions."""
    row = get(session, visibility, report_id)
    session.delete(row)
    _record(session, actor, "report.deleted", row, before=_audited(row))


def report_answer(row: Report, settings: Settings) -> dict[str, Any]:
    """A report as the API answers it."""
    next_at = next_boundary(row.every, max(utcnow(), row.done_until), station_zone(settings))
    return answer(ReportRecord, row, geofence=row.geofence_id, next_at=next_at)


def reports_with(session: Session, geofence_id: int) -> list[str]:
    """The names of the reports about a geofence."""
    return list(session.scalars(sa.select(Report.name).where(Report.geofence_id == geofence_id).order_by(Report.id)))


def _check(session: Session, user_id: int, geofence: int, channels: list[int]) -> None:
    faults = {}
    is_own = (Geofence.id == geofence) & (Geofence.user_id == user_id)
    if session.scalar(sa.select(Geofence.id).where(is_own)) is None:
        faults["geofence"] = sentence(
            "overflights.not_your_geofence", "there is no geofence {number} of yours", number=geofence
        )
    foreign = foreign_channels(session, user_id, channels)
    if foreign:
        faults["channels"] = sentence(
            "alerts.not_your_channels", "there is no channel {names} of yours", names=", ".join(map(str, foreign))
        )
    if faults:
        raise invalid_fields(faults)


def _record(session: Session, actor: Actor, action: str, row: Report, **states: Mapping[str, Any]) -> None:
    record(session, actor, action, Target("report", row.id, row.name), **states)


def _audited(row: Report) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _AUDITED}
