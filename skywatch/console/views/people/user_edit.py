"""What is changed of a user on a page of its own: name and address, the password, and the end of the account."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pyramid.response import Response

from skywatch.accounts.models import User
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.superadmins import LAST, is_last_superadmin
from skywatch.accounts.users import resets
from skywatch.accounts.users import service as users
from skywatch.accounts.users.schemas import UserChange, UserChangeFields
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.confirmation import confirmation
from skywatch.console.forms.edit_page import DeletePage, EditPage
from skywatch.console.forms.entries import Entries, fields_of, part
from skywatch.console.forms.form import read_form
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME, reset_address
from skywatch.console.texts.language import translate
from skywatch.console.views.people.user import changeable_user, id_of
from skywatch.core.network.addresses import is_loopback
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Target
from skywatch.core.storage.versions import check_version, version_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import UNSET
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

PROFILE = part(UserChange(), "display_name", "email")
PASSWORD = part(UserChange(), "password")
# The quiet zone that the standard asks for, in modules.
QR_BORDER = 4


def _save(request: Request, entries: Entries) -> Response:
    target = Target("user", id_of(request))
    # A user without an address keeps none.
    fields = UserChangeFields.of(fields_of(PROFILE, entries, blank=("email",)))
    with changing(request, "user.changed", target) as (session, caller):
        caller.begin(session, Permission.USERS_EDIT)
        check_version(session, target, entries.version, _values(users.get_user(session, id_of(request))))
        user = users.update_user(session, caller, id_of(request), fields)
    return done(request, f"{HOME}/users/{user.id}", translate(request, "{name} is saved.", name=user.username))


def _save_password(request: Request, entries: Entries) -> Response:
    fields = UserChangeFields.of(fields_of(PASSWORD, entries))
    if fields.password is UNSET:
        raise invalid("password", sentence("field.needed", "is required"))
    with changing(request, "user.changed", Target("user", id_of(request))) as (session, caller):
        user = users.update_user(session, caller, id_of(request), fields)
    text = translate(request, "{name} has a new password and is signed out everywhere.", name=user.username)
    return done(request, f"{HOME}/users/{user.id}", text)


def _check_has_password(request: Request) -> None:
    if changeable_user(request).is_service:
        raise Problem(
            "permission_denied", sentence("accounts.service_account_no_password", "A service account has no password.")
        )


user_reset_page = FormPage("console.user.reset", "user_link.jinja2", Permission.USERS_EDIT)


@user_reset_page.get
def show_reset_link(request: Request) -> dict[str, Any]:
    """What a link for a new password is, before it is made"""
    if not _has_local_login(request):
        raise Problem("local_auth_disabled")
    _check_has_password(request)
    if not changeable_user(request).is_active:
        raise Problem(
            "permission_denied",
            sentence("accounts.deactivated_user", "A deactivated user cannot log in; activate the user first."),
        )
    return _link(request)


@user_reset_page.post
def post_reset_link(request: Request) -> dict[str, Any]:
    """Make a link with which the user sets a new password themselves; it is shown this once"""
    read_form(request)
    try:
        if not _has_local_login(request):
            raise Problem("local_auth_disabled")
        with changing(request, "password_reset.created", Target("user", id_of(request))) as (session, caller):
            _, token = resets.create_reset(session, caller, id_of(request))
    except Problem as problem:
        return refused(request, problem, _link(request))
    return _link(request, reset_address(request, token))


def _check_deletable(request: Request) -> None:
    if is_last_superadmin(request.db, changeable_user(request)):
        raise Problem("conflict", LAST)


def _delete(request: Request, version: str) -> str:
    target = Target("user", id_of(request))
    with changing(request, "user.deleted", target) as (session, caller):
        caller.begin(session, Permission.USERS_DELETE)
        user = users.get_user(session, id_of(request))
        check_version(session, target, version, _whole(user))
        text = translate(request, "{name} is deleted.", name=user.username)
        users.delete_user(session, caller, user.id)
    return text


def _values(user: User) -> dict[str, Any]:
    return {"display_name": user.display_name, "email": user.email}


def _stored(request: Request) -> Entries:
    values = _values(changeable_user(request))
    return Entries(values, version_of(values))


def _whole(user: User) -> dict[str, Any]:
    """What whoever deletes a user has seen of them."""
    return {**_values(user), "is_active": user.is_active, "roles": [role.name for role in users.roles_of(user)]}


def _edit(request: Request, entries: Entries) -> dict[str, Any]:
    return {"user": changeable_user(request), "entries": entries, "problem": None}


def _password(request: Request, entries: Entries) -> dict[str, Any]:
    has_local_login = _has_local_login(request)
    return {"user": changeable_user(request), "entries": entries, "has_local_login": has_local_login, "problem": None}


def _link(request: Request, link: str | None = None) -> dict[str, Any]:
    return link_page(changeable_user(request), link)


def link_page(user: User, link: str | None) -> dict[str, Any]:
    """The card of a link, or the question whether one is to be made."""
    host = urlsplit(link).hostname if link is not None else None
    return {
        "user": user,
        "link": link,
        "qr": _qr_code(link) if link is not None else None,
        "is_invited": resets.is_invitation(user),
        "is_local": host is not None and is_loopback(host),
        "problem": None,
    }


def _has_local_login(request: Request) -> bool:
    return request.runtime.settings.of(AccountSettings).local_auth_enabled


def _question(request: Request) -> dict[str, Any]:
    user = changeable_user(request)
    return confirmation(
        title=translate(request, "Delete {name}", name=user.username),
        text=translate(
            request,
            "The account is deleted with its logins, API keys, alert rules, geofences and channels. This cannot be "
            "undone. What it did stays in the audit log. To keep it for later, deactivate it instead.",
        ),
        facts=[
            (translate(request, "Name"), user.display_name),
            (translate(request, "E-mail"), user.email or translate(request, "none")),
            (
                translate(request, "Roles"),
                ", ".join(translate(request, role.display_name) for role in users.roles_of(user))
                or translate(request, "none"),
            ),
        ],
        button=translate(request, "Delete {name}", name=user.username),
        back=f"{HOME}/users/{user.id}",
        entries=Entries({}, version_of(_whole(user))),
    )


USER = f"/users/{{id:{NUMBER}}}"
PAGES = (
    EditPage(
        route="console.user.edit",
        path=f"{USER}/edit",
        feature="users",
        permission=Permission.USERS_EDIT,
        shows="The form of a user's name and address",
        does="Change a user's name and address; an address that an administrator gives is confirmed",
        template="user_edit.jinja2",
        schema=PROFILE,
        stored=_stored,
        save=_save,
        page=_edit,
    ),
    EditPage(
        route="console.user.password",
        path=f"{USER}/password",
        feature="users",
        permission=Permission.USERS_EDIT,
        shows="The form of a new password, and the offer of a link",
        does="Give a user a new password; all their logins end",
        template="user_password.jinja2",
        check=_check_has_password,
        schema=PASSWORD,
        save=_save_password,
        page=_password,
    ),
    Page(route="console.user.reset", path=f"{USER}/reset-link", feature="users"),
    DeletePage(
        route="console.user.delete",
        path=f"{USER}/delete",
        feature="users",
        permission=Permission.USERS_DELETE,
        shows="What is deleted with a user",
        does="Delete a user with all that is theirs alone",
        check=_check_deletable,
        question=_question,
        delete=_delete,
        onward=f"{HOME}/users",
    ),
)


class _QrCode(NamedTuple):
    """The side in modules with its quiet zone, and the path of the dark modules, as SVG has it."""

    side: int
    path: str


def _qr_code(link: str) -> _QrCode:
    """A link as a QR code (ISO/IEC 18004) of medium error correction, for the camera of a phone."""
    # Here: no other page needs it.
    import segno

    rows = [list(row) for row in segno.make(link, error="m", micro=False).matrix_iter(border=QR_BORDER)]
    parts = []
    for y, row in enumerate(rows):
        x = 0
        for is_dark, run in groupby(row):
            length = len(list(run))
            if is_dark:
                parts.append(f"M{x} {y}h{length}v1h-{length}z")
            x += length
    return _QrCode(len(rows), "".join(parts))
