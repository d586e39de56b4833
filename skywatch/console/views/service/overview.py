"""The first page: is the service well, and what does it hear."""

from __future__ import annotations

from typing import Any

from pyramid.view import view_config

from skywatch.console.pages.page import Page
from skywatch.http.requests.request import Request
from skywatch.security.contexts import IDENTIFIED
from skywatch.security.permissions import Permission
from skywatch.system import status

PAGES = (Page(route="console.overview", path="", title="Overview"),)


@view_config(route_name="console.overview", request_method="GET", permission=IDENTIFIED, renderer="overview.jinja2")
def show_overview(request: Request) -> dict[str, Any]:
    """Version, health with its reasons, receivers, inputs and the number of aircraft"""
    sees_status = Permission.SYSTEM_VIEW_STATUS in request.may.permissions
    return {
        "status": status.describe(request.runtime, request.may) if sees_status else None,
        "receivers": status.receivers(request.runtime) if sees_status else [],
        "inputs": status.feature_inputs(request.runtime) if sees_status else [],
        "information": status.information(request.runtime, request.may),
    }
