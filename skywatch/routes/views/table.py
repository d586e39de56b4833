"""The REST resources of the imported table, and how many routes are known."""

from __future__ import annotations

from typing import Any

from skywatch.core.problems import Problem, invalid
from skywatch.http.clients.audit import actor_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import Schema
from skywatch.http.resources.service import ApiService
from skywatch.routes import schemas, service
from skywatch.routes.table import File, ImportFailed, Refused, clear, import_routes
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence, worded

UPLOAD = "upload"

imports = ApiService("routes.import", "/routes/import", feature="system", tag="routes")
table = ApiService("routes.table", "/routes/table", feature="system", tag="routes")
status = ApiService("routes.status", "/routes/status", feature="aircraft", tag="routes")


@imports.post(
    permission=Permission.SYSTEM_MANAGE,
    body=Schema(),
    body_types=("text/csv",),
    responses={200: schemas.ImportedRoutes()},
    errors=(413, 415),
)
def import_route_table(request: Request) -> dict[str, Any]:
    """Import a table of routes

    CSV with the columns `Callsign,Code,Number,AirlineCode,AirportCodes` of the standing data of the virtual radar
    community, with or without these names in the first row; the airports are ICAO or IATA codes with `-` between two.
    It replaces the table. A row with a malformed callsign, an unknown airport or fewer than two airports is refused
    alone, and of a callsign the last row counts; without a good row nothing is changed (400). At most
    `routes_import_max_bytes`.
    """
    if request.content_type != "text/csv":
        raise Problem("unsupported_media_type", sentence("routes.media_type", "The body must be text/csv."))
    uploaded = File(UPLOAD, lambda: _Kept(request.body_file), True)
    try:
        report = import_routes(request.runtime, actor_of(request), [uploaded], UPLOAD)
    except ImportFailed as failure:
        raise invalid("csv", failure.args[0]) from None
    return {"routes": report.routes, "refused": report.refused, "errors": [_row(row) for row in report.errors]}


@table.delete(permission=Permission.SYSTEM_MANAGE, responses={204: None})
def delete_route_table(request: Request) -> None:
    """Delete the imported table

    Learnt routes stay.
    """
    clear(request.db, actor_of(request))
    request.response.status_code = 204


@status.get(permission=Permission.AIRCRAFT_VIEW, responses={200: schemas.RouteStatus()})
def get_route_status(request: Request) -> dict[str, Any]:
    """How many routes are known"""
    return service.status(request.db, request.visibility)


class _Kept:
    """A body that is read within a ``with`` statement and left open after it: it is the server's."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def __enter__(self) -> Any:
        return self._body

    def __exit__(self, *error: object) -> None:
        pass


def _row(refused: Refused) -> dict[str, Any]:
    return {"line": refused.line, **worded("detail", refused.detail)}
