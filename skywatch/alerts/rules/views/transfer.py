"""The REST resources of export and import of rules."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.alerts.access import MAXIMUM_GEOFENCES, MAXIMUM_RULES, MAXIMUM_WATCHLISTS
from skywatch.alerts.history.schemas import ObjectList
from skywatch.alerts.rules import transfer
from skywatch.core.areas.geometry import MAXIMUM_POSITIONS
from skywatch.http.clients.actor import actor_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import JsonInteger, Schema
from skywatch.http.resources.service import ApiService
from skywatch.security.contexts import to_import
from skywatch.security.permissions import Permission

export = ApiService(
    "alerts.rules_export", "/alerts/rules/export", feature="alerts", canonical="/api/v1/alerts/rules/export/"
)
importing = ApiService(
    "alerts.rules_import", "/alerts/rules/import", feature="alerts", canonical="/api/v1/alerts/rules/import/"
)


# JSON values of an import: each position is a list of two or three, and rules have lists of values.
MAX_VALUES = 3 * MAXIMUM_POSITIONS + transfer.MAXIMUM_ENTRIES + 200_000


class RulesExport(Schema):
    """Rules with what they refer to."""

    version = colander.SchemaNode(JsonInteger())
    rules = ObjectList()
    geofences = ObjectList(description="With the ids by which the rules refer to them.")
    watchlists = ObjectList(description="With the ids by which the rules refer to them.")


class RulesImport(Schema):
    """The contents of an export."""

    version = colander.SchemaNode(JsonInteger())
    rules = ObjectList(missing=[], validator=colander.Length(max=MAXIMUM_RULES))
    geofences = ObjectList(missing=[], validator=colander.Length(max=MAXIMUM_GEOFENCES))
    watchlists = ObjectList(missing=[], validator=colander.Length(max=MAXIMUM_WATCHLISTS))


class RulesImported(Schema):
    """The number of objects that an import created."""

    rules = colander.SchemaNode(JsonInteger())
    geofences = colander.SchemaNode(JsonInteger())
    watchlists = colander.SchemaNode(JsonInteger())


@export.get(permission=Permission.ALERTS_VIEW, responses={200: RulesExport()})
def export_rules(request: Request) -> dict[str, Any]:
    """Export the caller's own rules, geofences and watch lists, without channels"""
    return transfer.export(request.db, request.visibility)


@importing.post(
    permission=to_import(Permission.ALERTS_CREATE),
    body=RulesImport(),
    responses={200: RulesImported()},
    errors=(409, 413),
    most_values=MAX_VALUES,
)
def import_rules(request: Request) -> dict[str, int]:
    """Import an export as new rules of the caller

    Everything is created, or nothing: every fault is reported by its path (`rules.3.conditions.all.0.field`). At most
    500 rules, 200 geofences with 100,000 positions, and 200 watch lists with 200,000 entries altogether.
    """
    return transfer.import_document(request.db, request.visibility, actor_of(request), request.validated["body"])
