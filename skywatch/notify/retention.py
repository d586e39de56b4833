"""Retention of deliveries: only delivered and dead ones are deleted; those of one user have a greatest number."""

from __future__ import annotations

from typing import Any

from skywatch.core.storage.retention import Kind
from skywatch.notify.models import Delivery
from skywatch.notify.settings import NotifySettings
from skywatch.notify.vocabulary import DeliveryState

# Delivered and dead ones of one user; an alert has one for each of up to 20 channels.
MAX_OF_USER = 50_000
_deliveries: Any = Delivery.__table__

KINDS: tuple[Kind, ...] = (
    Kind(
        name="deliveries",
        table=_deliveries,
        column="created_at",
        days=lambda settings: settings.of(NotifySettings).retention_deliveries_days,
        megabytes=lambda settings: settings.of(NotifySettings).retention_deliveries_mb,
        only=_deliveries.c.state.in_((DeliveryState.DELIVERED.value, DeliveryState.DEAD.value)),
        owner_column="user_id",
        most_of_owner=MAX_OF_USER,
    ),
)
