"""The declaration of the feature alerts."""

from __future__ import annotations

from skywatch.alerts.settings import AlertSettings
from skywatch.core.feature import EventKind, Feature, NotificationKind, Topic

MANAGE_ALL = "alerts.manage_all"
# The first is needed for alerts about military aircraft, the others for fuller forms.
MAY_NEED = ("aircraft.view_military", "aircraft.view_details", "acars.view_full")

FEATURE = Feature(
    name="alerts",
    title="alerts",
    include="skywatch.alerts",
    monitor="skywatch.alerts.monitor:create",
    topics=(Topic(name="alerts", permission="alerts.view", personal=True),),
    notifications=(NotificationKind(name="alert", permission="alerts.view", addressed=True),),
    events=(
        EventKind(name="alert:triggered", topic="alerts", oversight=MANAGE_ALL, may_need=MAY_NEED),
        EventKind(name="alert:cleared", topic="alerts", oversight=MANAGE_ALL, may_need=MAY_NEED),
        EventKind(name="alert:acknowledged", topic="alerts", oversight=MANAGE_ALL, may_need=MAY_NEED),
    ),
    retention="skywatch.alerts.retention:KINDS",
    settings=AlertSettings,
    marks="skywatch.alerts.marks:marked_aircraft",
    mqtt="skywatch.alerts.publishing:PublishedRules",
    commands={"rules": "skywatch.alerts.command:rules"},
    tags={
        "alerts": "Alert rules, geofences, watch lists, notification channels and the history of alerts.",
    },
)
