"""The metrics of safety events."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import counter, gauge

SAFETY_EVENTS = counter("skywatch_safety_events_total", "Safety events raised", "type", "military")
SAFETY_ACTIVE = gauge("skywatch_safety_active_events", "Safety events that are active now", "military")
SAFETY_CROWD = gauge(
    "skywatch_safety_crowded_aircraft", "Aircraft that are too crowded now to be compared for proximity events"
)
SAFETY_COUNTED = gauge(
    "skywatch_safety_counted_occurrences",
    "Occurrences that are counted in the event of a region now instead of having one each",
    "type",
    "military",
)
