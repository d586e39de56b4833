"""Receivers and inputs: how they are, since when, and what is tried where one does not answer."""

from __future__ import annotations

from typing import Any

from skywatch.console.forms.discovery import is_offered
from skywatch.console.page import Page
from skywatch.console.pages.receiver_figures import describe_inputs
from skywatch.core import stored_settings
from skywatch.core.hooks import editable_inputs
from skywatch.core.telemetry.logs import without_passwords
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.security.permissions import Permission
from skywatch.settings import ini_line

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
    settings, families = request.runtime.settings, tuple(editable_inputs(request.runtime.features))
    stored = [row for row in stored_settings.listed(request.db, settings) if row.name.startswith(families)]
    return {
        "rows": describe_inputs(request.runtime, request.sky, request.visibility),
        "is_discovery_offered": is_offered(request),
        "unused": [row for row in stored if row.fault],
        "for_ini": [
            (row.name, ini_line(row.name, without_passwords(row.text)))
            for row in stored
            if row.text is not None and stored_settings.is_ini_only(settings, row.name, row.text)
        ],
    }
