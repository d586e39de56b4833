"""The REST resources below ``/api/v1/safety``."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from skywatch.core import events
from skywatch.core.clock import utcnow
from skywatch.http.clients.audit import actor_of
from skywatch.http.limits.slow_work import statistics_limiter
from skywatch.http.lists.cursor import cursor_page
from skywatch.http.lists.pagination import page
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.schema import OpenSchema
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.safety import schemas, service
from skywatch.safety.events.storage import event_answer, event_message
from skywatch.safety.models import SafetyPlace
from skywatch.safety.places import regions
from skywatch.safety.places import storage as places
from skywatch.safety.thresholds import store as settings_store
from skywatch.safety.thresholds.schemas import ThresholdChange, ThresholdChangeFields, ThresholdList
from skywatch.security.permissions import Permission

FEATURE = "safety"
VIEW, ACKNOWLEDGE, MANAGE = Permission.SAFETY_VIEW, Permission.SAFETY_ACKNOWLEDGE, Permission.SAFETY_MANAGE

event_list = ApiService("safety.events", "/safety/events", feature=FEATURE)
active_list = ApiService("safety.active_events", "/safety/events/active", feature=FEATURE)
one_event = ApiService("safety.event", f"/safety/events/{{id:{NUMBER}}}", feature=FEATURE)
acknowledgement = ApiService("safety.acknowledge", f"/safety/events/{{id:{NUMBER}}}/acknowledge", feature=FEATURE)
statistics = ApiService("safety.stats", "/safety/stats", feature=FEATURE)
area_list = ApiService("safety.areas", "/safety/areas", feature=FEATURE)
thresholds = ApiService("safety.settings", "/safety/settings", feature=FEATURE)
place_list = ApiService("safety.places", "/safety/places", feature=FEATURE)


@event_list.get(permission=VIEW, query=schemas.EventQuery(), responses={200: schemas.SafetyEventList()})
def list_safety_events(request: Request) -> dict[str, Any]:
    """List safety events, the newest first

    Suppressed events have the reasons in `suppressed_by`; `suppressed=false` excludes them.
    """
    return _listed(request, {})


@active_list.get(permission=VIEW, query=schemas.EventQuery(), responses={200: schemas.SafetyEventList()})
def list_active_safety_events(request: Request) -> dict[str, Any]:
    """List the safety events that are active now"""
    return _listed(request, {"active": True})


def _listed(request: Request, fixed: dict[str, Any]) -> dict[str, Any]:
    query = dict(request.validated["querystring"])
    limit, offset, cursor = query.pop("limit"), query.pop("offset"), query.pop("cursor")
    events, count, last = service.find(request.db, request.visibility, {**query, **fixed}, limit, offset, cursor)
    return cursor_page(request, "events", [event_answer(row) for row in events], count, last)


@one_event.get(permission=VIEW, path=RowId(), responses={200: schemas.SafetyEventRecord()}, errors=(404,))
def get_safety_event(request: Request) -> dict[str, Any]:
    """Show a safety event"""
    return event_answer(service.get(request.db, request.visibility, row_id(request)))


@acknowledgement.post(
    permission=ACKNOWLEDGE, path=RowId(), body=OpenSchema(), responses={200: schemas.SafetyEventRecord()}, errors=(404,)
)
def acknowledge_safety_event(request: Request) -> dict[str, Any]:
    """Acknowledge a safety event

    A second acknowledgement does not change the first. Subscribers receive the first acknowledgement of an event,
    unless the event is suppressed.
    """
    who = request.identity.username if request.identity is not None else "anonymous"
    event, is_first = service.acknowledge(request.db, request.visibility, row_id(request), who)
    if is_first and not event.held_back:
        events.publish(request.db, event_message(event, "safety:event_updated"))
    return event_answer(event)


@statistics.get(permission=VIEW, query=schemas.StatsQuery(), responses={200: schemas.SafetyStats()})
def get_safety_stats(request: Request) -> dict[str, Any]:
    """Count safety events by type and severity"""
    query = request.validated["querystring"]
    with request.runtime.shared(statistics_limiter).turn(request.person):
        return service.stats(request.db, request.visibility, query["from"], query["to"])


@area_list.get(permission=VIEW, query=schemas.AreaQuery(), responses={200: schemas.SafetyAreas()})
def list_safety_areas(request: Request) -> dict[str, Any]:
    """Show the regions where navigation signals are disturbed, as GeoJSON

    Each feature has its counts: aircraft that were good before and turned `bad`, those that stayed `good`.
    A region is stored every ten seconds: the present state is at most that old. Regions with a simulated aircraft are
    left out once another one has been heard.
    """
    moment = request.validated["querystring"]["at"]
    rows = (
        regions.at(request.db, moment, request.visibility.military)
        if moment
        else regions.now(request.db, request.visibility.military)
    )
    features = [regions.region_answer(row) for row in rows]
    return {"type": "FeatureCollection", "features": features, "at": moment or utcnow()}


@thresholds.get(permission=VIEW, responses={200: ThresholdList()})
def list_safety_settings(request: Request) -> dict[str, Any]:
    """List the thresholds in force, with units and sources"""
    return {"settings": settings_store.threshold_answers(request.db)}


@thresholds.patch(permission=MANAGE, body=ThresholdChange(), responses={200: ThresholdList()})
def update_safety_settings(request: Request) -> dict[str, Any]:
    """Change thresholds; they are in force within two seconds"""
    fields = body_of(request, ThresholdChangeFields)
    changes = {name: float(value) for name, value in fields.given().items()}
    settings_store.change(request.db, actor_of(request), changes)
    return {"settings": settings_store.threshold_answers(request.db)}


@place_list.get(permission=MANAGE, query=schemas.PlaceQuery(), responses={200: schemas.PlaceList()})
def list_safety_places(request: Request) -> dict[str, Any]:
    """List what was learnt by place: floors of level flight, runways"""
    query = request.validated["querystring"]
    select = sa.select(SafetyPlace)
    if query["runways"] is not None:
        has_runway = SafetyPlace.runway_lat.is_not(None)
        select = select.where(has_runway if query["runways"] else sa.not_(has_runway))
    count = request.db.scalar(sa.select(sa.func.count()).select_from(select.subquery())) or 0
    order = select.order_by(SafetyPlace.updated_at.desc(), SafetyPlace.y, SafetyPlace.x)
    rows = request.db.scalars(order.limit(query["limit"]).offset(query["offset"])).all()
    return page(request, "places", [places.place_answer(row) for row in rows], count)


@place_list.delete(permission=MANAGE, responses={200: schemas.ForgottenPlaces()})
def forget_safety_places(request: Request) -> dict[str, Any]:
    """Forget all that was learnt by place; learning starts again within seconds"""
    return {"forgotten": settings_store.forget_places(request.db, actor_of(request))}
