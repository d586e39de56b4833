"""``auth/profile`` and ``auth/password``: the caller's own account."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.identity.caller import caller_of
from skywatch.accounts.nodes import MAX_VALUES_OF_PREFERENCES
from skywatch.accounts.profile import schemas, service
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.sign_in.attempts import guess_limits
from skywatch.accounts.sign_in.cookies import hand_over
from skywatch.accounts.sign_in.schemas import Tokens
from skywatch.accounts.users.answers import RememberedProfile, profile_answer
from skywatch.accounts.users.schemas import Profile, ProfileChange, ProfileChangeFields
from skywatch.accounts.users.service import get_user
from skywatch.core.problems import Problem
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.render import json_response
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import ViewPermission

profile_service = ApiService("auth.profile", "/auth/profile", feature=None)
password_service = ApiService("auth.password", "/auth/password", feature=None)


@profile_service.get(permission=ViewPermission.IDENTIFIED, remember_query=True, responses={200: Profile()})
def get_profile(request: Request) -> Response:
    """The caller, with permissions; for an API key, its owner within its scopes"""
    identity = request.caller
    profile = request.runtime.shared(Authenticator).remembered_profile(
        identity.user_id, lambda session: RememberedProfile(profile_answer(get_user(session, identity.user_id)))
    )
    # What this credential may do, which is less than what its owner may do where it is a key.
    return json_response(profile.body(identity.permissions))


@profile_service.patch(
    permission=ViewPermission.OWN_ACCOUNT,
    body=ProfileChange(),
    responses={200: Profile()},
    errors=(409,),
    most_values=MAX_VALUES_OF_PREFERENCES,
)
def update_profile(request: Request) -> dict[str, Any]:
    """Change the caller's display name, e-mail address or preferences

    A new e-mail address serves neither login nor single sign-on until an administrator (`PATCH users/{id}`) or the
    identity provider confirms it.
    """
    return profile_answer(service.change_profile(request.db, caller_of(request), body_of(request, ProfileChangeFields)))


@password_service.post(
    permission=ViewPermission.OWN_ACCOUNT, body=schemas.PasswordChange(), responses={200: Tokens()}, errors=(409,)
)
def change_password(request: Request) -> dict[str, str]:
    """Change the caller's password; ends all their logins and begins a new one"""
    if not request.runtime.settings.of(AccountSettings).local_auth_enabled:
        raise Problem("local_auth_disabled")
    body = body_of(request, schemas.PasswordChangeFields)
    pair = service.change_password(
        request.runtime.sessions,
        request.runtime.shared(guess_limits),
        request.runtime.shared(Authenticator).codec,
        caller_of(request),
        body.current_password,
        body.new_password,
    )
    return hand_over(request, pair)
