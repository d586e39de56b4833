"""The REST resources of feeders."""

from __future__ import annotations

import functools
from typing import Any

from skywatch.core.hooks import AfterRename
from skywatch.feeders.models import Feeder
from skywatch.feeders.names import FEEDER
from skywatch.feeders.records import schemas, service
from skywatch.feeders.records.answers import feeder_answer
from skywatch.feeders.records.lines import beast_port, endpoint_of, lines_of
from skywatch.feeders.records.uuids import hyphenated
from skywatch.feeders.settings import FeederSettings
from skywatch.feeders.states import published
from skywatch.http.clients.audit import actor_of
from skywatch.http.lists.pagination import page
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.service import NUMBER, ApiService, Resource, api_resource, view
from skywatch.http.settings import HttpSettings
from skywatch.receivers.settings import ReceiverSettings
from skywatch.security.permissions import Permission, ViewPermission

VIEW, OWN = Permission.FEEDERS_VIEW, Permission.FEEDERS_OWN

# Their paths end with a slash.
FeederService = functools.partial(ApiService, feature="feeders", trailing_slash=True)
feeder_resource = functools.partial(api_resource, feature="feeders", trailing_slash=True)
rotation = FeederService("feeders.rotate", f"/feeders/{{id:{NUMBER}}}/rotate")


@feeder_resource("feeder", "/feeders")
class Feeders(Resource):
    """Feeders: receivers that connect to this installation."""

    @view(permission=VIEW, query=schemas.FeederQuery(), responses={200: schemas.FeederList()})
    def collection_get(self) -> dict[str, Any]:
        """List feeders in the order of their names"""
        query = self.request.validated["querystring"]
        rows, count = service.find(
            self.request.db, self.request.visibility, query["offset"], query["limit"], mine=query["mine"]
        )
        states = published(self.request.runtime.bus)
        answers = [feeder_answer(row, states.get(row.id), self.request.visibility) for row in rows]
        receivers = self.request.runtime.current.of(ReceiverSettings).receivers
        return {**page(self.request, "feeders", answers, count), "listening": beast_port(receivers) is not None}

    @view(
        permission=OWN,
        body=schemas.NewFeeder(),
        responses={201: schemas.FeederCredentials()},
        errors=(409,),
        creates=True,
    )
    def collection_post(self) -> dict[str, Any]:
        """Register a feeder

        The answer is the only one that shows its UUID, with ready-made lines for programs. A user has at most 50
        feeders. One that a holder of `feeders.manage` registers is trusted unless the body says otherwise.
        """
        fields = body_of(self.request, schemas.NewFeederFields)
        receivers, actor = _receivers(self.request), actor_of(self.request)
        created = service.create(self.request.db, self.request.visibility, actor, receivers, fields)
        return _credentials_answer(self.request, *created)

    @view(permission=VIEW, path=RowId(), responses={200: schemas.FeederEntry()}, errors=(404,))
    def get(self) -> dict[str, Any]:
        """Show a feeder"""
        return _answer(self.request, service.get(self.request.db, self.id))

    @view(
        operation_id="change_feeder",
        permission=OWN,
        path=RowId(),
        body=schemas.FeederChange(),
        responses={200: schemas.FeederEntry()},
        errors=(404, 409),
    )
    def patch(self) -> dict[str, Any]:
        """Change a feeder

        The connection of one that is disabled ends within 2 s. Rules on the silence of one that is renamed get its new
        name.
        """
        fields, actor = body_of(self.request, schemas.FeederChangeFields), actor_of(self.request)

        def renamed(before: str, after: str) -> None:
            for hook in self.request.runtime.features.provided(AfterRename):
                hook.follow(self.request.db, actor, FEEDER, before, after)

        receivers = _receivers(self.request)
        row = service.change(self.request.db, self.request.visibility, actor, receivers, self.id, fields, renamed)
        return _answer(self.request, row)

    @view(permission=ViewPermission.FEEDERS_DELETE, path=RowId(), responses={204: None}, errors=(404,))
    def delete(self) -> None:
        """Delete a feeder

        Its connection ends within 2 s.
        """
        service.delete(self.request.db, self.request.visibility, actor_of(self.request), self.id)
        self.request.response.status_code = 204


@rotation.post(permission=OWN, path=RowId(), responses={200: schemas.FeederCredentials()}, errors=(404, 409))
def rotate_feeder(request: Request) -> dict[str, Any]:
    """Give a feeder a new UUID

    The old one is refused from then on, and its connection ends within 2 s.
    """
    rotated = service.rotate(request.db, request.visibility, actor_of(request), _receivers(request), row_id(request))
    return _credentials_answer(request, *rotated)


def _receivers(request: Request) -> frozenset[str]:
    """The names that receivers of the settings have."""
    return frozenset(request.runtime.current.of(ReceiverSettings).receivers)


def _answer(request: Request, row: Feeder) -> dict[str, Any]:
    return feeder_answer(row, published(request.runtime.bus).get(row.id), request.visibility)


def _credentials_answer(request: Request, row: Feeder, digits: str) -> dict[str, Any]:
    settings = request.runtime.current
    address, base_url = settings.of(FeederSettings).feeders_address, settings.of(HttpSettings).base_url
    endpoint = endpoint_of(address, base_url, settings.of(ReceiverSettings).receivers)
    uuid = hyphenated(digits)
    return {**_answer(request, row), "uuid": uuid, "lines": lines_of(*endpoint, uuid) if endpoint else None}
