"""The REST resources of watch lists."""

from __future__ import annotations

from typing import Any

from skywatch.alerts.area import AlertService, alert_resource
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
from skywatch.http.resources.service import NUMBER, Resource, view
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.sentences import sentence

importing = AlertService("alerts.watchlist_import", f"/alerts/watchlists/{{id:{NUMBER}}}/import")


@alert_resource("watchlist", "/alerts/watchlists")
class Watchlists(Resource):
    """Watch lists of users."""

    @view(permission=Permission.ALERTS_VIEW, query=PageQuery(), responses={200: WatchlistList()})
    def collection_get(self) -> dict[str, Any]:
        """List the caller's watch lists, without their entries"""
        query = self.request.validated["querystring"]
        rows, count = service.page(self.request.db, self.request.visibility, query["offset"], query["limit"])
        return page(self.request, "watchlists", [watchlist_answer(row) for row in rows], count)

    @view(
        permission=Permission.ALERTS_CREATE,
        body=NewWatchlist(),
        responses={201: WatchlistRecord()},
        errors=(409,),
        creates=True,
    )
    def collection_post(self) -> dict[str, Any]:
        """Create a watch list"""
        fields = body_of(self.request, NewWatchlistFields)
        row = service.create(self.request.db, self.request.visibility, actor_of(self.request), fields)
        return watchlist_answer(row, entries=True)

    @view(permission=Permission.ALERTS_VIEW, path=RowId(), responses={200: WatchlistRecord()}, errors=(404,))
    def get(self) -> dict[str, Any]:
        """Show a watch list with its entries"""
        return watchlist_answer(service.get(self.request.db, self.request.visibility, self.id), entries=True)

    @view(
        permission=Permission.ALERTS_EDIT,
        path=RowId(),
        body=WatchlistChange(),
        responses={200: WatchlistRecord()},
        errors=(404, 409),
    )
    def patch(self) -> dict[str, Any]:
        """Change a watch list"""
        fields = body_of(self.request, WatchlistChangeFields)
        row = service.change(self.request.db, self.request.visibility, actor_of(self.request), self.id, fields)
        return watchlist_answer(row, entries=True)

    @view(permission=Permission.ALERTS_DELETE, path=RowId(), responses={204: None}, errors=(404, 409))
    def delete(self) -> None:
        """Delete a watch list that no rule uses"""
        service.delete(self.request.db, self.request.visibility, actor_of(self.request), self.id)
        self.request.response.status_code = 204


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
        raise Problem(
            "unsupported_media_type",
            sentence("alerts.watch_list_media_type", "The body must be text/plain or text/csv."),
        )
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
