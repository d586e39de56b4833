"""Health: how each part is now, and how that changed."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.console.forms.form import read_query
from skywatch.console.overview.parts import PartNames, describe_parts
from skywatch.console.page import Page
from skywatch.console.pages.pagination import PAGE_SIZE, address
from skywatch.console.texts.language import catalogue_of
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.schema import QueryInteger, QueryString, Schema, node
from skywatch.security.permissions import Permission
from skywatch.sentences import reworded, sentence_of
from skywatch.system.health import checks
from skywatch.system.health.log import find_changes

PAGES = (
    Page(
        route="console.health",
        path="/health",
        feature="system",
        title="Health",
        group="Service",
        permission=Permission.SYSTEM_MANAGE,
    ),
)


class HealthQuery(Schema):
    """Which changes are shown."""

    part = node(QueryString(), missing=None, validator=colander.Length(max=64))
    before = node(QueryInteger(), missing=None, validator=colander.Range(1, 2**62))


@view_config(
    route_name="console.health", request_method="GET", permission=Permission.SYSTEM_MANAGE, renderer="health.jinja2"
)
def show_health(request: Request) -> dict[str, Any]:
    """How each part is, and how that changed, the newest first"""
    query = read_query(request, HealthQuery())
    present = checks.all_checks(request.runtime)
    names = PartNames(catalogue_of(request), request.runtime.features)
    parts = describe_parts(names, present)
    changes = find_changes(
        request.db, query["part"], PAGE_SIZE + 1, query["before"], with_starts=query["part"] is not None
    )
    page = changes[:PAGE_SIZE]
    return {
        "verdict": checks.verdict(present),
        "failed": [part for part in parts if part.state != "ok"],
        "working": [part for part in parts if part.state == "ok"],
        "label": names.label,
        "changes": page,
        "reasons": {change.id: reworded(change.reason, **sentence_of(change.words, "reason")) for change in page},
        "query": query,
        "newest": address(request) if query["before"] is not None else None,
        "older": address(request, before=page[-1].id) if len(changes) > PAGE_SIZE else None,
    }
