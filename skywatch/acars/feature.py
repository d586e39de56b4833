"""The feature declaration of ACARS messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.acars.settings import AcarsSettings
from skywatch.acars.topics import RECEIVED
from skywatch.archive.hooks import ArchivedKinds
from skywatch.core.feature import EventKind, Feature, Topic
from skywatch.core.hooks import AircraftMember, EditableInputs, InputFamily, PartLabels, Service
from skywatch.core.rule_fields import RuleEvents, RuleField

if TYPE_CHECKING:
    from collections.abc import Mapping, Set
    from typing import Any

    from colander import SchemaNode
    from sqlalchemy.orm import Session

    from skywatch.archive.kinds import ArchivedKind
    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind
    from skywatch.http.resources.schema import Schema
    from skywatch.inputs.base import Input
    from skywatch.inputs.trial import Trial
    from skywatch.security.visibility import Visibility

VIEW, VIEW_FULL = "acars.view", "acars.view_full"
MESSAGES = RuleEvents(topic=RECEIVED, singular="an ACARS message", plural="ACARS messages")


def _create_service(runtime: Runtime) -> RunningService:
    from skywatch.acars.intake import create

    return create(runtime)


def _open_input(runtime: Runtime, name: str, text: str) -> Input:
    from skywatch.acars.intake import open_input

    return open_input(runtime, name, text)


def _check_input(name: str, text: str) -> None:
    from skywatch.acars.editable import check

    check(name, text)


async def _try_input(name: str, text: str, station: tuple[float, float] | None, within_s: float) -> Trial:
    from skywatch.acars.editable import try_out

    return await try_out(name, text, station, within_s)


def _messages_node() -> SchemaNode:
    from skywatch.acars.resources.aircraft import MESSAGES

    return MESSAGES


def _count_messages(
    runtime: Runtime, session: Session, addresses: Set[str], visibility: Visibility
) -> Mapping[str, Any]:
    from skywatch.acars.resources.aircraft import count_messages

    return count_messages(runtime, session, addresses, visibility)


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.acars.retention import KINDS

    return KINDS


def _archived_kinds() -> tuple[ArchivedKind, ...]:
    from skywatch.acars.retention import ARCHIVED

    return ARCHIVED


def _message_schema() -> type[Schema]:
    from skywatch.acars.resources.schemas import AcarsRecord

    return AcarsRecord


FEATURE = Feature(
    name="acars",
    title="messages",
    settings=AcarsSettings,
    metrics="skywatch.acars.metrics",
    include="skywatch.acars",
    topics=(Topic(name="acars", permission=VIEW),),
    events=(
        EventKind(
            name="acars:message",
            topic="acars",
            content=_message_schema,
            may_need=(VIEW_FULL, "aircraft.view_details", "aircraft.view_military"),
        ),
    ),
    retention=_retention_kinds,
    commands={"acars": "skywatch.acars.command:acars"},
    tags={
        "acars": "Messages of ACARS and its relatives over VHF, HF and satellite.",
    },
    provides=(
        PartLabels({"acars_writer": "Storage of ACARS messages", "acars_incomplete": "ACARS messages in parts"}),
        Service(role="tracker", create=_create_service),
        InputFamily(
            prefix="acars.",
            title="Input of ACARS messages",
            open=_open_input,
            editable=EditableInputs(check=_check_input, trial=_try_input, example="tcp localhost:15550"),
        ),
        AircraftMember(name="acars_messages", schema=_messages_node, permissions=(VIEW,), values=_count_messages),
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
        ArchivedKinds(_archived_kinds),
    ),
)
