"""The REST resources of feeders."""

from __future__ import annotations

from typing import Any

from skywatch.feeders.models import Feeder
from skywatch.feeders.records import schemas
from skywatch.feeders.records.lines import beast_port, host_of, lines_of
from skywatch.feeders.records.service import FeederService
from skywatch.feeders.records.shape import record_of
from skywatch.feeders.records.uuids import hyphenated
from skywatch.feeders.settings import FeederSettings
from skywatch.feeders.states import published
from skywatch.http.clients.actor import actor_of
from skywatch.http.lists.paging import page
from skywatch.http.requests.request import Request
from skywatch.http.resources.ids import RowId
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.http.settings import HttpSettings
from skywatch.receivers.settings import ReceiverSettings
from skywatch.security.contexts import to_import
from skywatch.security.permissions import Permission

VIEW, OWN = Permission.FEEDERS_VIEW, Permission.FEEDERS_OWN

feeders = ApiService("feeders", "/feeders", feature="feeders", canonical="/api/v1/feeders/")
feeder = ApiService(
    "feeders.one", f"/feeders/{{id:{NUMBER}}}", feature="feeders", canonical=f"/api/v1/feeders/{{id:{NUMBER}}}/"
)
rotation = ApiService(
    "feeders.rotate",
    f"/feeders/{{id:{NUMBER}}}/rotate",
    feature="feeders",
    canonical=f"/api/v1/feeders/{{id:{NUMBER}}}/rotate/",
)


def service(request: Request) -> FeederService:
    """The rules for this request's caller."""
    receivers = request.runtime.current.of(ReceiverSettings).receivers
    return FeederService(request.db, request.visibility, actor_of(request), list(receivers))


@feeders.get(permission=VIEW, query=schemas.FeederQuery(), responses={200: schemas.FeederList()})
def list_feeders(request: Request) -> dict[str, Any]:
    """List feeders in the order of their names"""
    query = request.validated["querystring"]
    rows, count = service(request).find(query["offset"], query["limit"], mine=query["mine"])
    states = published(request.runtime.bus)
    records = [record_of(row, states.get(row.id), request.visibility) for row in rows]
    return page(request, "feeders", records, count)


@feeders.post(
    permission=OWN,
    body=schemas.NewFeeder(),
    responses={201: schemas.FeederCredentials()},
    errors=(409,),
    creates=feeder,
)
def create_feeder(request: Request) -> dict[str, Any]:
    """Register a feeder

    The answer is the only one that shows its UUID, with ready-made lines for programs. A user has at most 50 feeders.
    One that a holder of `feeders.manage` registers is trusted unless the body says otherwise.
    """
    return _credentials(request, *service(request).create(request.validated["body"]))


@feeder.get(permission=VIEW, path=RowId(), responses={200: schemas.FeederEntry()}, errors=(404,))
def get_feeder(request: Request) -> dict[str, Any]:
    """Show a feeder"""
    return _record(request, service(request).get(request.validated["path"]["id"]))


@feeder.patch(
    permission=OWN,
    path=RowId(),
    body=schemas.FeederChange(),
    responses={200: schemas.FeederEntry()},
    errors=(404, 409),
)
def change_feeder(request: Request) -> dict[str, Any]:
    """Change a feeder

    The connection of one that is disabled ends within 2 s.
    """
    return _record(request, service(request).change(request.validated["path"]["id"], request.validated["body"]))


@feeder.delete(permission=to_import(OWN), path=RowId(), responses={204: None}, errors=(404,))
def delete_feeder(request: Request) -> None:
    """Delete a feeder

    Its connection ends within 2 s.
    """
    service(request).delete(request.validated["path"]["id"])
    request.response.status_code = 204


@rotation.post(permission=OWN, path=RowId(), responses={200: schemas.FeederCredentials()}, errors=(404, 409))
def rotate_feeder(request: Request) -> dict[str, Any]:
    """Give a feeder a new UUID

    The old one is refused from then on, and its connection ends within 2 s.
    """
    return _credentials(request, *service(request).rotate(request.validated["path"]["id"]))


def _record(request: Request, row: Feeder) -> dict[str, Any]:
    return record_of(row, published(request.runtime.bus).get(row.id), request.visibility)


def _credentials(request: Request, row: Feeder, digits: str) -> dict[str, Any]:
    settings = request.runtime.current
    port = beast_port(settings.of(ReceiverSettings).receivers)
    host = host_of(settings.of(FeederSettings).feeders_address, settings.of(HttpSettings).base_url)
    uuid = hyphenated(digits)
    return {**_record(request, row), "uuid": uuid, "lines": lines_of(host, port, uuid) if port else None}
