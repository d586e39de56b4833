"""The record of an alert, without the parts that the reader may not see."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from skywatch.alerts.conditions.fields import field_named
from skywatch.alerts.engine.moment import DETAILS
from skywatch.alerts.models import Alert
from skywatch.core.clock import to_iso
from skywatch.security.permissions import Permission

PLAIN = (
    "id", "rule_id", "rule_name", "priority", "icao_hex", "callsign", "message", "geofence", "count", "triggered_at",
    "cleared_at", "acknowledged", "acknowledged_by", "acknowledged_at",
)  # fmt: skip


def record_of(alert: Alert, deliveries: Sequence[Any], permissions: Collection[str]) -> dict[str, Any]:
    """The record of an alert for a reader with these permissions."""
    aircraft, matched = dict(alert.aircraft), list(alert.matched)
    registration = alert.registration
    message = alert.message
    if Permission.AIRCRAFT_VIEW_DETAILS not in permissions:
        aircraft = {name: value for name, value in aircraft.items() if name not in DETAILS}
        matched = [_without_details(entry) for entry in matched]
        registration = None
        hidden = [str(alert.aircraft[name]) for name in DETAILS if alert.aircraft.get(name)]
        if any(text in message for text in hidden):
            message = alert.rule_name
    withheld = permissions_of(alert).difference(permissions)
    if withheld:
        hidden = [str(entry["actual"]) for entry in matched if entry["actual"] and _permission(entry) in withheld]
        if any(text in message for text in hidden):
            message = alert.rule_name
        matched = [entry | {"actual": None} if _permission(entry) in withheld else entry for entry in matched]
    return {
        **{name: getattr(alert, name) for name in PLAIN},
        "message": message,
        "registration": registration,
        "aircraft": aircraft,
        "matched": matched,
        "deliveries": list(deliveries),
    }


def permissions_of(alert: Alert) -> frozenset[str]:
    """The permissions that values of this alert need, of fields that features declare."""
    return frozenset(permission for entry in alert.matched if (permission := _permission(entry)))


def document(record: dict[str, Any]) -> dict[str, Any]:
    """A record with times as text, for events and deliveries."""
    return {name: to_iso(value) if isinstance(value, datetime) else value for name, value in record.items()}


def _permission(entry: dict[str, Any]) -> str:
    field = field_named(entry.get("field", ""))
    return field.permission if field is not None else ""


def _without_details(entry: dict[str, Any]) -> dict[str, Any]:
    field = field_named(entry.get("field", ""))
    if field is not None and field.details:
        return entry | {"actual": None}
    return entry | {"registration": None} if "registration" in entry else entry
