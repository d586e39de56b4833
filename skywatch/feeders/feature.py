"""The feature declaration of the feature feeders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import EventKind, Feature
from skywatch.core.hooks import PartLabels, Service
from skywatch.feeders.settings import FeederSettings
from skywatch.feeders.topics import SYSTEM, UUID_COPIED
from skywatch.receivers.feeder_streams.hooks import FeederRecords

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.http.resources.schema import Schema
    from skywatch.receivers.feeder_streams.feeder import KnownFeeder


def _create_admission(runtime: Runtime) -> RunningService:
    from skywatch.feeders.admission import FeederAdmission

    return FeederAdmission(runtime)


def _create_ingest(runtime: Runtime) -> RunningService:
    from skywatch.feeders.ingest.service import create

    return create(runtime)


def _read_records(session: Session, keys: Collection[str] | None) -> list[KnownFeeder]:
    from skywatch.feeders.models import known

    return known(session, keys)


def _copied_schema() -> type[Schema]:
    from skywatch.feeders.records.schemas import CopiedUuid

    return CopiedUuid


FEATURE = Feature(
    name="feeders",
    title="receivers that connect to us",
    include="skywatch.feeders",
    settings=FeederSettings,
    events=(
        EventKind(
            name=UUID_COPIED,
            topic=SYSTEM,
            content=_copied_schema,
            oversight="feeders.manage",
            may_need=("feeders.manage",),
        ),
    ),
    tags={
        "feeders": "Receivers that connect to us, their owners and states.",
    },
    provides=(
        Service(role="tracker", create=_create_admission),
        Service(role="ingest", create=_create_ingest),
        FeederRecords(_read_records),
        PartLabels(
            {
                "feeders": "Feeders: who is let in",
                "feeders_ingest": "Feeders: who is let in by an ingest process",
                "feeder_reports": "Feeders: reports of ingest processes",
                "feeder_aircraft": "Feeders: aircraft that nobody else hears",
            }
        ),
    ),
)
