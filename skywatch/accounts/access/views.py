"""``feature-access``: what the installation lets whom do."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.access import schemas, service
from skywatch.accounts.identity.caller import noting_refusals
from skywatch.core.storage.audit import Target
from skywatch.http.lists.pagination import PageQuery, page_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import Permission

# Of no feature: a feature that is switched off, be it ``system``, must not lock away the switch.
settings_service = ApiService("feature_access", "/feature-access", feature=None)
setting_service = ApiService("feature_access.one", "/feature-access/{feature}", feature=None)


@settings_service.get(permission=Permission.SYSTEM_MANAGE, query=PageQuery(), responses={200: schemas.AccessList()})
def list_feature_access(request: Request) -> dict[str, Any]:
    """The access settings of all features"""
    entries = [answer(schemas.AccessEntry, entry) for entry in service.find_access(request.db)]
    return page_of(request, "feature_access", entries)


@setting_service.get(permission=Permission.SYSTEM_MANAGE, responses={200: schemas.AccessEntry()})
def get_feature_access(request: Request) -> dict[str, Any]:
    """The access setting of one feature"""
    return answer(schemas.AccessEntry, service.get_access(request.db, request.matchdict["feature"]))


@setting_service.patch(
    permission=Permission.SYSTEM_MANAGE, body=schemas.AccessChange(), responses={200: schemas.AccessEntry()}
)
def update_feature_access(request: Request) -> dict[str, Any]:
    """Change parts of the access setting of one feature, in force at once"""
    return _change(request, body_of(request, schemas.AccessChangeFields))


@setting_service.put(
    permission=Permission.SYSTEM_MANAGE, body=schemas.AccessReplacement(), responses={200: schemas.AccessEntry()}
)
def replace_feature_access(request: Request) -> dict[str, Any]:
    """Set the whole access setting of one feature, in force at once"""
    return _change(request, body_of(request, schemas.AccessReplacementFields))


def _change(request: Request, fields: schemas.AccessChangeFields) -> dict[str, Any]:
    feature = request.matchdict["feature"]
    with noting_refusals(request, "feature_access.changed", Target("feature_access", feature)) as caller:
        return answer(schemas.AccessEntry, service.change_access(request.db, caller, feature, fields))
