"""Roles: what each gives and how many hold it; create, copy, edit and delete them."""

from __future__ import annotations

from typing import Any

import colander
import msgspec
from pyramid.response import Response

from skywatch.accounts.identity.caller import check_covers
from skywatch.accounts.models import Role
from skywatch.accounts.roles import service as roles
from skywatch.accounts.roles.schemas import RoleChange, RoleChangeFields, RoleCreate, RoleCreateFields
from skywatch.accounts.users.service import permissions_of_role
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.confirmation import confirmation
from skywatch.console.forms.entries import VERSION, Entries, fields_of, read_entries
from skywatch.console.forms.form import read_form, read_query
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import check_version, version_of
from skywatch.http.lists.pagination import MAX_LIMIT
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.fields import UNSET
from skywatch.http.resources.schema import QueryInteger, Schema
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import FEATURES, Permission

PAGES = (
    Page(
        route="console.roles",
        path="/roles",
        feature="roles",
        title="Roles",
        group="People",
        permission=Permission.ROLES_VIEW,
    ),
    Page(route="console.roles.new", path="/roles/new", feature="roles"),
    Page(route="console.role.edit", path=f"/roles/{{id:{NUMBER}}}/edit", feature="roles"),
    Page(route="console.role.delete", path=f"/roles/{{id:{NUMBER}}}/delete", feature="roles"),
)
EDITED = ("name", "display_name", "description", "priority", "permissions")


class CopyQuery(Schema):
    copy = colander.SchemaNode(QueryInteger(), validator=colander.Range(1, 2**63 - 1), missing=None)


@view_config(
    route_name="console.roles", request_method="GET", permission=Permission.ROLES_VIEW, renderer="roles.jinja2"
)
def show_roles(request: Request) -> dict[str, Any]:
    """Every role, what it gives and how many hold it"""
    entries, count = roles.find_roles(request.db, limit=MAX_LIMIT, offset=0)
    counted = roles.holders(request.db, [role.id for role in entries])
    permissions, rights = request.visibility.permissions, request.caller.permissions
    return {
        "roles": [
            {"role": role, "user_count": counted[role.id], "is_within": permissions_of_role(role) <= rights}
            for role in entries
        ],
        "count": count,
        "sees_users": Permission.USERS_VIEW in permissions,
        "may_create": Permission.ROLES_CREATE in permissions,
        "may_edit": Permission.ROLES_EDIT in permissions,
        "may_delete": Permission.ROLES_DELETE in permissions,
    }


roles_new_page = FormPage("console.roles.new", "role_edit.jinja2", Permission.ROLES_CREATE)


@roles_new_page.get
def show_new_role(request: Request) -> dict[str, Any]:
    """The form of a new role, filled with what another gives where it is a copy"""
    number = read_query(request, CopyQuery())["copy"]
    values: dict[str, Any] = {"priority": "0", "permissions": []}
    if number is not None:
        original = roles.get_role(request.db, number)
        values = _values(original)
        values |= {
            "name": f"{original.name}_copy"[:64],
            "display_name": translate(request, "Copy of {name}", name=original.display_name)[:120],
        }
        # What the viewer lacks cannot be handed out, by a copy neither.
        values["permissions"] = sorted(permissions_of_role(original) & request.caller.permissions)
    return _page(request, Entries(values))


@roles_new_page.post
def post_new_role(request: Request) -> dict[str, Any] | Response:
    """Create a role that gives no more than the viewer holds"""
    entries = read_entries(request, RoleCreate())
    try:
        fields = RoleCreateFields.of(fields_of(RoleCreate(), entries, blank=("display_name", "priority")))
        with changing(request, "role.created", Target("role", None, fields.name)) as (session, caller):
            name = roles.create_role(session, caller, fields).name
    except Problem as problem:
        return refused(request, problem, _page(request, entries.refused(problem)))
    return done(request, f"{HOME}/roles", translate(request, "The role {name} is created.", name=name))


role_edit_page = FormPage("console.role.edit", "role_edit.jinja2", Permission.ROLES_EDIT)


@role_edit_page.get
def show_role(request: Request) -> dict[str, Any]:
    """The form of a role"""
    role = _changeable(request)
    return _page(request, _stored(role), role)


@role_edit_page.post
def post_role(request: Request) -> dict[str, Any] | Response:
    """Change a role that gives no more than the viewer holds, before and after; it holds at once"""
    entries, target = read_entries(request, RoleChange()), Target("role", _id(request))
    try:
        fields = RoleChangeFields.of(fields_of(RoleChange(), entries))
        with changing(request, "role.changed", target) as (session, caller):
            caller.begin(session, Permission.ROLES_EDIT)
            present = roles.get_role(session, _id(request))
            check_version(session, target, entries.version, _values(present))
            if _has_all(present):
                # Its boxes cannot be chosen, and so are not sent.
                fields = msgspec.structs.replace(fields, permissions=UNSET)
            name = roles.update_role(session, caller, _id(request), fields).name
    except Problem as problem:
        role = roles.get_role(request.db, _id(request))
        return refused(request, problem, _page(request, entries.refused(problem, _stored(role)), role))
    return done(request, f"{HOME}/roles", translate(request, "The role {name} is saved.", name=name))


role_delete_page = FormPage("console.role.delete", "confirm.jinja2", Permission.ROLES_DELETE)


@role_delete_page.get
def show_delete(request: Request) -> dict[str, Any]:
    """The users who lose a role that is deleted"""
    role = _changeable(request)
    if role.is_system:
        raise Problem("conflict", "A system role cannot be deleted.")
    return _deletion(request, role)


@role_delete_page.post
def post_delete(request: Request) -> dict[str, Any] | Response:
    """Delete a role, and take it from everybody who holds it"""
    version, target = read_form(request, VERSION).get(VERSION, ""), Target("role", _id(request))
    try:
        with changing(request, "role.deleted", target) as (session, caller):
            caller.begin(session, Permission.ROLES_DELETE)
            role = roles.get_role(session, _id(request))
            check_version(session, target, version, [_values(role), roles.holders(session, [role.id])[role.id]])
            name = role.name
            # The page has said how many hold it.
            roles.delete_role(session, caller, role.id, force=True)
    except Problem as problem:
        page = _deletion(request, roles.get_role(request.db, _id(request)))
        return refused(request, problem, page)
    return done(request, f"{HOME}/roles", translate(request, "The role {name} is deleted.", name=name))


def _changeable(request: Request) -> Role:
    """The role that an address names; raises Problem (404; 403 where the form could only be refused)."""
    role = roles.get_role(request.db, _id(request))
    check_covers(request.caller.permissions, permissions_of_role(role), "The role")
    return role


def _id(request: Request) -> int:
    return int(request.matchdict["id"])


def _has_all(role: Role) -> bool:
    """Whether it is the role that holds every permission, whatever is stored of it."""
    return role.is_system and permissions_of_role(role) == frozenset(Permission)


def _values(role: Role) -> dict[str, Any]:
    values = {name: getattr(role, name) for name in EDITED}
    return values | {"priority": str(role.priority), "permissions": sorted(permissions_of_role(role))}


def _stored(role: Role) -> Entries:
    return Entries(_values(role), version_of(_values(role)))


def _page(request: Request, entries: Entries, role: Role | None = None) -> dict[str, Any]:
    rights = request.caller.permissions
    return {
        "role": role,
        "entries": entries,
        "features": [(feature, [p for p in Permission if p.feature == feature]) for feature in FEATURES],
        "held": rights,
        "has_all": role is not None and _has_all(role),
        "lacking": sorted(permissions_of_role(role) - rights) if role is not None else [],
        "problem": None,
    }


def _deletion(request: Request, role: Role) -> dict[str, Any]:
    count = roles.holders(request.db, [role.id])[role.id]
    return confirmation(
        title=translate(request, "Delete the role {name}", name=role.name),
        text=translate(
            request,
            "{n} user has this role and loses its rights at once. Rules of single sign-on that give it are deleted "
            "too.|{n} users have this role and lose its rights at once. Rules of single sign-on that give it are "
            "deleted too.",
            n=count,
        ),
        facts=[
            (translate(request, "Name"), translate(request, role.display_name)),
            (translate(request, "Permissions"), ", ".join(sorted(role.permissions)) or translate(request, "none")),
        ],
        button=translate(request, "Delete {name}", name=role.name),
        back=f"{HOME}/roles",
        entries=Entries({}, version_of([_values(role), count])),
    )
