"""The REST resources of geofences."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from skywatch.alerts.area import AlertService, alert_resource
from skywatch.alerts.geofences import queries, service
from skywatch.alerts.geofences.schemas import (
    GeofenceChange,
    GeofenceChangeFields,
    GeofenceCollection,
    GeofenceList,
    GeofenceRecord,
    GeofencesImported,
    NewGeofence,
    NewGeofenceFields,
)
from skywatch.alerts.geofences.service import geofence_answer
from skywatch.core.polygons.geometry import MAX_POSITIONS
from skywatch.core.polygons.imports import Faults, count_features
from skywatch.core.problems import Problem
from skywatch.http.clients.audit import actor_of
from skywatch.http.lists.pagination import PageQuery, page
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId
from skywatch.http.resources.render import json_response
from skywatch.http.resources.service import Resource, view
from skywatch.http.resources.validation import has_at_most, json_body, too_many_values
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.sentences import sentence, worded

# JSON values of an import: each position is a list of two or three.
MAX_VALUES = 3 * MAX_POSITIONS + 100_000
# Lines of an OpenAir file that are named.
MAX_REFUSED = 100
GEOJSON_TYPES = ("application/json", "application/geo+json")

export = AlertService("alerts.geofences_export", "/alerts/geofences/export")
importing = AlertService("alerts.geofences_import", "/alerts/geofences/import")


@alert_resource("geofence", "/alerts/geofences")
class Geofences(Resource):
    """Geofences of users."""

    @view(permission=Permission.ALERTS_VIEW, query=PageQuery(), responses={200: GeofenceList()})
    def collection_get(self) -> dict[str, Any]:
        """List the caller's geofences

        A page ends before its limit where geometries are large.
        """
        query = self.request.validated["querystring"]
        answers, count = queries.page_of_geofences(
            self.request.db, self.request.visibility, query["offset"], query["limit"]
        )
        return page(self.request, "geofences", answers, count, len(answers))

    @view(
        permission=Permission.ALERTS_CREATE,
        body=NewGeofence(),
        responses={201: GeofenceRecord()},
        errors=(409,),
        creates=True,
    )
    def collection_post(self) -> dict[str, Any]:
        """Create a geofence"""
        fields = body_of(self.request, NewGeofenceFields)
        return geofence_answer(service.create(self.request.db, self.request.visibility, actor_of(self.request), fields))

    @view(permission=Permission.ALERTS_VIEW, path=RowId(), responses={200: GeofenceRecord()}, errors=(404,))
    def get(self) -> dict[str, Any]:
        """Show a geofence"""
        return geofence_answer(service.get(self.request.db, self.request.visibility, self.id))

    @view(
        permission=Permission.ALERTS_EDIT,
        path=RowId(),
        body=GeofenceChange(),
        responses={200: GeofenceRecord()},
        errors=(404, 409),
    )
    def patch(self) -> dict[str, Any]:
        """Change a geofence"""
        fields = body_of(self.request, GeofenceChangeFields)
        row = service.change(self.request.db, self.request.visibility, actor_of(self.request), self.id, fields)
        return geofence_answer(row)

    @view(permission=Permission.ALERTS_DELETE, path=RowId(), responses={204: None}, errors=(404, 409))
    def delete(self) -> None:
        """Delete a geofence that no rule and no report uses"""
        request = self.request
        service.delete(request.db, request.visibility, actor_of(request), self.id, request.runtime.features)
        self.request.response.status_code = 204


@export.get(permission=Permission.ALERTS_VIEW, responses={200: "application/geo+json"})
def export_geofences(request: Request) -> Response:
    """Export the caller's geofences as GeoJSON"""
    document = queries.export(request.db, request.visibility)
    return json_response(document, content_type="application/geo+json")


@importing.post(
    permission=ViewPermission.ALERTS_IMPORT,
    body=GeofenceCollection(),
    body_types=(*GEOJSON_TYPES, "text/plain"),
    responses={200: GeofencesImported()},
    errors=(409, 413, 415),
)
def import_geofences(request: Request) -> dict[str, Any]:
    """Import geofences as GeoJSON, or as OpenAir (text/plain)

    Of GeoJSON all are imported, or none: the faults name each feature that cannot be imported. Of OpenAir those are
    imported that are understood; `refused` names the lines that are not (at most 100). At most 200, with 100,000
    positions altogether.
    """
    refused: Faults = {}
    session, visibility, actor = request.db, request.visibility, actor_of(request)
    if request.content_type == "text/plain":
        created, refused = service.import_openair(session, visibility, actor, _openair_text(request))
    elif request.content_type in GEOJSON_TYPES:
        request.content_type = "application/json"
        if not has_at_most(request.body, MAX_VALUES):
            # Rather than of JSON values the refusal speaks of geofences, where it can.
            service.check_count(session, visibility, count_features(request.body))
            raise too_many_values(MAX_VALUES)
        created = service.import_geojson(session, visibility, actor, json_body(request, None))
    else:
        raise Problem(
            "unsupported_media_type",
            sentence("alerts.fence_media_type", "The body must be GeoJSON (application/json) or OpenAir (text/plain)."),
        )
    named = list(refused.items())[:MAX_REFUSED]
    listed = [{"line": int(place.removeprefix("line ")), **worded("detail", fault)} for place, fault in named]
    return {"geofences": [geofence_answer(row) for row in created], "count": len(created), "refused": listed}


def _openair_text(request: Request) -> str:
    """The body as text. Many OpenAir files are older than UTF-8."""
    try:
        return text_body(request)
    except Problem:
        return str(request.body.decode("latin-1"))


def text_body(request: Request) -> str:
    """The body as text; raises Problem where it is not UTF-8."""
    try:
        text: str = request.body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Problem("malformed_body", sentence("body.not_utf8", "The body is not UTF-8.")) from None
    return text
