"""The feature declaration of the feature feeders."""

from __future__ import annotations

from skywatch.core.feature import EventKind, Feature, Service
from skywatch.feeders.settings import FeederSettings
from skywatch.feeders.topics import SYSTEM, UUID_COPIED

FEATURE = Feature(
    name="feeders",
    title="receivers that connect to us",
    include="skywatch.feeders",
    settings=FeederSettings,
    services=(
        Service(role="tracker", create="skywatch.feeders.admission:FeederAdmission"),
        Service(role="ingest", create="skywatch.feeders.ingest.service:create"),
    ),
    events=(EventKind(name=UUID_COPIED, topic=SYSTEM, oversight="feeders.manage", may_need=("feeders.manage",)),),
    parts={
        "feeders": "Feeders: who is let in",
        "feeders_ingest": "Feeders: who is let in by an ingest process",
        "feeder_reports": "Feeders: reports of ingest processes",
        "feeder_aircraft": "Feeders: aircraft that nobody else hears",
    },
    tags={
        "feeders": "Receivers that connect to us, their owners and states.",
    },
)
