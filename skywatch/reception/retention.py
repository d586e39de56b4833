"""The retention of the quality of reception."""

from __future__ import annotations

from typing import Any

from skywatch.core.storage.retention import Kind
from skywatch.reception.models import ReceiverConnection, ReceiverQuality
from skywatch.reception.settings import ReceptionSettings

_rows: Any = ReceiverQuality.__table__
_connections: Any = ReceiverConnection.__table__

KINDS: tuple[Kind, ...] = (
    Kind(
        name="quality",
        table=_rows,
        column="at",
        days=lambda settings: settings.of(ReceptionSettings).retention_quality_days,
    ),
    Kind(
        name="quality_connections",
        table=_connections,
        column="until",
        begin_column="since",
        days=lambda settings: settings.of(ReceptionSettings).retention_quality_days,
    ),
)
