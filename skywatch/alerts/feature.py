"""The declaration of the feature alerts."""

from __future__ import annotations

from skywatch.alerts.settings import AlertSettings
from skywatch.core.feature import EventKind, Feature, NotificationKind, Topic

MANAGE_ALL = "alerts.manage_all"
# The first is needed for alerts about military aircraft, the second for a fuller form.
MAY_NEED = ("aircraft.view_military", "aircraft.view_details")


def _event(name: str) -> EventKind:
    return EventKind(name=name, topic="alerts", oversight=MANAGE_ALL, may_need=MAY_NEED, shows_rule_fields=True)


FEATURE = Feature(
    name="alerts",
    title="alerts",
    include="skywatch.alerts",
    monitor="skywatch.alerts.monitor:create",
    topics=(Topic(name="alerts", permission="alerts.view", personal=True),),
    notifications=(NotificationKind(name="alert", permission="alerts.view", addressed=True),),
    events=(_event("alert:triggered"), _event("alert:cleared"), _event("alert:acknowledged")),
    retention="skywatch.alerts.retention:KINDS",
    archived="skywatch.alerts.retention:ARCHIVED",
    batch="skywatch.alerts.batch.job:JOBS",
    parts={
        "alerts_rules": "Alert rules",
        "alerts_writer": "Storage of alerts",
    },
    settings=AlertSettings,
    marks="skywatch.alerts.marks:marked_aircraft",
    mqtt="skywatch.alerts.publishing:PublishedRules",
    renamed="skywatch.alerts.rules.renaming:follow_name",
    commands={"rules": "skywatch.alerts.command:rules"},
    tags={
        "alerts": "Alert rules, geofences, watch lists, notification channels and the history of alerts.",
    },
)
