"""Retention of deliveries: only delivered and dead ones are deleted."""

from __future__ import annotations

from typing import Any

from skywatch.core.storing.retention import Kind
from skywatch.notify.models import Delivery
from skywatch.notify.settings import NotifySettings
from skywatch.notify.vocabulary import DeliveryState

_deliveries: Any = Delivery.__table__

KINDS: tuple[Kind, ...] = (
    Kind(
        name="deliveries",
        table=_deliveries,
        column="created_at",
        days=lambda settings: settings.of(NotifySettings).retention_deliveries_days,
        megabytes=lambda settings: settings.of(NotifySettings).retention_deliveries_mb,
        only=_deliveries.c.state.in_((DeliveryState.DELIVERED.value, DeliveryState.DEAD.value)),
    ),
)
