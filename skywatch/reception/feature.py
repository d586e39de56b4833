"""The feature declaration of the quality of reception."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import Feature
from skywatch.core.hooks import AircraftMember, PartLabels, Service, SimulatedRows
from skywatch.core.rule_fields import RuleField, RuleState
from skywatch.feeders.names import FEEDER
from skywatch.picture.hooks import PictureMonitor
from skywatch.reception.settings import ReceptionSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Set
    from typing import Any

    from colander import SchemaNode
    from sqlalchemy.orm import Session

    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind
    from skywatch.picture.monitor import Monitor
    from skywatch.security.visibility import Visibility


def _hearers_node() -> SchemaNode:
    from skywatch.reception.hearers.member import HEARD_BY

    return HEARD_BY


def _hearers(runtime: Runtime, session: Session, addresses: Set[str], visibility: Visibility) -> Mapping[str, Any]:
    from skywatch.reception.hearers.member import heard_by

    return heard_by(runtime, session, addresses, visibility)


def _silence_fault(
    runtime: Runtime, session: Session, value: str, user_id: int | None, manages_all: bool
) -> str | None:
    from skywatch.reception.silence import fault

    return fault(runtime, session, value, user_id, manages_all=manages_all)


def _silence_test(runtime: Runtime) -> Callable[[str, int, bool], bool | None]:
    from skywatch.reception.silence import holds

    return holds(runtime)


def _create_service(runtime: Runtime) -> RunningService:
    from skywatch.reception.hearers.hearers import HearerService

    return HearerService(runtime)


def _create_monitor(runtime: Runtime) -> Monitor:
    from skywatch.reception.monitor import create

    return create(runtime)


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.reception.retention import KINDS

    return KINDS


FEATURE = Feature(
    name="reception",
    include="skywatch.reception",
    settings=ReceptionSettings,
    retention=_retention_kinds,
    provides=(
        AircraftMember(
            name="heard_by", schema=_hearers_node, permissions=("system.view_status", "feeders.view"), values=_hearers
        ),
        RuleField(
            name="receiver_silent",
            kind="text",
            meaning="Receiver or feeder without a message for receiver_silent_s; alone in its rule",
            state=RuleState(fault=_silence_fault, holds=_silence_test, kind=FEEDER),
        ),
        Service(role="tracker", create=_create_service),
        PictureMonitor(_create_monitor),
        PartLabels(
            {
                "quality_connections": "Connections of receivers and feeders",
                "quality_writer": "Storage of the quality of reception",
                "quality_places": "Places of feeders, from which ranges are measured",
            }
        ),
        SimulatedRows(title="Hours of reception", rows="skywatch.reception.models:ReceiverQuality"),
        SimulatedRows(title="Connections of receivers", rows="skywatch.reception.models:ReceiverConnection"),
    ),
)
