"""The feature declaration of the quality of reception."""

from __future__ import annotations

from skywatch.core.declarations import AircraftMember
from skywatch.core.feature import Feature, Service
from skywatch.core.rule_fields import RuleField, RuleState
from skywatch.feeders.naming import FEEDER
from skywatch.reception.settings import ReceptionSettings

FEATURE = Feature(
    name="reception",
    include="skywatch.reception",
    settings=ReceptionSettings,
    aircraft_members=(
        AircraftMember(
            name="heard_by",
            schema="skywatch.reception.hearing.member:HEARD_BY",
            permissions=("system.view_status", "feeders.view"),
            values="skywatch.reception.hearing.member:heard_by",
        ),
    ),
    rule_fields=(
        RuleField(
            name="receiver_silent",
            kind="text",
            meaning="Receiver or feeder without a message for receiver_silent_s; alone in its rule",
            state=RuleState(
                fault="skywatch.reception.silence:fault", holds="skywatch.reception.silence:holds", kind=FEEDER
            ),
        ),
    ),
    services=(Service(role="tracker", create="skywatch.reception.hearing.hearers:HearerService"),),
    monitor="skywatch.reception.monitor:create",
    retention="skywatch.reception.retention:KINDS",
    parts={
        "quality_connections": "Connections of receivers and feeders",
        "quality_writer": "Storage of the quality of reception",
        "quality_places": "Places of feeders, from which ranges are measured",
    },
)
