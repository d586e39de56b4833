"""The caller's own account: profile, password and API keys."""

from __future__ import annotations

from typing import Any

from pyramid.request import Request

from skywatch.accounts import schemas
from skywatch.accounts.caller import caller_of, noting_refusals
from skywatch.accounts.services import keys, local
from skywatch.accounts.services.users import get_user
from skywatch.accounts.views import shape
from skywatch.accounts.views.cookies import hand_over
from skywatch.core.problems import Problem
from skywatch.http.paging import PageQuery, page
from skywatch.http.service import NUMBER, ApiService
from skywatch.security.contexts import IDENTIFIED, OWN_ACCOUNT

profile_service = ApiService("auth.profile", "/auth/profile", feature=None)
password_service = ApiService("auth.password", "/auth/password", feature=None)
keys_service = ApiService("api_keys", "/api-keys", feature=None)
auth_keys_service = ApiService("auth.api_keys", "/auth/api-keys", feature=None)
key_service = ApiService("api_keys.one", f"/api-keys/{{id:{NUMBER}}}", feature=None)
auth_key_service = ApiService("auth.api_keys.one", f"/auth/api-keys/{{id:{NUMBER}}}", feature=None)


@profile_service.get(permission=IDENTIFIED, responses={200: schemas.Profile()})
def get_profile(request: Request) -> dict[str, Any]:
    """The caller, with permissions; for an API key, its owner within its scopes"""
    identity = request.identity
    shown = request.registry["authenticator"].remembered_profile(
        identity.user_id, lambda session: shape.profile(get_user(session, identity.user_id))
    )
    # What this credential may do, which is less than what its owner may do where it is a key.
    return {**shown, "permissions": sorted(identity.permissions)}


@profile_service.patch(
    permission=OWN_ACCOUNT, body=schemas.ProfileChange(), responses={200: schemas.Profile()}, errors=(409,)
)
def patch_profile(request: Request) -> dict[str, Any]:
    """Change the caller's display name, e-mail address or preferences"""
    return shape.profile(local.change_profile(request.db, caller_of(request), request.validated["body"]))


@password_service.post(
    permission=OWN_ACCOUNT, body=schemas.PasswordChange(), responses={200: schemas.Tokens()}, errors=(409,)
)
def post_password(request: Request) -> dict[str, str]:
    """Change the caller's password; ends all their logins and begins a new one"""
    if not request.runtime.settings.local_auth_enabled:
        raise Problem("local_auth_disabled")
    body = request.validated["body"]
    pair = local.change_password(
        request.runtime.sessions,
        request.runtime.bus,
        request.registry["guess_limits"],
        request.registry["authenticator"].codec,
        caller_of(request),
        body["current_password"],
        body["new_password"],
    )
    return hand_over(request, pair)


@keys_service.get(permission=OWN_ACCOUNT, query=PageQuery(), responses={200: schemas.KeyList()})
@auth_keys_service.get(permission=OWN_ACCOUNT, query=PageQuery(), responses={200: schemas.KeyList()})
def get_keys(request: Request) -> dict[str, Any]:
    """The caller's API keys, the newest first"""
    query = request.validated["querystring"]
    found, count = keys.find_keys(request.db, request.identity.user_id, limit=query["limit"], offset=query["offset"])
    return page(request, "api_keys", [shape.api_key(key) for key in found], count)


@keys_service.post(permission=OWN_ACCOUNT, body=schemas.KeyCreate(), responses={201: schemas.NewKey()}, errors=(409,))
@auth_keys_service.post(
    permission=OWN_ACCOUNT, body=schemas.KeyCreate(), responses={201: schemas.NewKey()}, errors=(409,)
)
def post_key(request: Request) -> dict[str, Any]:
    """Create an API key of the caller's own; the answer is the only one that shows it

    A key may do what its scopes name and its owner may do at that moment. At most 50 keys may be alive.
    """
    if not request.runtime.settings.api_key_enabled:
        raise Problem("permission_denied", "API keys are switched off.")
    body = request.validated["body"]
    with noting_refusals(request, "api_key.created") as caller:
        key, text = keys.create_key(request.db, caller, body["name"], body["scopes"], body["expires_at"])
    request.response.status_code = 201
    return {**shape.api_key(key), "key": text}


@key_service.delete(permission=OWN_ACCOUNT, responses={204: None})
@auth_key_service.delete(permission=OWN_ACCOUNT, responses={204: None})
def delete_key(request: Request) -> None:
    """Revoke one of the caller's API keys"""
    keys.delete_key(request.db, caller_of(request), int(request.matchdict["id"]))
    request.response.status_code = 204
