"""The feature declaration of ACARS messages."""

from __future__ import annotations

from skywatch.acars.settings import AcarsSettings
from skywatch.acars.topics import RECEIVED
from skywatch.core.declarations import AircraftMember
from skywatch.core.feature import EditableInputs, EventKind, Feature, InputFamily, Service, Topic
from skywatch.core.rule_fields import RuleEvents, RuleField

VIEW, VIEW_FULL = "acars.view", "acars.view_full"
MESSAGES = RuleEvents(topic=RECEIVED, singular="an ACARS message", plural="ACARS messages")

FEATURE = Feature(
    name="acars",
    title="messages",
    parts={
        "acars_writer": "Storage of ACARS messages",
        "acars_incomplete": "ACARS messages in parts",
    },
    settings=AcarsSettings,
    metrics="skywatch.acars.metrics",
    include="skywatch.acars",
    services=(Service(role="tracker", create="skywatch.acars.intake:create"),),
    inputs=(InputFamily(prefix="acars.", title="Input of ACARS messages", open="skywatch.acars.intake:open_input"),),
    editable_inputs=(
        EditableInputs(
            prefix="acars.",
            check="skywatch.acars.editable:check",
            trial="skywatch.acars.editable:try_out",
            example="udp 127.0.0.1:5550",
        ),
    ),
    topics=(Topic(name="acars", permission=VIEW),),
    events=(
        EventKind(
            name="acars:message",
            topic="acars",
            may_need=(VIEW_FULL, "aircraft.view_details", "aircraft.view_military"),
        ),
    ),
    aircraft_members=(
        AircraftMember(
            name="acars_messages",
            schema="skywatch.acars.resources.aircraft:MESSAGES",
            permissions=(VIEW,),
            values="skywatch.acars.resources.aircraft:count_messages",
        ),
    ),
    rule_fields=(
        RuleField(
            name="acars_text",
            kind="text",
            meaning="Text of an ACARS message",
            events=MESSAGES,
            member="text",
            permission=VIEW_FULL,
        ),
        RuleField(
            name="acars_label", kind="text", meaning="Label of an ACARS message", events=MESSAGES, member="label"
        ),
    ),
    retention="skywatch.acars.retention:KINDS",
    archived="skywatch.acars.retention:ARCHIVED",
    commands={"acars": "skywatch.acars.command:acars"},
    tags={
        "acars": "Messages of ACARS and its relatives over VHF, HF and satellite.",
    },
)
