"""An alert as its reader may see it: without the parts that the reader may not see."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from skywatch.alerts.conditions.fields import field_named
from skywatch.alerts.engine.operands.documents import DETAILS
from skywatch.alerts.history.message_text import without_values
from skywatch.alerts.history.schemas import AlertHistoryRecord
from skywatch.alerts.models import Alert
from skywatch.core.clock import to_iso
from skywatch.http.resources.answer import answer
from skywatch.security.permissions import Permission
from skywatch.sentences import code_members


def alert_answer(alert: Alert, deliveries: Sequence[Any], permissions: Collection[str]) -> dict[str, Any]:
    """An alert as the API answers it to a reader with these permissions."""
    aircraft, matched = dict(alert.aircraft), list(alert.matched)
    registration = alert.registration
    message = alert.message
    if Permission.AIRCRAFT_VIEW_DETAILS not in permissions:
        aircraft = {name: value for name, value in aircraft.items() if name not in DETAILS}
        matched = [_without_details(entry) for entry in matched]
        registration = None
        hidden = [str(alert.aircraft[name]) for name in DETAILS if alert.aircraft.get(name)]
        if any(text in message for text in hidden):
            message = without_values(message, alert.rule_name)
    withheld = permissions_of(alert).difference(permissions)
    if withheld:
        hidden = [str(entry["actual"]) for entry in matched if entry["actual"] and _permission(entry) in withheld]
        if any(text in message for text in hidden):
            message = without_values(message, alert.rule_name)
        matched = [entry | {"actual": None} if _permission(entry) in withheld else entry for entry in matched]
    return answer(
        AlertHistoryRecord,
        alert,
        message=message,
        **code_members(alert.words if message == alert.message else None, "message"),
        registration=registration,
        aircraft=aircraft,
        matched=matched,
        deliveries=list(deliveries),
    )


def permissions_of(alert: Alert) -> frozenset[str]:
    """The permissions that values of this alert need, of fields that features declare."""
    return frozenset(permission for entry in alert.matched if (permission := _permission(entry)))


def document(alert: dict[str, Any]) -> dict[str, Any]:
    """The answer about an alert with times as text, for events and deliveries."""
    return {name: to_iso(value) if isinstance(value, datetime) else value for name, value in alert.items()}


def _permission(entry: dict[str, Any]) -> str:
    field = field_named(entry.get("field", ""))
    return field.permission if field is not None else ""


def _without_details(entry: dict[str, Any]) -> dict[str, Any]:
    field = field_named(entry.get("field", ""))
    if field is not None and field.details:
        return entry | {"actual": None}
    return entry | {"registration": None} if "registration" in entry else entry
