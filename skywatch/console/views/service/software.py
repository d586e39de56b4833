"""Version and licence of what the service runs on."""

from __future__ import annotations

import platform
from typing import Any

from skywatch.console.page import Page
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.security.permissions import Permission
from skywatch.system.software import packages

PAGES = (
    Page(
        route="console.software",
        path="/software",
        feature="system",
        title="Software",
        group="Service",
        permission=Permission.SYSTEM_MANAGE,
    ),
)


@view_config(
    route_name="console.software", request_method="GET", permission=Permission.SYSTEM_MANAGE, renderer="software.jinja2"
)
def show_software(request: Request) -> dict[str, Any]:
    """Version and licence of every package in use"""
    return {
        "packages": packages(),
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "database": request.runtime.engine.dialect.name,
        "server_version": ".".join(map(str, request.runtime.engine.dialect.server_version_info or ())),
    }
