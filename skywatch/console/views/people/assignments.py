"""Roles for a time: give one, and change or take away one that a user holds."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.accounts.assignments import service as assignments
from skywatch.accounts.assignments.schemas import AssignmentChange, AssignmentCreate
from skywatch.accounts.identity.caller import check_covers
from skywatch.accounts.identity.rights import SUPERADMIN
from skywatch.accounts.models import UserRole
from skywatch.accounts.superadmins import LAST, is_last_superadmin
from skywatch.accounts.users import service as users
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.choices import role_choices
from skywatch.console.forms.confirming import confirmation
from skywatch.console.forms.entries import VERSION, Entries, fields_of, part, read_entries
from skywatch.console.forms.form import read_form
from skywatch.console.pages.page import FormPage, Page
from skywatch.console.pages.wording import field_moment, moment
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.console.views.people.user import changeable_user, id_of
from skywatch.core.problems import Problem, not_found
from skywatch.core.storing.audit import Target
from skywatch.core.storing.versions import check_version, version_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import Permission

USER = f"/users/{{id:{NUMBER}}}"
ASSIGNMENT = f"{USER}/assignments/{{assignment:{NUMBER}}}"
PAGES = (
    Page(route="console.assignments.new", path=f"{USER}/assignments/new", feature="users"),
    Page(route="console.assignment", path=ASSIGNMENT, feature="users"),
    Page(route="console.assignment.delete", path=f"{ASSIGNMENT}/delete", feature="users"),
)
GIVEN = part(AssignmentCreate(), "role", "expires_at")


assignments_new_page = FormPage("console.assignments.new", "assignment_new.jinja2", Permission.USERS_EDIT)


@assignments_new_page.get
def show_new(request: Request) -> dict[str, Any]:
    """The form that gives a role, perhaps for a time"""
    changeable_user(request)
    return _new(request, Entries())


@assignments_new_page.post
def post_new(request: Request) -> dict[str, Any] | Response:
    """Let a user hold a role that gives no more than the viewer holds, perhaps for a time"""
    entries, user_id = read_entries(request, GIVEN), id_of(request)
    try:
        fields = fields_of(GIVEN, entries)
        with changing(request, "assignment.created", Target("user", user_id)) as (session, caller):
            given = assignments.create_assignment(session, caller, user_id, fields["role"], fields["expires_at"])
            text = _done_text(request, given)
    except Problem as problem:
        return refused(request, problem, _new(request, entries.refused(problem)))
    return done(request, f"{HOME}/users/{user_id}", text)


assignment_page = FormPage("console.assignment", "assignment.jinja2", Permission.USERS_EDIT)


@assignment_page.get
def show_assignment(request: Request) -> dict[str, Any]:
    """The form of when a role ends"""
    assignment = _changeable(request)
    return _page(assignment, _stored(assignment))


@assignment_page.post
def post_assignment(request: Request) -> dict[str, Any] | Response:
    """Change when a role ends"""
    entries, number = read_entries(request, AssignmentChange()), _number(request)
    target = Target("assignment", number)
    try:
        fields = fields_of(AssignmentChange(), entries)
        with changing(request, "assignment.changed", target) as (session, caller):
            caller.begin(session, Permission.USERS_EDIT)
            present = _assignment(request, session)
            check_version(session, target, entries.version, _ends(present))
            changed = assignments.update_assignment(session, caller, number, fields["expires_at"])
            text = _done_text(request, changed)
    except Problem as problem:
        assignment = _assignment(request, request.db)
        return refused(request, problem, _page(assignment, entries.refused(problem, _stored(assignment))))
    return done(request, f"{HOME}/users/{id_of(request)}", text)


assignment_delete_page = FormPage("console.assignment.delete", "confirm.jinja2", Permission.USERS_EDIT)


@assignment_delete_page.get
def show_delete(request: Request) -> dict[str, Any]:
    """What taking a role away means"""
    return _deletion(request, _changeable(request))


@assignment_delete_page.post
def post_delete(request: Request) -> dict[str, Any] | Response:
    """Take a role from a user"""
    version, number = read_form(request, VERSION).get(VERSION, ""), _number(request)
    target = Target("assignment", number)
    try:
        with changing(request, "assignment.deleted", target) as (session, caller):
            caller.begin(session, Permission.USERS_EDIT)
            present = _assignment(request, session)
            check_version(session, target, version, _ends(present))
            text = translate(
                request,
                "{name} no longer has the role {role}.",
                name=present.user.username,
                role=translate(request, present.role.display_name),
            )
            assignments.delete_assignment(session, caller, number)
    except Problem as problem:
        return refused(request, problem, {**_deletion(request, _assignment(request, request.db)), "problem": problem})
    return done(request, f"{HOME}/users/{id_of(request)}", text)


def _number(request: Request) -> int:
    return int(request.matchdict["assignment"])


def _assignment(request: Request, session: Session) -> UserRole:
    """The assignment that an address names; raises Problem (404), also where it is another user's."""
    assignment = assignments.get_assignment(session, _number(request))
    if assignment.user_id != id_of(request):
        raise not_found("role assignment")
    return assignment


def _changeable(request: Request) -> UserRole:
    """The same for a page that changes it; raises Problem (403) where the form could only be refused."""
    user, assignment = changeable_user(request), _assignment(request, request.db)
    check_covers(request.caller.permissions, users.permissions_of_role(assignment.role), "The role")
    if assignment.role.name == SUPERADMIN and assignment.role.is_system and is_last_superadmin(request.db, user):
        raise Problem("permission_denied", LAST)
    return assignment


def _ends(assignment: UserRole) -> str:
    return field_moment(assignment.expires_at)


def _stored(assignment: UserRole) -> Entries:
    ends = _ends(assignment)
    return Entries({"expires_at": ends}, version_of(ends))


def _done_text(request: Request, assignment: UserRole) -> str:
    name, role = assignment.user.username, translate(request, assignment.role.display_name)
    if assignment.expires_at is None:
        return translate(request, "{name} has the role {role}.", name=name, role=role)
    ends = moment(assignment.expires_at)
    return translate(request, "{name} has the role {role} until {end}.", name=name, role=role, end=ends)


def _new(request: Request, entries: Entries) -> dict[str, Any]:
    user = users.get_user(request.db, id_of(request))
    choices = role_choices(request.db, request.caller.permissions, ())
    return {"user": user, "entries": entries, "choices": choices, "problem": None}


def _page(assignment: UserRole, entries: Entries) -> dict[str, Any]:
    return {"assignment": assignment, "user": assignment.user, "entries": entries, "problem": None}


def _deletion(request: Request, assignment: UserRole) -> dict[str, Any]:
    user, role = assignment.user, translate(request, assignment.role.display_name)
    return confirmation(
        title=translate(request, "Remove the role {role} of {name}", role=role, name=user.username),
        text=translate(
            request,
            "{name} loses the rights of {role} at once, unless another role gives them too.",
            name=user.username,
            role=role,
        ),
        facts=[
            (
                translate(request, "Source"),
                translate(request, "by hand")
                if assignment.source == assignments.MANUAL
                else translate(request, "single sign-on"),
            )
        ],
        button=translate(request, "Remove the role"),
        back=f"{HOME}/users/{user.id}",
        entries=Entries({}, version_of(_ends(assignment))),
    )
