"""The metrics of deliveries."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from skywatch.core.telemetry.metrics import REGISTRY

DELIVERIES = Counter(
    "skywatch_deliveries_total", "Attempts to deliver a notification", ("kind", "outcome"), registry=REGISTRY
)
DELIVERY_SECONDS = Histogram(
    "skywatch_delivery_duration_seconds",
    "Time an attempt took",
    ("kind",),
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20),
    registry=REGISTRY,
)
IN_FLIGHT = Gauge("skywatch_deliveries_in_flight", "Channels that are being served", registry=REGISTRY)
