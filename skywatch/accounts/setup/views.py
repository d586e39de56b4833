"""``setup``: the first administrator of a new installation."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.first_user import SetupState
from skywatch.accounts.models import User
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.setup import schemas
from skywatch.accounts.setup.service import create_first_administrator
from skywatch.accounts.users.answers import user_answer
from skywatch.accounts.users.schemas import UserCreateFields
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Actor
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import ViewPermission

# Who acts until there is a user.
NAME = "first run"
setup_service = ApiService("setup", "/setup", feature=None)


@setup_service.post(
    permission=ViewPermission.OPEN, body=schemas.SetupBody(), responses={201: schemas.SetupAnswer()}, errors=(409,)
)
def set_up(request: Request) -> dict[str, Any]:
    """Create the first administrator with the one-time password of `skywatch setup-link`

    It works while there is no user, and logs nobody in: log in with the new username and password. Ten wrong
    one-time passwords void the right one. Counted as logins are.
    """
    if not request.runtime.settings.of(AccountSettings).local_auth_enabled:
        raise Problem("local_auth_disabled")
    body = body_of(request, schemas.SetupFields)
    fields = UserCreateFields(username=body.username, password=body.password)
    actor = Actor(NAME, "setup", None, request.client_address, request.request_id)
    user: dict[str, Any] = create_first_administrator(request.runtime.sessions, actor, body.token, fields, _answer)
    request.runtime.shared(SetupState).expire()
    request.response.status_code = 201
    return {"user": user}


def _answer(_session: Any, user: User) -> dict[str, Any]:
    return user_answer(user)
