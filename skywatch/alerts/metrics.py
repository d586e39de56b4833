"""The metrics of alerts."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import counter, gauge

WAITING = gauge("skywatch_alerts_waiting", "Alerts that wait for their turn to be announced", "priority")
MAX_WAIT = gauge("skywatch_alerts_longest_wait_seconds", "How long the first of those alerts has waited")
LEFT_OUT = gauge(
    "skywatch_alerts_not_followed", "Aircraft that match a rule and are not followed, because it matches too many"
)
UNSTORED = counter(
    "skywatch_alerts_unstored_total",
    "Alerts that were not stored: their user had too many in a minute (minute) or too much stored (size), too much of"
    " that was about what only strangers hear (strangers), or what they were about ended before their turn (waiting)",
    "reason",
)
