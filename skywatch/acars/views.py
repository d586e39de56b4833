"""The REST resources below ``/api/v1/acars``."""

from __future__ import annotations

from typing import Any

from skywatch.acars import schemas, service
from skywatch.acars.messages.rows import message_fields
from skywatch.http.cursor import cursor_page
from skywatch.http.paging import PageQuery, page_of
from skywatch.http.request import Request
from skywatch.http.service import NUMBER, ApiService
from skywatch.security.permissions import Permission

FEATURE = "acars"
VIEW = Permission.ACARS_VIEW

message_list = ApiService("acars.messages", "/acars/messages", feature=FEATURE)
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
    may = request.may
    messages, count, last = service.find(request.db, may, query, limit, offset, cursor)
    shown = [message_fields(row, may.full_texts, may.details) for row in messages]
    return cursor_page(request, "messages", shown, count, last)


@one_message.get(permission=VIEW, path=schemas.MessageId(), responses={200: schemas.AcarsRecord()}, errors=(404,))
def get_acars_message(request: Request) -> dict[str, Any]:
    """Show an ACARS message"""
    may = request.may
    row = service.get(request.db, may, request.validated["path"]["id"])
    return message_fields(row, may.full_texts, may.details)


@statistics.get(permission=VIEW, query=schemas.StatsQuery(), responses={200: schemas.AcarsStats()})
def get_acars_stats(request: Request) -> dict[str, Any]:
    """Count ACARS messages by hour, label, network, station and kind"""
    query = request.validated["querystring"]
    return service.stats(request.db, request.may, query["from"], query["to"])


@label_list.get(permission=VIEW, query=PageQuery(), responses={200: schemas.LabelList()})
def list_acars_labels(request: Request) -> dict[str, Any]:
    """List labels with their names and how often they were received"""
    return page_of(request, "labels", service.labels(request.db, request.may))
