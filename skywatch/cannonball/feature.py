"""The declaration of the feature cannonball."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.cannonball.settings import CannonballSettings
from skywatch.core.feature import EventKind, Feature
from skywatch.core.hooks import AddressList, PartLabels, SimulatedRows
from skywatch.notify.hooks import NotificationKind
from skywatch.picture.hooks import PictureMonitor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from skywatch.core.feature import WrittenEvent
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind
    from skywatch.http.resources.schema import Schema
    from skywatch.picture.monitor import Monitor

VIEW, MANAGE, MILITARY = "cannonball.view", "cannonball.manage", "aircraft.view_military"


def _create_monitor(runtime: Runtime) -> Monitor:
    from skywatch.cannonball.monitor import create

    return create(runtime)


def _prepare() -> None:
    import skywatch.cannonball.monitor  # noqa: F401


def _record_written(session: Session, events: Sequence[WrittenEvent]) -> None:
    from skywatch.cannonball.sessions.notifications import written

    written(session, events)


def _record_delivered(session: Session, channel_kind: str, alert_ids: Sequence[int]) -> None:
    from skywatch.cannonball.sessions.notifications import delivered

    delivered(session, channel_kind, alert_ids)


def _list_revision(session: Session) -> int:
    from skywatch.cannonball.known.revision import current_revision

    return current_revision(session)


def _police_addresses(session: Session) -> Sequence[str]:
    from skywatch.cannonball.known.addresses import police_addresses

    return police_addresses(session)


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.cannonball.retention import KINDS

    return KINDS


def _alert_schema() -> type[Schema]:
    from skywatch.cannonball.sessions.schemas import AlertRecord

    return AlertRecord


def _session_schema() -> type[Schema]:
    from skywatch.cannonball.sessions.schemas import SessionRecord

    return SessionRecord


FEATURE = Feature(
    name="cannonball",
    settings=CannonballSettings,
    include="skywatch.cannonball",
    events=(
        EventKind(
            name="cannonball:alert",
            topic="alerts",
            content=_alert_schema,
            needs=(VIEW,),
            oversight=MANAGE,
            may_need=(MILITARY,),
            written=_record_written,
        ),
        EventKind(
            name="cannonball:session",
            topic="alerts",
            content=_session_schema,
            needs=(VIEW,),
            oversight=MANAGE,
            may_need=(MILITARY,),
        ),
    ),
    retention=_retention_kinds,
    commands={"known-aircraft": "skywatch.cannonball.command:known_aircraft"},
    tags={
        "cannonball": "Law-enforcement aircraft near the caller: location, sessions, alerts and known aircraft.",
    },
    provides=(
        PictureMonitor(_create_monitor, _prepare),
        NotificationKind(name="cannonball", permission=VIEW, delivered=_record_delivered),
        AddressList(name="police", revision=_list_revision, addresses=_police_addresses),
        PartLabels(
            {
                "cannonball_writer": "Storage of Cannonball",
                "cannonball_list": "List of known aircraft",
                "cannonball_locations": "Positions of Cannonball users",
                "cannonball_detections": "Detections of known aircraft",
            }
        ),
        SimulatedRows(title="Cannonball alerts", rows="skywatch.cannonball.models:CannonballAlert"),
        SimulatedRows(title="Cannonball sessions", rows="skywatch.cannonball.models:CannonballSession"),
        SimulatedRows(title="Flight patterns", rows="skywatch.cannonball.models:FlightPattern"),
    ),
)
