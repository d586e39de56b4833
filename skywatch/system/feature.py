"""The feature declaration of the state of the service."""

from __future__ import annotations

from skywatch.core.feature import EventKind, Feature, Topic
from skywatch.system.settings import SystemSettings

FEATURE = Feature(
    name="system",
    include="skywatch.system",
    settings=SystemSettings,
    retention="skywatch.system.retention:KINDS",
    monitor="skywatch.system.monitor:create",
    # Each status replaces the one before: those of five minutes.
    topics=(Topic(name="system", permission="system.view_status", personal=True, kept=30),),
    events=(EventKind(name="system:status", topic="system", may_need=("aircraft.view_military", "system.manage")),),
    tags={
        "system": "Health, status, receivers, inputs, retention, metrics and the audit log.",
    },
)
