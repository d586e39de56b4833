"""What ACARS messages are made of."""

from __future__ import annotations

from skywatch.acars.settings import AcarsSettings
from skywatch.core.feature import EditableInputs, EventKind, Feature, InputFamily, Service, Topic

FEATURE = Feature(
    name="acars",
    title="messages",
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
    topics=(Topic(name="acars", permission="acars.view"),),
    events=(
        EventKind(
            name="acars:message",
            topic="acars",
            may_need=("acars.view_full", "aircraft.view_details", "aircraft.view_military"),
        ),
    ),
    retention="skywatch.acars.retention:KINDS",
    commands={"acars": "skywatch.acars.command:acars"},
    tags={
        "acars": "Messages of ACARS and its relatives over VHF, HF and satellite.",
    },
)
