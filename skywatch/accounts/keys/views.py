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
from skywatch.http.resources.service import Resource, api_resource, view
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.sentences import sentence


@api_resource("auth_api_key", "/auth/api-keys", feature=None)
@api_resource("api_key", "/api-keys", feature=None)
class ApiKeys(Resource):
    """API keys of the caller and of service accounts, at two addresses."""

    @view(permission=ViewPermission.OWN_ACCOUNT, query=schemas.KeyQuery(), responses={200: schemas.KeyList()})
    def collection_get(self) -> dict[str, Any]:
        """The caller's API keys, or those of a service account, the newest first"""
        query = self.request.validated["querystring"]
        owner_id = self.request.caller.user_id
        if "user" in query:
            _check_manages(self.request)
            owner_id = service.get_service(self.request.db, self.request.caller.permissions, query["user"]).id
        keys, count = service.find_keys(self.request.db, owner_id, limit=query["limit"], offset=query["offset"])
        return page(self.request, "api_keys", [_answer(key) for key in keys], count)

    @view(
        permission=ViewPermission.OWN_ACCOUNT,
        body=schemas.KeyCreate(),
        responses={201: schemas.NewKey()},
        errors=(409,),
    )
    def collection_post(self) -> dict[str, Any]:
        """Create an API key of the caller's own or of a service account; the answer is the only one that shows it

        A key may do what its scopes name and its owner may do at that moment. At most 50 keys of one owner may be
        alive; of the expired ones the 50 created last stay.
        """
        if not self.request.runtime.settings.of(AccountSettings).api_key_enabled:
            raise Problem("permission_denied", sentence("accounts.keys_off", "API keys are switched off."))
        body = body_of(self.request, schemas.KeyCreateFields)
        owner = body.user or None
        with noting_refusals(self.request, "api_key.created", Target("user", owner) if owner else None) as caller:
            if owner is not None:
                _check_manages(self.request)
            key, text = service.create_key(self.request.db, caller, body.name, body.scopes, body.expires_at, owner)
        self.request.response.status_code = 201
        return {**_answer(key), "key": text}

    @view(permission=ViewPermission.OWN_ACCOUNT, query=schemas.KeyOwner(), responses={204: None})
    def delete(self) -> None:
        """Revoke one of the caller's API keys, or one of a service account"""
        owner = self.request.validated["querystring"].get("user")
        if owner is None:
            service.delete_key(self.request.db, caller_of(self.request), self.id)
        else:
            with noting_refusals(self.request, "api_key.deleted", Target("api_key", self.id)) as caller:
                _check_manages(self.request)
                service.delete_service_key(self.request.db, caller, self.id, owner)
        self.request.response.status_code = 204


def _check_manages(request: Request) -> None:
    """Raise Problem (403) where the caller may not manage the keys of service accounts."""
    if not request.runtime.shared(Authenticator).feature_access("users").is_enabled:
        raise Problem("feature_disabled")
    if Permission.USERS_EDIT not in request.caller.permissions:
        raise Problem("permission_denied")


def _answer(key: ApiKey) -> dict[str, Any]:
    return answer(schemas.KeyEntry, key, is_active=service.is_active(key))
