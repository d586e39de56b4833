"""The feature declaration of live aircraft."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.aircraft.settings import AircraftSettings
from skywatch.core.feature import Feature, Topic
from skywatch.core.hooks import DoctorCheck

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skywatch.core.terminal.checks import Finding, Inspection


def _check(inspection: Inspection) -> Iterator[Finding]:
    from skywatch.aircraft.checks import check

    return check(inspection)


FEATURE = Feature(
    name="aircraft",
    title="live aircraft",
    include="skywatch.aircraft",
    settings=AircraftSettings,
    topics=(
        Topic(name="aircraft", permission="aircraft.view", live=True),
        Topic(name="military", permission="aircraft.view_military", live=True),
    ),
    tags={
        "aircraft": "The live air picture and the airframes in it.",
    },
    provides=(DoctorCheck(_check),),
)
