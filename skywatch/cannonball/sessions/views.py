"""The REST resources of locations, sessions, patterns and alerts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from skywatch.airframes.military import military_aircraft
from skywatch.cannonball import topics
from skywatch.cannonball.area import CannonballService
from skywatch.cannonball.location import Location, LocationStore
from skywatch.cannonball.models import CannonballSession
from skywatch.cannonball.sessions import service
from skywatch.cannonball.sessions.answers import alert_answer, pattern_answer, session_answer, summary_answer
from skywatch.cannonball.sessions.messages import alert_message, session_message
from skywatch.cannonball.sessions.schemas import (
    AcknowledgedAlerts,
    ActiveQuery,
    ActiveSessions,
    AlertList,
    AlertQuery,
    AlertRecord,
    NewLocation,
    NewLocationFields,
    PatternList,
    PatternQuery,
    SessionList,
    SessionQuery,
    SessionRecord,
    ShownLocation,
)
from skywatch.cannonball.sessions.service import Page
from skywatch.cannonball.settings import CannonballSettings
from skywatch.core import events
from skywatch.core.bus.base import Message
from skywatch.core.clock import unix_now
from skywatch.core.problems import not_found
from skywatch.http.lists.pagination import only_page, page
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.schema import OpenSchema
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.sentences import sentence

VIEW = Permission.CANNONBALL_VIEW

location = CannonballService("cannonball.location", "/cannonball/location")
active = CannonballService("cannonball.active_sessions", "/cannonball/sessions/active")
sessions = CannonballService("cannonball.sessions", "/cannonball/sessions")
session = CannonballService("cannonball.session", f"/cannonball/sessions/{{id:{NUMBER}}}")
session_end = CannonballService("cannonball.session_end", f"/cannonball/sessions/{{id:{NUMBER}}}/end")
patterns = CannonballService("cannonball.patterns", "/cannonball/patterns")
alerts = CannonballService("cannonball.alerts", "/cannonball/alerts")
acknowledge_all = CannonballService("cannonball.acknowledge_all", "/cannonball/alerts/acknowledge-all")
alert = CannonballService("cannonball.alert", f"/cannonball/alerts/{{id:{NUMBER}}}")
acknowledge = CannonballService("cannonball.acknowledge", f"/cannonball/alerts/{{id:{NUMBER}}}/acknowledge")
announced = CannonballService("cannonball.announced", f"/cannonball/alerts/{{id:{NUMBER}}}/announced")


@location.put(permission=ViewPermission.PERSONAL_WRITE, body=NewLocation(), responses={200: ShownLocation()})
def set_location(request: Request) -> dict[str, Any]:
    """Start or refresh tracking around the caller

    A location expires after ten minutes unless it is refreshed. Without `heading` and `speed_kt` the movement is
    computed from consecutive positions; a jump beyond any possible speed counts as a new place.
    """
    settings = request.runtime.settings.of(CannonballSettings)
    fields = body_of(request, NewLocationFields)
    now = unix_now()
    new_location = Location(
        user_id=request.caller.user_id,
        lat=fields.lat,
        lon=fields.lon,
        radius_nm=fields.radius_nm or settings.cannonball_default_radius_nm,
        at=now,
        expires_at=now + settings.cannonball_location_ttl_s,
        heading=fields.heading,
        speed_kt=fields.speed_kt,
    )
    LocationStore(request.runtime.bus).put(new_location)
    return _location_answer(new_location)


@location.get(permission=VIEW, responses={200: ShownLocation()}, errors=(404,))
def get_location(request: Request) -> dict[str, Any]:
    """Show the caller's location"""
    stored_location = LocationStore(request.runtime.bus).get(request.caller.user_id)
    if stored_location is None:
        raise not_found(sentence("thing.location", "location"))
    return _location_answer(stored_location)


@location.delete(permission=ViewPermission.PERSONAL_WRITE, responses={204: None})
def delete_location(request: Request) -> None:
    """End tracking around the caller"""
    LocationStore(request.runtime.bus).delete(request.caller.user_id)
    request.response.status_code = 204


@active.get(permission=VIEW, query=ActiveQuery(), responses={200: ActiveSessions()})
def list_active_cannonball_sessions(request: Request) -> dict[str, Any]:
    """List the active sessions, the most urgent first

    The caller's own; holders of `cannonball.manage` see everybody's.
    """
    rows = service.active_sessions(request.db, request.visibility, request.validated["querystring"]["user"])
    return only_page("sessions", [summary_answer(row) for row in rows])


@sessions.get(permission=VIEW, query=SessionQuery(), responses={200: SessionList()})
def list_cannonball_sessions(request: Request) -> dict[str, Any]:
    """List sessions, the newest first"""
    page_range, filters = _query(request)
    rows, count = service.find_sessions(request.db, request.visibility, page_range, filters)
    return page(request, "sessions", _answers(request, rows), count)


@session.get(permission=VIEW, path=RowId(), responses={200: SessionRecord()}, errors=(404,))
def get_cannonball_session(request: Request) -> dict[str, Any]:
    """Show a session"""
    return _answers(request, [service.get_session(request.db, request.visibility, row_id(request))])[0]


@session_end.post(
    permission=ViewPermission.PERSONAL_WRITE, path=RowId(), responses={200: SessionRecord()}, errors=(404,)
)
def end_cannonball_session(request: Request) -> dict[str, Any]:
    """End a session

    The aircraft opens no new one until it has left the radius. Ending a session that has ended changes nothing.
    """
    ended, changed = service.end_session(request.db, request.visibility, row_id(request))
    if changed:
        # If the message is lost, the tracker reads it from the row when it next writes the session's numbers.
        events.publish(request.db, Message(topics.COMMANDS, "end", str(ended.id).encode()), stored=False)
        events.publish(request.db, session_message(ended))
    return _answers(request, [ended])[0]


@patterns.get(permission=VIEW, query=PatternQuery(), responses={200: PatternList()})
def list_patterns(request: Request) -> dict[str, Any]:
    """List flight patterns of all aircraft in the sky, the newest first

    `session` is the caller's session in which a pattern was flown; it is null for patterns elsewhere.
    """
    page_range, filters = _query(request)
    rows, count = service.find_patterns(request.db, request.visibility, page_range, filters)
    return page(request, "patterns", [pattern_answer(row, session_id) for row, session_id in rows], count)


@alerts.get(permission=VIEW, query=AlertQuery(), responses={200: AlertList()})
def list_cannonball_alerts(request: Request) -> dict[str, Any]:
    """List alerts, the newest first"""
    page_range, filters = _query(request)
    rows, count = service.find_alerts(request.db, request.visibility, page_range, filters)
    return page(request, "alerts", [alert_answer(row) for row in rows], count)


@acknowledge_all.post(
    permission=ViewPermission.PERSONAL_WRITE, body=OpenSchema(), responses={200: AcknowledgedAlerts()}
)
def acknowledge_all_cannonball_alerts(request: Request) -> dict[str, Any]:
    """Acknowledge all of the caller's own alerts

    The newest 10,000 at a time; the newest 300 get an event each.
    """
    count, alert_rows = service.acknowledge_all(request.db, request.visibility)
    events.publish(request.db, *[alert_message(a) for a in alert_rows])
    return {"acknowledged": count}


@alert.get(permission=VIEW, path=RowId(), responses={200: AlertRecord()}, errors=(404,))
def get_cannonball_alert(request: Request) -> dict[str, Any]:
    """Show an alert"""
    return alert_answer(service.get_alert(request.db, request.visibility, row_id(request)))


@acknowledge.post(
    permission=ViewPermission.PERSONAL_WRITE,
    path=RowId(),
    body=OpenSchema(),
    responses={200: AlertRecord()},
    errors=(404,),
)
def acknowledge_cannonball_alert(request: Request) -> dict[str, Any]:
    """Acknowledge an alert

    Acknowledging again does not change the time.
    """
    return _marked(request, *service.acknowledge(request.db, request.visibility, row_id(request)))


@announced.post(
    permission=ViewPermission.PERSONAL_WRITE,
    path=RowId(),
    body=OpenSchema(),
    responses={200: AlertRecord()},
    errors=(404,),
)
def announce_cannonball_alert(request: Request) -> dict[str, Any]:
    """Report that a client announced an alert by voice"""
    return _marked(request, *service.mark_announced(request.db, request.visibility, row_id(request)))


def _answers(request: Request, rows: Sequence[CannonballSession]) -> list[dict[str, Any]]:
    military = military_aircraft(request.db)
    return [session_answer(row, military=military.includes(row.icao_hex, was_marked=row.military)) for row in rows]


def _marked(request: Request, alert_row: Any, changed: bool) -> dict[str, Any]:
    if changed:
        events.publish(request.db, alert_message(alert_row))
    return alert_answer(alert_row)


def _query(request: Request) -> tuple[Page, dict[str, Any]]:
    filters = dict(request.validated["querystring"])
    return Page(filters.pop("offset"), filters.pop("limit")), filters


def _location_answer(user_location: Location) -> dict[str, Any]:
    return answer(
        ShownLocation,
        user_location,
        updated_at=datetime.fromtimestamp(user_location.at, UTC),
        expires_at=datetime.fromtimestamp(user_location.expires_at, UTC),
    )
