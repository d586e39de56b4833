"""The editor of a user's roles: which they hold, and until when."""

from __future__ import annotations

from typing import Any

import colander
from sqlalchemy.orm import Session

from skywatch.accounts.assignments.service import deciding, replace_assignments
from skywatch.accounts.identity.caller import check_covers
from skywatch.accounts.models import User
from skywatch.accounts.roles.service import find_roles
from skywatch.accounts.users import service as users
from skywatch.accounts.users.schemas import UserChange
from skywatch.console.forms.changes import changing
from skywatch.console.forms.choices import role_choices
from skywatch.console.forms.entries import Entries, fields_of, read_entries
from skywatch.console.pages.formats import field_moment, moment
from skywatch.console.texts.language import translate
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import check_version, version_of
from skywatch.http.lists.pagination import MAX_LIMIT
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import Timestamp, node, nullable_node
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence


def opened(user: User) -> Entries:
    """The form as it opens: the roles in force, and the end of each."""
    values: dict[str, Any] = {"roles": sorted(deciding(user))}
    values |= {_end_field(name): field_moment(row.expires_at) for name, row in deciding(user).items()}
    return Entries(values, version_of(values))


def read(request: Request) -> Entries:
    """What was entered; raises Problem (400) for unknown and doubled fields."""
    return read_entries(request, _form(request), "change")


def save(request: Request, user_id: int, entries: Entries) -> str:
    """Let the user hold exactly the roles that were chosen, each to its end; gives what to say of it."""
    fields = fields_of(_form(request), entries)
    ends = {name: fields.get(_end_field(name)) for name in fields["roles"]}
    target = Target("user", user_id)
    with changing(request, "user.changed", target) as (session, caller):
        rights, user = caller.begin(session, Permission.USERS_EDIT), users.get_user(session, user_id)
        check_covers(rights, users.permissions_of(user), sentence("accounts.the_user", "The user"))
        check_version(session, target, entries.version, opened(user).values)
        user = replace_assignments(session, caller, user_id, ends)
        given = [_described(request, role, deciding(user)[role.name].expires_at) for role in users.roles_of(user)]
        if not given:
            return translate(request, "{name} has no role now.", name=user.username)
        return translate(request, "{name} now has these roles: {roles}.", name=user.username, roles=", ".join(given))


def rows(session: Session, rights: frozenset[Permission], user: User, entries: Entries) -> list[dict[str, Any]]:
    """Every role that there is: whether it is chosen and may be, and where the user has it from."""
    assignments = deciding(user)
    return [
        {**choice, "held": assignments.get(choice["role"].name), "end": _end_field(choice["role"].name)}
        for choice in role_choices(session, rights, set(entries.values["roles"]), set(assignments))
    ]


def _form(request: Request) -> colander.SchemaNode:
    """The names of roles, and for each role there is the end of it."""
    form = node(colander.Mapping())
    form.add(UserChange()["roles"].clone())
    # Not the session of the request: its transaction would wait for the one of the change, and that for it.
    with request.runtime.sessions() as session:
        names = [role.name for role in find_roles(session, limit=MAX_LIMIT, offset=0)[0]]
    for name in names:
        form.add(nullable_node(Timestamp(), name=_end_field(name), missing=None))
    return form


def _end_field(role: str) -> str:
    return f"ends.{role}"


def _described(request: Request, role: Any, end: Any) -> str:
    name = translate(request, role.display_name)
    return translate(request, "{role} until {end}", role=name, end=moment(end)) if end is not None else name
