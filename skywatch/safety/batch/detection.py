"""The detectors over a past day: proximity, vertical rates and low altitude.

History has positions, speed, track, altitude and what is known of an aircraft. It has no messages: advisories,
emergency codes as they were sent, integrity and the source of positions are not judged. Floors and runways are those
of the day itself, learnt before it is judged, so that a day's events depend on that day alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from skywatch.core.batch import PastDay
from skywatch.picture.state.sky import Sky
from skywatch.safety.detection.aggregation import Aggregation
from skywatch.safety.detection.conflicts.encounters import ProximityDetector
from skywatch.safety.detection.finding import Finding, marked_simulated
from skywatch.safety.detection.frame import Frame
from skywatch.safety.detection.learnt_places import Learner
from skywatch.safety.detection.low import LowAltitudeDetector
from skywatch.safety.detection.vertical import VerticalDetector
from skywatch.safety.events.tracker import EventTracker, LiveEvent
from skywatch.safety.thresholds.thresholds import Thresholds

# Time between two pictures: a pair that is not raised starts again after 3 s.
STEP_S = 2.0
# An airliner takes longer than this through a cell and along a runway.
LEARN_STEP_S = 10.0
# The detectors begin so long before the day: what holds at midnight began before, and companions are known.
WARM_UP_S = 900.0
# What began on the day is followed for so long into the next one.
BEYOND_S = 3_600.0
NOBODY: frozenset[str] = frozenset()


class PastDetectors:
    """The detectors of what stored positions are enough for."""

    def __init__(self, learner: Learner | None) -> None:
        aggregation = Aggregation()
        self._aggregation = aggregation
        self._proximity = ProximityDetector(aggregation)
        self._vertical = VerticalDetector() if learner is not None else None
        self._low = LowAltitudeDetector(learner) if learner is not None else None

    def update(self, sky: Sky, thresholds: Thresholds) -> list[Finding]:
        """The findings of a picture."""
        frame = Frame(sky)
        findings: list[Finding] = []
        if self._vertical is not None and self._low is not None:
            findings = self._vertical.update(frame, thresholds) + self._low.update(frame, thresholds)
        findings = self._aggregation.apply(findings, frame.now, thresholds)
        return marked_simulated(findings + self._proximity.update(frame, thresholds, NOBODY), sky)


def learn(day: PastDay) -> Learner:
    """The floors and runways of a day."""
    learner = Learner()
    for sky in day.skies(day.begin, day.end - LEARN_STEP_S, LEARN_STEP_S):
        learner.update(Frame(sky))
    return learner


def events_of(day: PastDay, thresholds: Thresholds, *, proximity_only: bool = False) -> list[LiveEvent]:
    """The events that began on the day, in order of their begin; those still active an hour after it end there."""
    learner = None if proximity_only else learn(day)
    detectors, tracker = PastDetectors(learner), EventTracker()
    events: list[LiveEvent] = []
    for sky in _skies(day, tracker):
        for change in tracker.update(detectors.update(sky, thresholds), sky.now, thresholds):
            if change.step == "ended":
                events.append(change.event)
    events += tracker.active
    of_day = [event for event in events if day.begin <= event.began_at < day.end]
    return sorted(of_day, key=lambda event: (event.began_at, event.finding.type, event.finding.key))


def _skies(day: PastDay, tracker: EventTracker) -> Iterator[Sky]:
    """The pictures from a little before the day, until nothing that began on it is active."""
    for sky in day.skies(day.begin - WARM_UP_S, day.end + BEYOND_S, STEP_S):
        if sky.now >= day.end and not any(day.begin <= event.began_at < day.end for event in tracker.active):
            return
        yield sky


def thresholds_of(options: bytes) -> Thresholds:
    """The thresholds in the options of a job."""
    return Thresholds(**msgspec.json.decode(options)) if options else Thresholds()
