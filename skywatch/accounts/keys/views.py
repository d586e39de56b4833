"""``api-keys``: the caller's API keys, and those of service accounts."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.identity.caller import caller_of, noting_refusals
from skywatch.accounts.keys import schemas, service
from skywatch.accounts.models import ApiKey
from skywatch.accounts.settings import AccountSettings
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Target
from skywatch.http.lists.pagination import page
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.security.permissions import Permission, ViewPermission

keys_service = ApiService("api_keys", "/api-keys", feature=None)
auth_keys_service = ApiService("auth.api_keys", "/auth/api-keys", feature=None)
key_service = ApiService("api_keys.one", f"/api-keys/{{id:{NUMBER}}}", feature=None)
auth_key_service = ApiService("auth.api_keys.one", f"/auth/api-keys/{{id:{NUMBER}}}", feature=None)


@keys_service.get(permission=ViewPermission.OWN_ACCOUNT, query=schemas.KeyQuery(), responses={200: schemas.KeyList()})
@auth_keys_service.get(
    operation_id="list_auth_api_keys",
    permission=ViewPermission.OWN_ACCOUNT,
    query=schemas.KeyQuery(),
    responses={200: schemas.KeyList()},
)
def list_api_keys(request: Request) -> dict[str, Any]:
    """The caller's API keys, or those of a service account, the newest first"""
    query = request.validated["querystring"]
    owner_id = request.caller.user_id
    if "user" in query:
        _check_manages(request)
        owner_id = service.get_service(request.db, request.caller.permissions, query["user"]).id
    keys, count = service.find_keys(request.db, owner_id, limit=query["limit"], offset=query["offset"])
    return page(request, "api_keys", [_answer(key) for key in keys], count)


@keys_service.post(
    permission=ViewPermission.OWN_ACCOUNT, body=schemas.KeyCreate(), responses={201: schemas.NewKey()}, errors=(409,)
)
@auth_keys_service.post(
    operation_id="create_auth_api_key",
    permission=ViewPermission.OWN_ACCOUNT,
    body=schemas.KeyCreate(),
    responses={201: schemas.NewKey()},
    errors=(409,),
)
def create_api_key(request: Request) -> dict[str, Any]:
    """Create an API key of the caller's own or of a service account; the answer is the only one that shows it

    A key may do what its scopes name and its owner may do at that moment. At most 50 keys of one owner may be alive;
    of the expired ones the 50 created last stay.
    """
    if not request.runtime.settings.of(AccountSettings).api_key_enabled:
        raise Problem("permission_denied", "API keys are switched off.")
    body = body_of(request, schemas.KeyCreateFields)
    owner = body.user or None
    with noting_refusals(request, "api_key.created", Target("user", owner) if owner else None) as caller:
        if owner is not None:
            _check_manages(request)
        key, text = service.create_key(request.db, caller, body.name, body.scopes, body.expires_at, owner)
    request.response.status_code = 201
    return {**_answer(key), "key": text}


@key_service.delete(permission=ViewPermission.OWN_ACCOUNT, query=schemas.KeyOwner(), responses={204: None})
@auth_key_service.delete(
    operation_id="delete_auth_api_key",
    permission=ViewPermission.OWN_ACCOUNT,
    query=schemas.KeyOwner(),
    responses={204: None},
)
def delete_api_key(request: Request) -> None:
    """Revoke one of the caller's API keys, or one of a service account"""
    key_id, owner = int(request.matchdict["id"]), request.validated["querystring"].get("user")
    if owner is None:
        service.delete_key(request.db, caller_of(request), key_id)
    else:
        with noting_refusals(request, "api_key.deleted", Target("api_key", key_id)) as caller:
            _check_manages(request)
            service.delete_service_key(request.db, caller, key_id, owner)
    request.response.status_code = 204


def _check_manages(request: Request) -> None:
    """Raise Problem (403) where the caller may not manage the keys of service accounts."""
    if not request.runtime.shared(Authenticator).feature_access("users").is_enabled:
        raise Problem("feature_disabled")
    if Permission.USERS_EDIT not in request.caller.permissions:
        raise Problem("permission_denied")


def _answer(key: ApiKey) -> dict[str, Any]:
    return answer(schemas.KeyEntry, key, is_active=service.is_active(key))
