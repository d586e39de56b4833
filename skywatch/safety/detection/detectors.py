"""``Detectors``: runs all detectors on one tick, in the order of their dependencies."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from skywatch.picture.state.sky import Sky
from skywatch.safety.detection.advisory import AdvisoryDetector
from skywatch.safety.detection.aggregation import Aggregation
from skywatch.safety.detection.emergency import EmergencyDetector
from skywatch.safety.detection.finding import Finding
from skywatch.safety.detection.frame import Frame
from skywatch.safety.detection.low import LowAltitudeDetector
from skywatch.safety.detection.meeting.encounters import ProximityDetector
from skywatch.safety.detection.position.integrity import IntegrityDetector
from skywatch.safety.detection.position.regions import Region, RegionDetector
from skywatch.safety.detection.vertical import VerticalDetector
from skywatch.safety.places.learning import Learner
from skywatch.safety.thresholds.table import Thresholds

EMERGENCY = "emergency_squawk"


class Detectors:
    """The seven detectors and the learnt places."""

    def __init__(self, learner: Learner | None = None) -> None:
        self.learner = learner or Learner()
        self._emergency = EmergencyDetector()
        self._advisory = AdvisoryDetector()
        self.aggregation = Aggregation()
        self._proximity = ProximityDetector(self.aggregation)
        self._vertical = VerticalDetector()
        self._low = LowAltitudeDetector(self.learner)
        self._integrity = IntegrityDetector()
        self._regions = RegionDetector()

    @property
    def regions(self) -> list[Region]:
        """The regions of disturbed navigation signals of now."""
        return self._regions.regions

    def restore(self, findings: Sequence[Finding], regions: list[Region], now: float) -> None:
        """Restore what is not detected again after a restart as long as it lasts: encounters that have passed the
        closest point, the end of advisories, leaps, gatherings, regions, and what was only counted. ``findings`` are
        those of active events.
        """
        self.aggregation.restore(findings, now)
        self._advisory.restore(findings, now)
        self._proximity.restore(findings)
        self._integrity.restore(findings, now)
        self._regions.restore(regions, now)

    def is_waiting(self, thresholds: Thresholds) -> bool:
        """Whether time alone may change what is found: without it a tick in which nothing is received has no effect."""
        parts = (
            self._emergency,
            self._advisory,
            self._vertical,
            self._low,
            self._integrity,
            self._regions,
            self.aggregation,
        )
        return any(part.is_waiting for part in parts) or self._proximity.is_waiting(thresholds)

    def update(self, sky: Sky, thresholds: Thresholds) -> list[Finding]:
        """All findings of this tick."""
        frame = Frame(sky)
        findings = self._emergency.update(frame, thresholds)
        findings += self._advisory.update(frame, thresholds)
        findings += self._vertical.update(frame, thresholds)
        findings += self._low.update(frame, thresholds)
        findings += self._integrity.update(frame, thresholds)
        findings += self._regions.update(frame, thresholds)
        findings = self.aggregation.apply(findings, frame.now, thresholds)
        findings += self._proximity.update(frame, thresholds, self._advisory.active())
        self.learner.update(frame)
        return confirmed(findings, sky)


def confirmed(findings: list[Finding], sky: Sky) -> list[Finding]:
    """The findings without those of aircraft that only one untrusted feeder has ever heard.

    Their emergencies are information: they may be real, and nobody must be able to sound the alarm alone.
    """
    single = sky.column("single_source")
    if not single.any():
        return findings
    doubtful = {sky.hexes[row] for row in np.flatnonzero(single).tolist()}
    return [
        finding if doubtful.isdisjoint(finding.hexes) else msgspec.structs.replace(finding, severity="info")
        for finding in findings
        if finding.type == EMERGENCY or doubtful.isdisjoint(finding.hexes)
    ]
