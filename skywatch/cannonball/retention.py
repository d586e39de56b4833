"""Retention of ended sessions, alerts and patterns.

Alerts are deleted before their sessions, so that deleting a session with many alerts takes no long step. The list of
known aircraft is maintained by people and has no retention.
"""

from __future__ import annotations

from typing import Any

from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern
from skywatch.cannonball.settings import CannonballSettings
from skywatch.core.storage.retention import Kind
from skywatch.settings import Settings

_alerts: Any = CannonballAlert.__table__
_patterns: Any = FlightPattern.__table__
_sessions: Any = CannonballSession.__table__


def _days(settings: Settings) -> float:
    return settings.of(CannonballSettings).retention_cannonball_days


def _megabytes(settings: Settings) -> float:
    return settings.of(CannonballSettings).retention_cannonball_mb


KINDS: tuple[Kind, ...] = (
    Kind(name="cannonball_alerts", table=_alerts, column="created_at", days=_days, megabytes=_megabytes),
    Kind(
        name="cannonball_patterns",
        table=_patterns,
        column="ended_at",
        begin_column="started_at",
        days=_days,
        megabytes=_megabytes,
        only=_patterns.c.ended_at.is_not(None),
    ),
    Kind(
        name="cannonball_sessions",
        table=_sessions,
        column="started_at",
        days=_days,
        megabytes=_megabytes,
        only=_sessions.c.is_active.is_(False),
    ),
)
