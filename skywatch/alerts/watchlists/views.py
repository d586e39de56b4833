"""The REST resources of watch lists."""

from __future__ import annotations

from typing import Any

from skywatch.alerts.area import AlertService
from skywatch.alerts.geofences.views import text_body
from skywatch.alerts.watchlists import service
from skywatch.alerts.watchlists.schemas import (
    NewWatchlist,
    NewWatchlistFields,
    WatchlistChange,
    WatchlistChangeFields,
    WatchlistImported,
    WatchlistImportQuery,
    WatchlistList,
    WatchlistRecord,
)
from skywatch.alerts.watchlists.service import watchlist_answer
from skywatch.core.problems import Problem
from skywatch.http.clients.audit import actor_of
from skywatch.http.lists.pagination import PageQuery, page
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.schema import Schema
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import Permission, ViewPermission

watchlists = AlertService("alerts.watchlists", "/alerts/watchlists")
watchlist = AlertService("alerts.watchlist", f"/alerts/watchlists/{{id:{NUMBER}}}")
importing = AlertService("alerts.watchlist_import", f"/alerts/watchlists/{{id:{NUMBER}}}/import")


@watchlists.get(permission=Permission.ALERTS_VIEW, query=PageQuery(), responses={200: WatchlistList()})
def list_watchlists(request: Request) -> dict[str, Any]:
    """List the caller's watch lists, without their entries"""
    query = request.validated["querystring"]
    rows, count = service.page(request.db, request.visibility, query["offset"], query["limit"])
    return page(request, "watchlists", [watchlist_answer(row) for row in rows], count)


@watchlists.post(
    permission=Permission.ALERTS_CREATE,
    body=NewWatchlist(),
    responses={201: WatchlistRecord()},
    errors=(409,),
    creates=watchlist,
)
def create_watchlist(request: Request) -> dict[str, Any]:
    """Create a watch list"""
    return watchlist_answer(
        service.create(request.db, request.visibility, actor_of(request), body_of(request, NewWatchlistFields)),
        entries=True,
    )


@watchlist.get(permission=Permission.ALERTS_VIEW, path=RowId(), responses={200: WatchlistRecord()}, errors=(404,))
def get_watchlist(request: Request) -> dict[str, Any]:
    """Show a watch list with its entries"""
    return watchlist_answer(service.get(request.db, request.visibility, row_id(request)), entries=True)


@watchlist.patch(
    permission=Permission.ALERTS_EDIT,
    path=RowId(),
    body=WatchlistChange(),
    responses={200: WatchlistRecord()},
    errors=(404, 409),
)
def update_watchlist(request: Request) -> dict[str, Any]:
    """Change a watch list"""
    return watchlist_answer(
        service.change(
            request.db, request.visibility, actor_of(request), row_id(request), body_of(request, WatchlistChangeFields)
        ),
        entries=True,
    )


@watchlist.delete(permission=Permission.ALERTS_DELETE, path=RowId(), responses={204: None}, errors=(404, 409))
def delete_watchlist(request: Request) -> None:
    """Delete a watch list that no rule uses"""
    service.delete(request.db, request.visibility, actor_of(request), row_id(request))
    request.response.status_code = 204


@importing.post(
    permission=ViewPermission.WATCHLIST_IMPORT,
    path=RowId(),
    query=WatchlistImportQuery(),
    body=Schema(),
    body_types=("text/plain", "text/csv"),
    responses={200: WatchlistImported()},
    errors=(404, 409, 413, 415),
)
def import_watchlist(request: Request) -> dict[str, Any]:
    """Import entries: one a line (text/plain), or plane-alert-db's CSV (text/csv)

    Everything is taken, or nothing: each line that is refused is named. At most 100,000 entries in 200,000 lines.
    """
    if request.content_type not in ("text/plain", "text/csv"):
        raise Problem("unsupported_media_type", "The body must be text/plain or text/csv.")
    row, added = service.import_text(
        request.db,
        request.visibility,
        actor_of(request),
        row_id(request),
        text_body(request),
        is_table=request.content_type == "text/csv",
        replace=request.validated["querystring"]["replace"],
    )
    return {"added": added, "entry_count": row.entry_count}
