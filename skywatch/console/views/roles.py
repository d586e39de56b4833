"""Roles, to read: what each gives, and how many hold it."""

from __future__ import annotations

from typing import Any

from pyramid.view import view_config

from skywatch.accounts.roles import service as roles
from skywatch.console.page import Page
from skywatch.http.paging import MAXIMUM_LIMIT
from skywatch.http.request import Request
from skywatch.security.permissions import Permission

PAGES = (
    Page(
        route="console.roles",
        path="/roles",
        feature="roles",
        title="Roles",
        group="Accounts",
        permission=Permission.ROLES_VIEW,
    ),
)


@view_config(
    route_name="console.roles", request_method="GET", permission=Permission.ROLES_VIEW, renderer="roles.jinja2"
)
def show_roles(request: Request) -> dict[str, Any]:
    """Every role, what it gives and how many hold it"""
    found, count = roles.find_roles(request.db, limit=MAXIMUM_LIMIT, offset=0)
    counted = roles.holders(request.db, [role.id for role in found])
    return {
        "roles": [{"role": role, "user_count": counted[role.id]} for role in found],
        "count": count,
        "sees_users": Permission.USERS_VIEW in request.may.permissions,
    }
