"""The feature declaration of the state of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import EventKind, Feature, Topic
from skywatch.picture.hooks import PictureMonitor
from skywatch.system.settings import SystemSettings

if TYPE_CHECKING:
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind
    from skywatch.http.resources.schema import Schema
    from skywatch.picture.monitor import Monitor


def _create_monitor(runtime: Runtime) -> Monitor:
    from skywatch.system.monitor import create

    return create(runtime)


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.system.retention import KINDS

    return KINDS


def _status_schema() -> type[Schema]:
    from skywatch.system.schemas import SystemStatus

    return SystemStatus


FEATURE = Feature(
    name="system",
    include="skywatch.system",
    settings=SystemSettings,
    retention=_retention_kinds,
    # Each status replaces the one before: those of five minutes.
    topics=(Topic(name="system", permission="system.view_status", personal=True, kept=30),),
    events=(
        EventKind(
            name="system:status",
            topic="system",
            content=_status_schema,
            may_need=("aircraft.view_military", "system.manage"),
        ),
    ),
    tags={
        "system": "Health, status, receivers, inputs, retention, metrics and the audit log.",
    },
    commands={"simulated": "skywatch.system.command:simulated"},
    provides=(PictureMonitor(_create_monitor),),
)
