"""The feature declaration of overflights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.alerts.hooks import GeofenceUse
from skywatch.core.feature import Feature
from skywatch.core.hooks import PartLabels, Service
from skywatch.notify.hooks import NotificationKind
from skywatch.overflights.settings import OverflightSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind


def _create_index(runtime: Runtime) -> RunningService:
    from skywatch.overflights.indexer import create

    return create(runtime)


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.overflights.retention import KINDS

    return KINDS


def _create_reports(runtime: Runtime) -> RunningService:
    from skywatch.overflights.editions import create

    return create(runtime)


def _reports_with(session: Session, geofence_id: int) -> Sequence[str]:
    from skywatch.overflights.reports import reports_with

    return reports_with(session, geofence_id)


FEATURE = Feature(
    name="overflights",
    title="overflights",
    include="skywatch.overflights",
    settings=OverflightSettings,
    retention=_retention_kinds,
    tags={
        "overflights": "Flights over an area below a height, and reports about them.",
    },
    provides=(
        Service(role="tracker", create=_create_index),
        Service(role="worker", create=_create_reports),
        NotificationKind(name="report", permission="history.view", addressed=True),
        GeofenceUse(_reports_with),
        PartLabels({"overflights_index": "Low tracks by place", "overflights_reports": "Reports of overflights"}),
    ),
)
