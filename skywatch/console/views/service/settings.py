"""The settings in force: value, where it comes from, meaning; secrets are masked."""

from __future__ import annotations

from typing import Any

import colander
from pyramid.view import view_config

from skywatch.console.forms.form import read_query
from skywatch.console.forms.settings import text_of
from skywatch.console.pages.page import Page
from skywatch.console.texts.language import catalogue_of
from skywatch.core.reporting.logs import without_passwords
from skywatch.core.storing import stored_settings
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryBoolean, QueryString, Schema
from skywatch.security.permissions import Permission
from skywatch.settings import origins_of

PAGES = (
    Page(
        route="console.settings",
        path="/settings",
        feature="system",
        title="Settings",
        group="Service",
        permission=Permission.SYSTEM_MANAGE,
    ),
)
MASK = "********"


class SettingQuery(Schema):
    """Which settings are shown."""

    search = colander.SchemaNode(QueryString(), missing="", validator=colander.Length(max=100))
    changed = colander.SchemaNode(QueryBoolean(), missing=False)


@view_config(
    route_name="console.settings", request_method="GET", permission=Permission.SYSTEM_MANAGE, renderer="settings.jinja2"
)
def show_settings(request: Request) -> dict[str, Any]:
    """Every setting in force, where it comes from and what it means"""
    query = read_query(request, SettingQuery())
    search = query["search"].lower()
    catalogue = catalogue_of(request)
    rows = []
    for origin in sorted(origins_of(request.runtime.current), key=lambda origin: origin.name):
        if query["changed"] and origin.source == "default":
            continue
        meaning = catalogue.sentence(origin.meaning)
        if not any(search in text for text in (origin.name, origin.meaning.lower(), meaning.lower())):
            continue
        text = MASK if origin.secret and origin.value else without_passwords(text_of(origin.value))
        rows.append(
            {
                "name": origin.name,
                "value": text,
                "source": stored_settings.source_name(origin.source),
                "is_default": origin.source == "default",
                "meaning": meaning,
            }
        )
    unused = [row for row in stored_settings.listed(request.db, request.runtime.settings) if row.fault]
    return {"rows": rows, "query": query, "unused": unused}
