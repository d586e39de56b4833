"""The metrics of deliveries."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import counter, gauge, histogram

# Bounds of an attempt (s), up to its deadline.
ATTEMPT_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20)
DELIVERIES = counter("skywatch_deliveries_total", "Attempts to deliver a notification", "kind", "outcome")
DELIVERY_SECONDS = histogram("skywatch_delivery_duration_seconds", "Time an attempt took", "kind", buckets=ATTEMPT_S)
IN_FLIGHT = gauge("skywatch_deliveries_in_flight", "Channels that are being served")
