"""The metrics of safety events."""

from __future__ import annotations

from skywatch.core.metrics import counter, gauge

SAFETY_EVENTS = counter("skywatch_safety_events_total", "Safety events raised", "type", "military")
SAFETY_ACTIVE = gauge("skywatch_safety_active_events", "Safety events that are active now", "military")
