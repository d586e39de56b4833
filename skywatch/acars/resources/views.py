"""The REST resources below ``/api/v1/acars``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.acars.resources import exports, schemas, service
from skywatch.acars.resources.answers import message_answer
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem
from skywatch.http.limits.slow_work import statistics_limiter
from skywatch.http.lists.cursor import cursor_page
from skywatch.http.lists.pagination import PageQuery, page_of
from skywatch.http.lists.stream import buffer_lines, stream
from skywatch.http.requests.request import Request
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

FEATURE = "acars"
VIEW = Permission.ACARS_VIEW

message_list = ApiService("acars.messages", "/acars/messages", feature=FEATURE)
export_service = ApiService("acars.export", "/acars/export", feature=FEATURE)
one_message = ApiService("acars.message", f"/acars/messages/{{id:{NUMBER}}}", feature=FEATURE)
statistics = ApiService("acars.stats", "/acars/stats", feature=FEATURE)
label_list = ApiService("acars.labels", "/acars/labels", feature=FEATURE)


@message_list.get(permission=VIEW, query=schemas.AcarsFilters(), responses={200: schemas.AcarsList()})
def list_acars_messages(request: Request) -> dict[str, Any]:
    """List ACARS messages, the latest received first

    `count` is exact up to 10,000, with `q` up to 250. Without `acars.view_full` texts, raw envelopes and decoded
    values are left out, and `q` is refused.
    """
    query = dict(request.validated["querystring"])
    limit, offset, cursor = query.pop("limit"), query.pop("offset"), query.pop("cursor")
    visibility = request.visibility
    messages, count, last = service.find(request.db, visibility, query, limit, offset, cursor)
    answers = [message_answer(row, visibility.permissions) for row in messages]
    return cursor_page(request, "messages", answers, count, last)


@export_service.get(
    permission=Permission.HISTORY_EXPORT,
    query=schemas.ExportQuery(),
    responses={200: ",".join(form.media_type for form in exports.FORMATS.values())},
    errors=(503,),
)
def export_acars_messages(request: Request) -> Response:
    """ACARS messages as a file, the latest received first

    The filters are those of the list; without any it is all messages. `csv` has a row for each message, `jsonl` a line
    with the members of the list. Also needs `acars.view`; without `acars.view_full` texts, raw envelopes and decoded
    values are left out. The body is streamed: it is complete when its transfer ends properly.
    """
    visibility, query = request.visibility, dict(request.validated["querystring"])
    if VIEW not in visibility.permissions:
        raise Problem(
            "permission_denied",
            sentence("acars.needs_permission", "ACARS messages need {permission}.", permission=VIEW),
        )
    format_name = query.pop("format")

    def body(session: Session) -> Iterator[bytes]:
        return buffer_lines(exports.export(session, visibility, query, format_name))

    name = f"skywatch-acars-{utcnow():%Y%m%dT%H%M%SZ}.{format_name}"
    return stream(request, body, exports.FORMATS[format_name].media_type, name)


@one_message.get(permission=VIEW, path=RowId(), responses={200: schemas.AcarsRecord()}, errors=(404,))
def get_acars_message(request: Request) -> dict[str, Any]:
    """Show an ACARS message"""
    visibility = request.visibility
    return message_answer(service.get(request.db, visibility, row_id(request)), visibility.permissions)


@statistics.get(permission=VIEW, query=schemas.StatsQuery(), responses={200: schemas.AcarsStats()})
def get_acars_stats(request: Request) -> dict[str, Any]:
    """Count ACARS messages by hour, label, network, station and kind"""
    query = request.validated["querystring"]
    with request.runtime.shared(statistics_limiter).turn(request.person):
        return service.stats(request.db, request.visibility, query["from"], query["to"])


@label_list.get(permission=VIEW, query=PageQuery(), responses={200: schemas.LabelList()})
def list_acars_labels(request: Request) -> dict[str, Any]:
    """List labels with their names and how often they were received"""
    return page_of(request, "labels", service.labels(request.db, request.visibility))
