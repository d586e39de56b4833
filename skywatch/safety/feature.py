"""The feature declaration of safety events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.archive.hooks import ArchivedKinds
from skywatch.core.batch import BatchJobs
from skywatch.core.feature import EventKind, Feature, Topic
from skywatch.core.hooks import PartLabels, SimulatedRows
from skywatch.notify.hooks import NotificationKind
from skywatch.picture.hooks import PictureMonitor
from skywatch.safety.settings import SafetySettings

if TYPE_CHECKING:
    from skywatch.archive.kinds import ArchivedKind
    from skywatch.core.batch import BatchJob
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind
    from skywatch.http.resources.schema import Schema
    from skywatch.picture.monitor import Monitor

# An event with a military aircraft in it is delivered only to those who may see such aircraft.
MILITARY = ("aircraft.view_military",)


def _create_monitor(runtime: Runtime) -> Monitor:
    from skywatch.safety.monitor import create

    return create(runtime)


def _prepare() -> None:
    import skywatch.safety.monitor  # noqa: F401


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.safety.retention import KINDS

    return KINDS


def _archived_kinds() -> tuple[ArchivedKind, ...]:
    from skywatch.safety.retention import ARCHIVED

    return ARCHIVED


def _batch_jobs() -> tuple[BatchJob, ...]:
    from skywatch.safety.batch.jobs import JOBS

    return JOBS


def _event_schema() -> type[Schema]:
    from skywatch.safety.schemas import SafetyEventRecord

    return SafetyEventRecord


FEATURE = Feature(
    name="safety",
    title="safety",
    settings=SafetySettings,
    metrics="skywatch.safety.metrics",
    include="skywatch.safety",
    topics=(Topic(name="safety", permission="safety.view"),),
    events=(
        EventKind(name="safety:event", topic="safety", content=_event_schema, may_need=MILITARY),
        EventKind(name="safety:event_updated", topic="safety", content=_event_schema, may_need=MILITARY),
        EventKind(name="safety:event_resolved", topic="safety", content=_event_schema, may_need=MILITARY),
    ),
    retention=_retention_kinds,
    commands={"safety": "skywatch.safety.command:safety"},
    tags={
        "safety": "Safety events and regions of disturbed navigation signals.",
    },
    provides=(
        PartLabels(
            {
                "safety_writer": "Storage of safety events",
                "safety_thresholds": "Safety thresholds",
                "safety_places": "Places of safety events",
                "safety_regions": "Disturbed areas",
            }
        ),
        PictureMonitor(_create_monitor, _prepare),
        NotificationKind(name="safety", permission="safety.view"),
        ArchivedKinds(_archived_kinds),
        BatchJobs(_batch_jobs),
        SimulatedRows(title="Safety events", rows="skywatch.safety.models:SafetyEvent"),
        SimulatedRows(title="Regions of disturbed navigation signals", rows="skywatch.safety.models:SafetyRegion"),
        SimulatedRows(title="Learnt places", rows="skywatch.safety.models:SafetyPlace"),
    ),
)
