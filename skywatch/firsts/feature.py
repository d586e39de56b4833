"""The feature declaration of firsts and records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import Feature
from skywatch.core.hooks import AircraftMember, PartLabels, Service, SimulatedRows
from skywatch.core.rule_fields import RuleField
from skywatch.notify.hooks import NotificationKind
from skywatch.picture.hooks import GivenAircraft, PictureMonitor

if TYPE_CHECKING:
    from collections.abc import Mapping, Set
    from typing import Any

    from colander import SchemaNode
    from sqlalchemy.orm import Session

    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.picture.monitor import Monitor
    from skywatch.picture.state.sky import Sky
    from skywatch.security.visibility import Visibility


def _create_worker(runtime: Runtime) -> RunningService:
    from skywatch.firsts.worker import create

    return create(runtime)


def _create_monitor(runtime: Runtime) -> Monitor | None:
    from skywatch.firsts.monitor import create

    return create(runtime)


def _complete(session: Session, sky: Sky, visibility: Visibility) -> None:
    from skywatch.firsts.monitor import complete

    complete(session, sky, visibility)


def _visits_node() -> SchemaNode:
    from skywatch.firsts.schemas import VISITS

    return VISITS


def _count_visits(runtime: Runtime, session: Session, addresses: Set[str], visibility: Visibility) -> Mapping[str, Any]:
    from skywatch.firsts.service import count_visits

    return count_visits(runtime, session, addresses, visibility)


FEATURE = Feature(
    name="firsts",
    title="firsts and records",
    include="skywatch.firsts",
    tags={"firsts": "What was seen for the first time, records, and the journal of each day."},
    commands={"firsts": "skywatch.firsts.command:firsts"},
    provides=(
        Service(role="worker", create=_create_worker),
        PictureMonitor(_create_monitor),
        GivenAircraft(_complete),
        PartLabels(
            {"firsts": "Counting of firsts and records", "firsts_visits": "Look-up of when aircraft were seen before"}
        ),
        RuleField(
            name="seen_before_days",
            kind="number",
            meaning="Days between the flight before and this one; null where it was never seen",
            column="seen_before_days",
            permission="history.view",
            ops=("eq", "ne", "lt", "le", "gt", "ge", "in", "is_null"),
        ),
        AircraftMember(name="visits", schema=_visits_node, permissions=("history.view",), values=_count_visits),
        NotificationKind(name="firsts", permission="history.view"),
        SimulatedRows(title="Sightings", rows="skywatch.firsts.models:Sighting"),
        SimulatedRows(title="Daily records", rows="skywatch.firsts.models:DayRecord"),
        # Of each day there is a row with simulated aircraft, whether any flew or not.
        SimulatedRows(title="", rows="skywatch.firsts.models:CountedDay"),
    ),
)
