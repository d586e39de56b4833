"""The feature declaration of live aircraft."""

from __future__ import annotations

from skywatch.aircraft.settings import AircraftSettings
from skywatch.core.feature import Feature, Topic

FEATURE = Feature(
    name="aircraft",
    title="live aircraft",
    include="skywatch.aircraft",
    settings=AircraftSettings,
    checks="skywatch.aircraft.checks:check",
    topics=(
        Topic(name="aircraft", permission="aircraft.view", live=True),
        Topic(name="military", permission="aircraft.view_military", live=True),
    ),
    tags={
        "aircraft": "The live air picture and the airframes in it.",
    },
)
