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
from skywatch.console.forms.changes import changing, done
from skywatch.console.forms.confirmation import confirmation
from skywatch.console.forms.edit_page import DeletePage, EditPage
from skywatch.console.forms.entries import Entries, fields_of
from skywatch.console.forms.form import read_query
from skywatch.console.page import Page
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import check_version, version_of
from skywatch.http.lists.pagination import MAX_LIMIT
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.fields import UNSET
from skywatch.http.resources.schema import QueryInteger, Schema, node
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import FEATURES, Permission
from skywatch.sentences import sentence

LIST = f"{HOME}/roles"
EDITED = ("name", "display_name", "description", "priority", "permissions")


class CopyQuery(Schema):
    copy = node(QueryInteger(), validator=colander.Range(1, 2**63 - 1), missing=None)


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


def _proposed(request: Request) -> Entries:
    """A new role, filled with what another gives where it is a copy."""
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
    return Entries(values)


def _create(request: Request, entries: Entries) -> Response:
    fields = RoleCreateFields.of(fields_of(RoleCreate(), entries, blank=("display_name", "priority")))
    with changing(request, "role.created", Target("role", None, fields.name)) as (session, caller):
        name = roles.create_role(session, caller, fields).name
    return done(request, LIST, translate(request, "The role {name} is created.", name=name))


def _save(request: Request, entries: Entries) -> Response:
    target = Target("role", _id(request))
    fields = RoleChangeFields.of(fields_of(RoleChange(), entries))
    with changing(request, "role.changed", target) as (session, caller):
        caller.begin(session, Permission.ROLES_EDIT)
        present = roles.get_role(session, _id(request))
        check_version(session, target, entries.version, _values(present))
        if _has_all(present):
            # Its boxes cannot be chosen, and so are not sent.
            fields = msgspec.structs.replace(fields, permissions=UNSET)
        name = roles.update_role(session, caller, _id(request), fields).name
    return done(request, LIST, translate(request, "The role {name} is saved.", name=name))


def _delete(request: Request, version: str) -> str:
    target = Target("role", _id(request))
    with changing(request, "role.deleted", target) as (session, caller):
        caller.begin(session, Permission.ROLES_DELETE)
        role = roles.get_role(session, _id(request))
        check_version(session, target, version, [_values(role), roles.holders(session, [role.id])[role.id]])
        # The page has said how many hold it.
        roles.delete_role(session, caller, role.id, force=True)
        return translate(request, "The role {name} is deleted.", name=role.name)


def _check_changeable(request: Request) -> Role:
    """Raise Problem (403) for a role beyond the viewer."""
    role = _role(request)
    check_covers(request.caller.permissions, permissions_of_role(role), sentence("accounts.the_role", "The role"))
    return role


def _check_deletable(request: Request) -> None:
    if _check_changeable(request).is_system:
        raise Problem("conflict", sentence("accounts.system_role_stays", "A system role cannot be deleted."))


def _role(request: Request) -> Role:
    """The role that the address names; raises Problem (404)."""
    return roles.get_role(request.db, _id(request))


def _id(request: Request) -> int:
    return int(request.matchdict["id"])


def _has_all(role: Role) -> bool:
    """Whether it is the role that holds every permission, whatever is stored of it."""
    return role.is_system and permissions_of_role(role) == frozenset(Permission)


def _values(role: Role) -> dict[str, Any]:
    values = {name: getattr(role, name) for name in EDITED}
    return values | {"priority": str(role.priority), "permissions": sorted(permissions_of_role(role))}


def _stored(request: Request) -> Entries:
    values = _values(_role(request))
    return Entries(values, version_of(values))


def _page(request: Request, entries: Entries) -> dict[str, Any]:
    rights, role = request.caller.permissions, _role(request) if "id" in request.matchdict else None
    return {
        "role": role,
        "entries": entries,
        "features": [(feature, [p for p in Permission if p.feature == feature]) for feature in FEATURES],
        "held": rights,
        "has_all": role is not None and _has_all(role),
        "lacking": sorted(permissions_of_role(role) - rights) if role is not None else [],
        "problem": None,
    }


def _question(request: Request) -> dict[str, Any]:
    role = _role(request)
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
        back=LIST,
        entries=Entries({}, version_of([_values(role), count])),
    )


ROLE = f"/roles/{{id:{NUMBER}}}"
PAGES = (
    Page(
        route="console.roles",
        path="/roles",
        feature="roles",
        title="Roles",
        group="People",
        permission=Permission.ROLES_VIEW,
    ),
    EditPage(
        route="console.roles.new",
        path="/roles/new",
        feature="roles",
        permission=Permission.ROLES_CREATE,
        shows="The form of a new role, filled with what another gives where it is a copy",
        does="Create a role that gives no more than the viewer holds",
        template="role_edit.jinja2",
        schema=RoleCreate(),
        proposed=_proposed,
        save=_create,
        page=_page,
    ),
    EditPage(
        route="console.role.edit",
        path=f"{ROLE}/edit",
        feature="roles",
        permission=Permission.ROLES_EDIT,
        shows="The form of a role",
        does="Change a role that gives no more than the viewer holds, before and after; it holds at once",
        template="role_edit.jinja2",
        check=_check_changeable,
        schema=RoleChange(),
        stored=_stored,
        save=_save,
        page=_page,
    ),
    DeletePage(
        route="console.role.delete",
        path=f"{ROLE}/delete",
        feature="roles",
        permission=Permission.ROLES_DELETE,
        shows="The users who lose a role that is deleted",
        does="Delete a role, and take it from everybody who holds it",
        check=_check_deletable,
        question=_question,
        delete=_delete,
        onward=LIST,
    ),
)
