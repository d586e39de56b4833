"""The retention of movements, approaches and pressures."""

from __future__ import annotations

from typing import Any

from skywatch.airports.models import AirportApproach, LocalCorrection, Movement
from skywatch.airports.settings import AirportSettings
from skywatch.core.storage.retention import Kind
from skywatch.settings import Settings

_movements: Any = Movement.__table__
_approaches: Any = AirportApproach.__table__
_corrections: Any = LocalCorrection.__table__


def _days(settings: Settings) -> float:
    return settings.of(AirportSettings).retention_movements_days


KINDS: tuple[Kind, ...] = (
    Kind(name="movements", table=_movements, column="at", days=_days),
    Kind(name="airport_approaches", table=_approaches, column="at", days=_days),
    Kind(name="airport_corrections", table=_corrections, column="at", unix=True, days=_days),
)
