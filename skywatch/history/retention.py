"""The retention of history: tracks are removed on their own, flights never before the tracks that refer to them."""

from __future__ import annotations

from typing import Any

from skywatch.core.storing.retention import Kind
from skywatch.history.models import Chunk, Flight
from skywatch.history.settings import HistorySettings
from skywatch.settings import Settings

_chunks: Any = Chunk.__table__
_flights: Any = Flight.__table__


def _flight_days(settings: Settings) -> float:
    days = settings.of(HistorySettings).retention_flights_days, settings.of(HistorySettings).retention_positions_days
    return max(days) if all(days) else 0.0


KINDS: tuple[Kind, ...] = (
    Kind(
        name="positions",
        table=_chunks,
        column="slice_at",
        unix=True,
        days=lambda settings: settings.of(HistorySettings).retention_positions_days,
        megabytes=lambda settings: settings.of(HistorySettings).retention_positions_mb,
        yields=True,
    ),
    Kind(
        name="flights",
        table=_flights,
        column="first_seen_at",
        days=_flight_days,
        megabytes=lambda settings: settings.of(HistorySettings).retention_flights_mb,
        only=_flights.c.active.is_(False),
    ),
)
