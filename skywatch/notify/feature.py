"""The declaration of the feature notify."""

from __future__ import annotations

from skywatch.core.feature import Feature, Service
from skywatch.notify.settings import NotifySettings

FEATURE = Feature(
    name="notify",
    services=(
        Service(role="worker", create="skywatch.notify.deliveries.worker:create"),
        Service(role="worker", create="skywatch.notify.mqtt.service:create"),
    ),
    retention="skywatch.notify.retention:KINDS",
    restored="skywatch.notify.deliveries.restored:hold_pending",
    settings=NotifySettings,
    metrics="skywatch.notify.metrics",
    commands={"deliveries": "skywatch.notify.command:deliveries"},
)
