"""The REST resources of reports and their editions."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from skywatch.history.analysis.views import evaluation_limiter
from skywatch.http.clients.audit import actor_of
from skywatch.http.lists.pagination import PageQuery, page
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId
from skywatch.http.resources.service import NUMBER, ApiService, Resource, api_resource, view
from skywatch.overflights import editions, reports, schemas, service
from skywatch.overflights.reports import report_answer
from skywatch.overflights.views import FILES, answer_of
from skywatch.security.permissions import ViewPermission

edition_list = ApiService(
    "reports.editions", f"/reports/{{id:{NUMBER}}}/editions", feature="history", tag="overflights"
)
edition_of_report = ApiService(
    "reports.edition", f"/reports/{{id:{NUMBER}}}/editions/{{edition:{NUMBER}}}", feature="history", tag="overflights"
)
one_edition = ApiService("editions.one", f"/editions/{{id:{NUMBER}}}", feature="history", tag="overflights")


@api_resource("report", "/reports", feature="history", tag="overflights")
class Reports(Resource):
    """Reports of users."""

    @view(permission=ViewPermission.REPORTS_OWN, query=PageQuery(), responses={200: schemas.ReportList()})
    def collection_get(self) -> dict[str, Any]:
        """List the caller's reports"""
        query = self.request.validated["querystring"]
        rows, count = reports.page(self.request.db, self.request.visibility, query["offset"], query["limit"])
        return page(self.request, "reports", [report_answer(row, self.request.runtime.current) for row in rows], count)

    @view(
        permission=ViewPermission.REPORTS_OWN,
        body=schemas.NewReport(),
        responses={201: schemas.ReportRecord()},
        errors=(409,),
        creates=True,
    )
    def collection_post(self) -> dict[str, Any]:
        """Create a report

        Its editions are made after midnight of the station, each day, each Monday or each first day of a month, of what
        went before. They are sent to its channels.
        """
        request, settings = self.request, self.request.runtime.current
        fields = body_of(request, schemas.ReportFields)
        return report_answer(
            reports.create(request.db, request.visibility, actor_of(request), settings, fields), settings
        )

    @view(permission=ViewPermission.REPORTS_OWN, path=RowId(), responses={200: schemas.ReportRecord()}, errors=(404,))
    def get(self) -> dict[str, Any]:
        """Show a report"""
        row = reports.get(self.request.db, self.request.visibility, self.id)
        return report_answer(row, self.request.runtime.current)

    @view(
        permission=ViewPermission.REPORTS_OWN,
        path=RowId(),
        body=schemas.ReportChange(),
        responses={200: schemas.ReportRecord()},
        errors=(404,),
    )
    def patch(self) -> dict[str, Any]:
        """Change a report"""
        request, settings = self.request, self.request.runtime.current
        fields = body_of(request, schemas.ReportChangeFields)
        row = reports.change(request.db, request.visibility, actor_of(request), settings, self.id, fields)
        return report_answer(row, settings)

    @view(permission=ViewPermission.REPORTS_OWN, path=RowId(), responses={204: None}, errors=(404,))
    def delete(self) -> None:
        """Delete a report with its editions"""
        reports.delete(self.request.db, self.request.visibility, actor_of(self.request), self.id)
        self.request.response.status_code = 204


@edition_list.get(
    permission=ViewPermission.REPORTS_OWN,
    path=RowId(),
    query=PageQuery(),
    responses={200: schemas.EditionList()},
    errors=(404,),
)
def list_editions(request: Request) -> dict[str, Any]:
    """List the editions of a report

    The newest first; they are kept for 400 days (`retention_editions_days`).
    """
    query = request.validated["querystring"]
    number = request.validated["path"]["id"]
    reads = not request.visibility.military
    with request.runtime.shared(evaluation_limiter).turn(request.person) if reads else nullcontext():
        entries, count = editions.page(request.db, request.visibility, number, query["offset"], query["limit"])
    return page(request, "editions", entries, count, len(entries))


@one_edition.get(
    permission=ViewPermission.REPORTS_OWN,
    path=RowId(),
    query=schemas.EditionQuery(),
    responses={200: (schemas.Overflights(), FILES)},
    errors=(404,),
)
def get_edition(request: Request) -> Any:
    """Show an edition of a report

    As overflights are answered, or as a file.
    """
    return _edition(request, request.validated["path"]["id"])


@edition_of_report.get(
    permission=ViewPermission.REPORTS_OWN,
    path=schemas.EditionPath(),
    query=schemas.EditionQuery(),
    responses={200: (schemas.Overflights(), FILES)},
    errors=(404,),
)
def get_report_edition(request: Request) -> Any:
    """Show an edition of a report by its place below the report"""
    path = request.validated["path"]
    return _edition(request, path["edition"], path["id"])


def _edition(request: Request, number: int, report: int | None = None) -> Any:
    row = editions.find(request.db, request.visibility, number, report)
    title = editions.title_of(request.db, row)
    with request.runtime.shared(evaluation_limiter).turn(request.person):
        asked, flights, simulated = editions.read(request.db, request.visibility, row)
        counted = {**service.summary(flights, asked, request.runtime.current), "simulated": simulated}
        return answer_of(request, flights, counted, title)
