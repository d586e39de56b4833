"""``api-keys``: the caller's API keys."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.identity.caller import caller_of, noting_refusals
from skywatch.accounts.keys import schemas, service
from skywatch.accounts.models import ApiKey
from skywatch.accounts.settings import AccountSettings
from skywatch.core.problems import Problem
from skywatch.http.lists.paging import PageQuery, page
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.security.contexts import OWN_ACCOUNT

keys_service = ApiService("api_keys", "/api-keys", feature=None)
auth_keys_service = ApiService("auth.api_keys", "/auth/api-keys", feature=None)
key_service = ApiService("api_keys.one", f"/api-keys/{{id:{NUMBER}}}", feature=None)
auth_key_service = ApiService("auth.api_keys.one", f"/auth/api-keys/{{id:{NUMBER}}}", feature=None)


@keys_service.get(permission=OWN_ACCOUNT, query=PageQuery(), responses={200: schemas.KeyList()})
@auth_keys_service.get(
    operation_id="list_auth_api_keys", permission=OWN_ACCOUNT, query=PageQuery(), responses={200: schemas.KeyList()}
)
def list_api_keys(request: Request) -> dict[str, Any]:
    """The caller's API keys, the newest first"""
    query = request.validated["querystring"]
    keys, count = service.find_keys(request.db, request.caller.user_id, limit=query["limit"], offset=query["offset"])
    return page(request, "api_keys", [_answer(key) for key in keys], count)


@keys_service.post(permission=OWN_ACCOUNT, body=schemas.KeyCreate(), responses={201: schemas.NewKey()}, errors=(409,))
@auth_keys_service.post(
    operation_id="create_auth_api_key",
    permission=OWN_ACCOUNT,
    body=schemas.KeyCreate(),
    responses={201: schemas.NewKey()},
    errors=(409,),
)
def create_api_key(request: Request) -> dict[str, Any]:
    """Create an API key of the caller's own; the answer is the only one that shows it

    A key may do what its scopes name and its owner may do at that moment. At most 50 keys may be alive.
    """
    if not request.runtime.settings.of(AccountSettings).api_key_enabled:
        raise Problem("permission_denied", "API keys are switched off.")
    body = request.validated["body"]
    with noting_refusals(request, "api_key.created") as caller:
        key, text = service.create_key(request.db, caller, body["name"], body["scopes"], body["expires_at"])
    request.response.status_code = 201
    return {**_answer(key), "key": text}


@key_service.delete(permission=OWN_ACCOUNT, responses={204: None})
@auth_key_service.delete(operation_id="delete_auth_api_key", permission=OWN_ACCOUNT, responses={204: None})
def delete_api_key(request: Request) -> None:
    """Revoke one of the caller's API keys"""
    service.delete_key(request.db, caller_of(request), int(request.matchdict["id"]))
    request.response.status_code = 204


def _answer(key: ApiKey) -> dict[str, Any]:
    return answer(schemas.KeyEntry, key, is_active=service.is_active(key))
