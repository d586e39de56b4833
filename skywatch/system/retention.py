"""The retention of the system feature."""

from __future__ import annotations

from typing import Any

from skywatch.core.storage.retention import Kind
from skywatch.system.models import HealthChange
from skywatch.system.settings import SystemSettings

_changes: Any = HealthChange.__table__

KINDS: tuple[Kind, ...] = (
    Kind(
        name="health",
        table=_changes,
        column="at",
        days=lambda settings: settings.of(SystemSettings).retention_health_days,
        megabytes=lambda settings: settings.of(SystemSettings).retention_health_mb,
    ),
)
