"""Receivers and inputs: how they are, since when, and what is tried where one does not answer."""

from __future__ import annotations

from typing import Any

from skywatch.console.forms.discovery import is_offered
from skywatch.console.pages.page import Page
from skywatch.console.pages.reception import describe_inputs
from skywatch.core.storing import stored_settings
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.security.permissions import Permission

PAGES = (
    Page(
        route="console.receivers",
        path="/receivers",
        feature="system",
        title="Receivers",
        group="Receivers",
        permission=Permission.SYSTEM_MANAGE,
    ),
)


@view_config(
    route_name="console.receivers",
    request_method="GET",
    permission=Permission.SYSTEM_MANAGE,
    renderer="receivers.jinja2",
)
def show_receivers(request: Request) -> dict[str, Any]:
    """Receivers and inputs with their states, rates, errors, accuracy and range"""
    unused = [row for row in stored_settings.listed(request.db, request.runtime.settings) if row.fault]
    families = tuple(request.runtime.features.editable_inputs())
    return {
        "rows": describe_inputs(request.runtime, request.sky),
        "is_discovery_offered": is_offered(request),
        "unused": [row for row in unused if row.name.startswith(families)],
    }
