"""The message of an alert: the rule's template, or the rule's name and the aircraft."""

from __future__ import annotations

from skywatch.alerts.conditions.templates import render
from skywatch.alerts.engine.rule import NOBODY, Fired


def message_of(change: Fired, *, name: str, priority: str, template: str | None) -> str:
    """The message of an alert; templates may use the aircraft, the tested values, and the rule."""
    values = {
        **{entry["field"]: entry["actual"] for entry in change.matched if "actual" in entry},
        **change.aircraft,
        "rule_name": name,
        "priority": priority,
        "count": change.count,
        "geofence": change.geofence,
    }
    if template:
        return render(template, values)
    if change.count is not None:
        return f"{name}: {change.count} aircraft"
    if change.address == NOBODY:
        return f"{name}: {', '.join(str(entry['value']) for entry in change.matched)}"
    subject = change.aircraft.get("flight") or change.aircraft.get("r") or change.address.upper()
    suffix = f" in {change.geofence}" if change.geofence else ""
    return f"{name}: {subject}{suffix}"
