"""The declaration of the feature alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.alerts.settings import AlertSettings
from skywatch.archive.hooks import ArchivedKinds
from skywatch.core.batch import BatchJobs
from skywatch.core.feature import EventKind, Feature, Topic
from skywatch.core.hooks import AfterRename, MarkedAircraft, PartLabels, SimulatedRows, WatchedAircraft
from skywatch.notify.hooks import MqttSource, NotificationKind
from skywatch.picture.hooks import PictureMonitor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from skywatch.archive.kinds import ArchivedKind
    from skywatch.core.batch import BatchJob
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.audit import Actor
    from skywatch.core.storage.retention import Kind
    from skywatch.http.resources.schema import Schema
    from skywatch.notify.hooks import RuleSource
    from skywatch.picture.monitor import Monitor

MANAGE_ALL = "alerts.manage_all"
# The first is needed for alerts about military aircraft, the second for a fuller form.
MAY_NEED = ("aircraft.view_military", "aircraft.view_details")


def _event(name: str) -> EventKind:
    return EventKind(
        name=name,
        topic="alerts",
        content=_alert_schema,
        oversight=MANAGE_ALL,
        may_need=MAY_NEED,
        shows_rule_fields=True,
    )


def _create_monitor(runtime: Runtime) -> Monitor:
    from skywatch.alerts.monitor import create

    return create(runtime)


def _prepare() -> None:
    import skywatch.alerts.monitor  # noqa: F401


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.alerts.retention import KINDS

    return KINDS


def _archived_kinds() -> tuple[ArchivedKind, ...]:
    from skywatch.alerts.retention import ARCHIVED

    return ARCHIVED


def _batch_jobs() -> tuple[BatchJob, ...]:
    from skywatch.alerts.batch.job import JOBS

    return JOBS


def _marked_aircraft(session: Session) -> Mapping[int, set[str]]:
    from skywatch.alerts.marks import marked_aircraft

    return marked_aircraft(session)


def _watched_aircraft(session: Session, user_id: int, names: Mapping[str, tuple[str, str]]) -> set[str]:
    from skywatch.alerts.watchlists.service import watched_aircraft

    return watched_aircraft(session, user_id, names)


def _published_rules() -> RuleSource:
    from skywatch.alerts.published_rules import PublishedRules

    return PublishedRules()


def _follow_name(session: Session, actor: Actor, kind: str, before: str, after: str) -> None:
    from skywatch.alerts.rules.renames import follow_name

    follow_name(session, actor, kind, before, after)


def _alert_schema() -> type[Schema]:
    from skywatch.alerts.history.schemas import AlertHistoryRecord

    return AlertHistoryRecord


FEATURE = Feature(
    name="alerts",
    title="alerts",
    include="skywatch.alerts",
    topics=(Topic(name="alerts", permission="alerts.view", personal=True),),
    events=(_event("alert:triggered"), _event("alert:cleared"), _event("alert:acknowledged")),
    retention=_retention_kinds,
    settings=AlertSettings,
    metrics="skywatch.alerts.metrics",
    commands={"rules": "skywatch.alerts.command:rules"},
    tags={
        "alerts": "Alert rules, geofences, watch lists, notification channels and the history of alerts.",
    },
    provides=(
        PictureMonitor(_create_monitor, _prepare),
        NotificationKind(name="alert", permission="alerts.view", addressed=True),
        ArchivedKinds(_archived_kinds),
        BatchJobs(_batch_jobs),
        PartLabels(
            {
                "alerts_rules": "Alert rules",
                "alerts_turns": "Announcement of alerts",
                "alerts_writer": "Storage of alerts",
            }
        ),
        MarkedAircraft(_marked_aircraft),
        WatchedAircraft(_watched_aircraft),
        MqttSource(_published_rules),
        AfterRename(_follow_name),
        SimulatedRows(title="Alerts", rows="skywatch.alerts.models:Alert"),
    ),
)
