"""The feature declaration of airports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.airports.settings import AirportSettings
from skywatch.core.feature import EventKind, Feature
from skywatch.core.hooks import PartLabels, SimulatedRows
from skywatch.core.rule_fields import RuleEvents, RuleField
from skywatch.picture.hooks import PictureMonitor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind
    from skywatch.http.resources.schema import Schema
    from skywatch.picture.monitor import Monitor
    from skywatch.security.visibility import Visibility


def _past_movements(session: Session, begin: float, end: float, visibility: Visibility) -> Sequence[bytes]:
    from skywatch.airports.storage import past_events

    return past_events(session, begin, end, visibility)


# What rules are tested on; ``storage`` publishes it.
MOVEMENTS = RuleEvents(
    topic="airport_movements", singular="a movement at an airport", plural="movements at airports", past=_past_movements
)


def _create_monitor(runtime: Runtime) -> Monitor:
    from skywatch.airports.monitor import create

    return create(runtime)


def _prepare() -> None:
    import skywatch.airports.monitor  # noqa: F401
    from skywatch.airports.lines import lines

    lines()


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.airports.retention import KINDS

    return KINDS


def _movement_schema() -> type[Schema]:
    from skywatch.airports.schemas import MovementRecord

    return MovementRecord


def _ident_fault(value: str) -> str | None:
    from skywatch.airports.directory import ident_fault

    return ident_fault(value)


FEATURE = Feature(
    name="airports",
    title="airports",
    include="skywatch.airports",
    settings=AirportSettings,
    events=(
        EventKind(
            name="airport:movement",
            topic="aircraft",
            content=_movement_schema,
            may_need=("aircraft.view_details", "aircraft.view_military"),
        ),
    ),
    retention=_retention_kinds,
    tags={
        "airports": "Airports, their runways, and their boards.",
    },
    provides=(
        PictureMonitor(_create_monitor, _prepare),
        PartLabels({"airports_writer": "Storage of movements", "airports_movements": "Movements at airports"}),
        RuleField(
            name="lands_at",
            kind="text",
            meaning="Ident of the airport where it has just landed, or touched and gone",
            events=MOVEMENTS,
            member="lands_at",
            ops=("eq", "in"),
            value_fault=_ident_fault,
        ),
        RuleField(
            name="takes_off_from",
            kind="text",
            meaning="Ident of the airport from which it has just taken off, or touched and gone",
            events=MOVEMENTS,
            member="takes_off_from",
            ops=("eq", "in"),
            value_fault=_ident_fault,
        ),
        SimulatedRows(title="Landings and take-offs", rows="skywatch.airports.models:Movement"),
        SimulatedRows(title="Approaches", rows="skywatch.airports.models:AirportApproach"),
    ),
)
