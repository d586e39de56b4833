"""The REST resources of locations, sessions, patterns and alerts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pyramid.request import Request

from skywatch.cannonball.monitor import COMMAND_TOPIC
from skywatch.cannonball.schemas import (
    Acknowledged,
    ActiveSessions,
    AlertList,
    AlertQuery,
    AlertRecord,
    NewLocation,
    PatternList,
    PatternQuery,
    SessionList,
    SessionQuery,
    SessionRecord,
    ShownLocation,
    ThingId,
)
from skywatch.cannonball.service import CannonballService, Page, Viewer
from skywatch.cannonball.shown import full_alert, full_pattern, full_session, summary
from skywatch.cannonball.tracking.location import Location, LocationStore
from skywatch.cannonball.tracking.records import alert_message, session_message
from skywatch.core.bus.base import Message
from skywatch.core.clock import unix_now
from skywatch.core.problems import not_found
from skywatch.http.paging import page
from skywatch.http.service import NUMBER, ApiService
from skywatch.security.contexts import PERSONAL_WRITE
from skywatch.security.permissions import Permission

VIEW = Permission.CANNONBALL_VIEW
BASE = "/api/v1/cannonball"


def service(request: Request) -> CannonballService:
    """The rules for this request's caller."""
    viewer = Viewer(
        request.identity.user_id,
        request.may(Permission.CANNONBALL_MANAGE),
        request.may(Permission.AIRCRAFT_VIEW_MILITARY),
    )
    return CannonballService(request.db, viewer)


def publish_after_commit(request: Request, messages: list[Message]) -> None:
    """Tell the real-time channel (and the tracker) once the change is committed."""
    bus = request.runtime.bus

    def committed(successful: bool) -> None:
        for message in messages if successful else ():
            bus.publish(message)

    request.tm.get().addAfterCommitHook(committed)


location = ApiService(
    "cannonball.location", "/cannonball/location", feature="cannonball", canonical=f"{BASE}/location/"
)
active = ApiService(
    "cannonball.active_sessions",
    "/cannonball/sessions/active",
    feature="cannonball",
    canonical=f"{BASE}/sessions/active/",
)
sessions = ApiService(
    "cannonball.sessions", "/cannonball/sessions", feature="cannonball", canonical=f"{BASE}/sessions/"
)
session = ApiService(
    "cannonball.session",
    f"/cannonball/sessions/{{id:{NUMBER}}}",
    feature="cannonball",
    canonical=f"{BASE}/sessions/{{id:{NUMBER}}}/",
)
session_end = ApiService(
    "cannonball.session_end",
    f"/cannonball/sessions/{{id:{NUMBER}}}/end",
    feature="cannonball",
    canonical=f"{BASE}/sessions/{{id:{NUMBER}}}/end/",
)
patterns = ApiService(
    "cannonball.patterns", "/cannonball/patterns", feature="cannonball", canonical=f"{BASE}/patterns/"
)
alerts = ApiService("cannonball.alerts", "/cannonball/alerts", feature="cannonball", canonical=f"{BASE}/alerts/")
acknowledge_all = ApiService(
    "cannonball.acknowledge_all",
    "/cannonball/alerts/acknowledge-all",
    feature="cannonball",
    canonical=f"{BASE}/alerts/acknowledge-all/",
)
alert = ApiService(
    "cannonball.alert",
    f"/cannonball/alerts/{{id:{NUMBER}}}",
    feature="cannonball",
    canonical=f"{BASE}/alerts/{{id:{NUMBER}}}/",
)
acknowledge = ApiService(
    "cannonball.acknowledge",
    f"/cannonball/alerts/{{id:{NUMBER}}}/acknowledge",
    feature="cannonball",
    canonical=f"{BASE}/alerts/{{id:{NUMBER}}}/acknowledge/",
)
announced = ApiService(
    "cannonball.announced",
    f"/cannonball/alerts/{{id:{NUMBER}}}/announced",
    feature="cannonball",
    canonical=f"{BASE}/alerts/{{id:{NUMBER}}}/announced/",
)


@location.put(permission=PERSONAL_WRITE, body=NewLocation(), responses={200: ShownLocation()})
def put_location(request: Request) -> dict[str, Any]:
    """Start or refresh tracking around the caller

    A location lives ten minutes without refresh. Without `heading` and `speed_kt` the movement is read off the
    fixes; a jump that no movement explains starts anew at the new place.
    """
    settings = request.runtime.settings
    body = request.validated["body"]
    now = unix_now()
    kept = Location(
        user_id=request.identity.user_id,
        lat=body["lat"],
        lon=body["lon"],
        radius_nm=body["radius_nm"] or settings.cannonball_default_radius_nm,
        at=now,
        expires_at=now + settings.cannonball_location_ttl_s,
        heading=body["heading"],
        speed_kt=body["speed_kt"],
    )
    LocationStore(request.runtime.bus).put(kept)
    return _shown_location(kept)


@location.get(permission=VIEW, responses={200: ShownLocation()}, errors=(404,))
def get_location(request: Request) -> dict[str, Any]:
    """Show the caller's location"""
    kept = LocationStore(request.runtime.bus).get(request.identity.user_id)
    if kept is None:
        raise not_found("location")
    return _shown_location(kept)


@location.delete(permission=PERSONAL_WRITE, responses={204: None})
def delete_location(request: Request) -> None:
    """End tracking around the caller"""
    LocationStore(request.runtime.bus).delete(request.identity.user_id)
    request.response.status_code = 204


@active.get(permission=VIEW, responses={200: ActiveSessions()})
def list_active_sessions(request: Request) -> dict[str, Any]:
    """List the sessions running now, the most urgent first

    The caller's own; those who manage the area see everybody's.
    """
    found = service(request).active_sessions()
    return {"sessions": [summary(s) for s in found], "count": len(found)}


@sessions.get(permission=VIEW, query=SessionQuery(), responses={200: SessionList()})
def list_sessions(request: Request) -> dict[str, Any]:
    """List sessions, the newest first"""
    cut, filters = _query(request)
    found, count = service(request).sessions(cut, filters)
    return page(request, "sessions", [full_session(s) for s in found], count)


@session.get(permission=VIEW, path=ThingId(), responses={200: SessionRecord()}, errors=(404,))
def get_session(request: Request) -> dict[str, Any]:
    """Show a session"""
    return full_session(service(request).session(request.validated["path"]["id"]))


@session_end.post(permission=PERSONAL_WRITE, path=ThingId(), responses={200: SessionRecord()}, errors=(404,))
def end_session(request: Request) -> dict[str, Any]:
    """End a session

    The aircraft opens no new one until it has left the radius. Ending a session that has ended changes nothing.
    """
    ended, changed = service(request).end_session(request.validated["path"]["id"])
    if changed:
        command = Message(COMMAND_TOPIC, "end", str(ended.id).encode())
        publish_after_commit(request, [command, session_message(ended)])
    return full_session(ended)


@patterns.get(permission=VIEW, query=PatternQuery(), responses={200: PatternList()})
def list_patterns(request: Request) -> dict[str, Any]:
    """List flight patterns of all aircraft in the sky, the newest first

    `session` is the caller's session in which a pattern was seen; patterns elsewhere have none.
    """
    cut, filters = _query(request)
    found, count = service(request).patterns(cut, filters)
    return page(request, "patterns", [full_pattern(p, session_id) for p, session_id in found], count)


@alerts.get(permission=VIEW, query=AlertQuery(), responses={200: AlertList()})
def list_alerts(request: Request) -> dict[str, Any]:
    """List alerts, the newest first"""
    cut, filters = _query(request)
    found, count = service(request).alerts(cut, filters)
    return page(request, "alerts", [full_alert(a) for a in found], count)


@acknowledge_all.post(permission=PERSONAL_WRITE, responses={200: Acknowledged()})
def acknowledge_all_alerts(request: Request) -> dict[str, Any]:
    """Acknowledge all of the caller's own alerts"""
    done = service(request).acknowledge_all()
    publish_after_commit(request, [alert_message(a) for a in done])
    return {"acknowledged": len(done)}


@alert.get(permission=VIEW, path=ThingId(), responses={200: AlertRecord()}, errors=(404,))
def get_alert(request: Request) -> dict[str, Any]:
    """Show an alert"""
    return full_alert(service(request).alert(request.validated["path"]["id"]))


@acknowledge.post(permission=PERSONAL_WRITE, path=ThingId(), responses={200: AlertRecord()}, errors=(404,))
def acknowledge_alert(request: Request) -> dict[str, Any]:
    """Acknowledge an alert

    Acknowledging again keeps the first moment.
    """
    return _marked(request, *service(request).acknowledge(request.validated["path"]["id"]))


@announced.post(permission=PERSONAL_WRITE, path=ThingId(), responses={200: AlertRecord()}, errors=(404,))
def announce_alert(request: Request) -> dict[str, Any]:
    """Report that a client spoke an alert"""
    return _marked(request, *service(request).announced(request.validated["path"]["id"]))


def _marked(request: Request, marked: Any, changed: bool) -> dict[str, Any]:
    if changed:
        publish_after_commit(request, [alert_message(marked)])
    return full_alert(marked)


def _query(request: Request) -> tuple[Page, dict[str, Any]]:
    filters = dict(request.validated["querystring"])
    return Page(filters.pop("offset"), filters.pop("limit")), filters


def _shown_location(kept: Location) -> dict[str, Any]:
    return {
        "lat": kept.lat,
        "lon": kept.lon,
        "heading": kept.heading,
        "speed_kt": kept.speed_kt,
        "radius_nm": kept.radius_nm,
        "updated_at": datetime.fromtimestamp(kept.at, UTC),
        "expires_at": datetime.fromtimestamp(kept.expires_at, UTC),
    }
