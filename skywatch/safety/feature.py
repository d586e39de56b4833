"""The feature declaration of safety events."""

from __future__ import annotations

from skywatch.core.feature import EventKind, Feature, NotificationKind, Topic
from skywatch.safety.settings import SafetySettings

# An event with a military aircraft in it is delivered only to those who may see such aircraft.
MILITARY = ("aircraft.view_military",)

FEATURE = Feature(
    name="safety",
    title="safety",
    parts={
        "safety_writer": "Storage of safety events",
        "safety_thresholds": "Safety thresholds",
        "safety_places": "Places of safety events",
        "safety_regions": "Disturbed areas",
    },
    settings=SafetySettings,
    metrics="skywatch.safety.metrics",
    include="skywatch.safety",
    monitor="skywatch.safety.monitor:create",
    topics=(Topic(name="safety", permission="safety.view"),),
    notifications=(NotificationKind(name="safety", permission="safety.view"),),
    events=(
        EventKind(name="safety:event", topic="safety", may_need=MILITARY),
        EventKind(name="safety:event_updated", topic="safety", may_need=MILITARY),
        EventKind(name="safety:event_resolved", topic="safety", may_need=MILITARY),
    ),
    retention="skywatch.safety.retention:KINDS",
    archived="skywatch.safety.retention:ARCHIVED",
    batch="skywatch.safety.batch.jobs:JOBS",
    commands={"safety": "skywatch.safety.command:safety"},
    tags={
        "safety": "Safety events and regions of disturbed navigation signals.",
    },
)
