"""``oidc-mappings``."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.identity.caller import noting_refusals
from skywatch.core.storage.audit import Target
from skywatch.http.lists.pagination import PageQuery, page
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.security.permissions import Permission
from skywatch.sso import mappings, schemas
from skywatch.sso.models import ClaimMapping
from skywatch.sso.sign_on.flow import SignOn

mappings_service = ApiService("oidc_mappings", "/oidc-mappings", feature="roles")
mapping_service = ApiService("oidc_mappings.one", f"/oidc-mappings/{{id:{NUMBER}}}", feature="roles")


@mappings_service.get(permission=Permission.ROLES_EDIT, query=PageQuery(), responses={200: schemas.MappingList()})
def list_oidc_mappings(request: Request) -> dict[str, Any]:
    """All claim mappings, the highest priority first"""
    query = request.validated["querystring"]
    entries, count = mappings.find_mappings(request.db, limit=query["limit"], offset=query["offset"])
    return page(request, "oidc_mappings", [_answer(entry) for entry in entries], count)


@mappings_service.post(
    permission=Permission.ROLES_EDIT,
    body=schemas.MappingCreate(),
    responses={201: schemas.MappingEntry()},
    errors=(409,),
    creates=mapping_service,
)
def create_oidc_mapping(request: Request) -> dict[str, Any]:
    """Create a claim mapping to a role within the caller's own permissions"""
    body = body_of(request, schemas.MappingCreateFields)
    with noting_refusals(request, "claim_mapping.created", Target("claim_mapping", None, body.name)) as caller:
        mapping = mappings.create_mapping(request.db, caller, body, request.runtime.shared(SignOn).parties)
    return _answer(mapping)


@mapping_service.get(permission=Permission.ROLES_EDIT, responses={200: schemas.MappingEntry()})
def get_oidc_mapping(request: Request) -> dict[str, Any]:
    """One claim mapping"""
    return _answer(mappings.get_mapping(request.db, _id(request)))


@mapping_service.patch(
    permission=Permission.ROLES_EDIT,
    body=schemas.MappingChange(),
    responses={200: schemas.MappingEntry()},
    errors=(409,),
)
def update_oidc_mapping(request: Request) -> dict[str, Any]:
    """Change parts of a claim mapping; its role before and after must be within the caller's own permissions"""
    return _change(request, body_of(request, schemas.MappingChangeFields))


@mapping_service.put(
    permission=Permission.ROLES_EDIT,
    body=schemas.MappingReplacement(),
    responses={200: schemas.MappingEntry()},
    errors=(409,),
)
def replace_oidc_mapping(request: Request) -> dict[str, Any]:
    """Set the whole of a claim mapping"""
    return _change(request, body_of(request, schemas.MappingReplacementFields))


@mapping_service.delete(permission=Permission.ROLES_EDIT, responses={204: None}, errors=(409,))
def delete_oidc_mapping(request: Request) -> None:
    """Delete a claim mapping; the roles it gave go at each person's next login"""
    with noting_refusals(request, "claim_mapping.deleted", Target("claim_mapping", _id(request))) as caller:
        mappings.delete_mapping(request.db, caller, _id(request))
    request.response.status_code = 204


def _change(request: Request, fields: schemas.MappingChangeFields) -> dict[str, Any]:
    with noting_refusals(request, "claim_mapping.changed", Target("claim_mapping", _id(request))) as caller:
        providers = request.runtime.shared(SignOn).parties
        return _answer(mappings.update_mapping(request.db, caller, _id(request), fields, providers))


def _answer(entry: ClaimMapping) -> dict[str, Any]:
    return answer(schemas.MappingEntry, entry, role=entry.role.name)


def _id(request: Request) -> int:
    return int(request.matchdict["id"])
