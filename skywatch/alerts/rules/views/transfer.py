"""The REST resources of export and import of rules."""

from __future__ import annotations

from typing import Any

from skywatch.alerts.area import AlertService
from skywatch.alerts.conditions.states import check_states
from skywatch.alerts.rules import transfer
from skywatch.alerts.rules.transfer_schemas import RulesExport, RulesImport, RulesImported, RulesImportFields
from skywatch.core.polygons.geometry import MAX_POSITIONS
from skywatch.http.clients.audit import actor_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.security.permissions import Permission, ViewPermission

export = AlertService("alerts.rules_export", "/alerts/rules/export")
importing = AlertService("alerts.rules_import", "/alerts/rules/import")


# JSON values of an import: each position is a list of two or three, and rules have lists of values.
MAX_VALUES = 3 * MAX_POSITIONS + transfer.MAX_ENTRIES + 200_000


@export.get(permission=Permission.ALERTS_VIEW, responses={200: RulesExport()})
def export_rules(request: Request) -> dict[str, Any]:
    """Export the caller's own rules, geofences and watch lists, without channels"""
    return transfer.export(request.db, request.visibility)


@importing.post(
    permission=ViewPermission.ALERTS_IMPORT,
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
    fields = body_of(request, RulesImportFields)
    transfer.check_entries(request.db, request.visibility, fields)
    check_states(request.runtime, request.db, request.visibility, fields.rules)
    return transfer.import_document(request.db, request.visibility, actor_of(request), fields)
