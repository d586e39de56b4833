"""``oidc-mappings``."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.identity.caller import noting_refusals
from skywatch.core.storage.audit import Target
from skywatch.http.lists.pagination import PageQuery, page
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.service import Resource, api_resource, view
from skywatch.security.permissions import Permission
from skywatch.sso import mappings, schemas
from skywatch.sso.models import ClaimMapping
from skywatch.sso.sign_on.flow import SignOn


@api_resource("oidc_mapping", "/oidc-mappings", feature="roles")
class Mappings(Resource):
    """Claim mappings: the roles that claims of an identity provider give."""

    @view(permission=Permission.ROLES_EDIT, query=PageQuery(), responses={200: schemas.MappingList()})
    def collection_get(self) -> dict[str, Any]:
        """All claim mappings, the highest priority first"""
        query = self.request.validated["querystring"]
        entries, count = mappings.find_mappings(self.request.db, limit=query["limit"], offset=query["offset"])
        return page(self.request, "oidc_mappings", [_answer(entry) for entry in entries], count)

    @view(
        permission=Permission.ROLES_EDIT,
        body=schemas.MappingCreate(),
        responses={201: schemas.MappingEntry()},
        errors=(409,),
        creates=True,
    )
    def collection_post(self) -> dict[str, Any]:
        """Create a claim mapping to a role within the caller's own permissions"""
        body = body_of(self.request, schemas.MappingCreateFields)
        with noting_refusals(self.request, "claim_mapping.created", Target("claim_mapping", None, body.name)) as caller:
            providers = self.request.runtime.shared(SignOn).parties
            mapping = mappings.create_mapping(self.request.db, caller, body, providers)
        return _answer(mapping)

    @view(permission=Permission.ROLES_EDIT, responses={200: schemas.MappingEntry()})
    def get(self) -> dict[str, Any]:
        """One claim mapping"""
        return _answer(mappings.get_mapping(self.request.db, self.id))

    @view(
        permission=Permission.ROLES_EDIT,
        body=schemas.MappingChange(),
        responses={200: schemas.MappingEntry()},
        errors=(409,),
    )
    def patch(self) -> dict[str, Any]:
        """Change parts of a claim mapping; its role before and after must be within the caller's own permissions"""
        return self._change(body_of(self.request, schemas.MappingChangeFields))

    @view(
        permission=Permission.ROLES_EDIT,
        body=schemas.MappingReplacement(),
        responses={200: schemas.MappingEntry()},
        errors=(409,),
    )
    def put(self) -> dict[str, Any]:
        """Set the whole of a claim mapping"""
        return self._change(body_of(self.request, schemas.MappingReplacementFields))

    @view(permission=Permission.ROLES_EDIT, responses={204: None}, errors=(409,))
    def delete(self) -> None:
        """Delete a claim mapping; the roles it gave go at each person's next login"""
        with noting_refusals(self.request, "claim_mapping.deleted", Target("claim_mapping", self.id)) as caller:
            mappings.delete_mapping(self.request.db, caller, self.id)
        self.request.response.status_code = 204

    def _change(self, fields: schemas.MappingChangeFields) -> dict[str, Any]:
        with noting_refusals(self.request, "claim_mapping.changed", Target("claim_mapping", self.id)) as caller:
            providers = self.request.runtime.shared(SignOn).parties
            return _answer(mappings.update_mapping(self.request.db, caller, self.id, fields, providers))


def _answer(entry: ClaimMapping) -> dict[str, Any]:
    return answer(schemas.MappingEntry, entry, role=entry.role.name)
