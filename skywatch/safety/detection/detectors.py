"""``Detectors``: runs all detectors on one tick, in the order of their dependencies."""

from __future__ import annotations

from collections.abc import Iterable

from skywatch.picture.sky import Sky
from skywatch.safety.detection.advisory import AdvisoryDetector
from skywatch.safety.detection.emergency import EmergencyDetector
from skywatch.safety.detection.encounters import ProximityDetector
from skywatch.safety.detection.finding import Finding
from skywatch.safety.detection.frame import Frame
from skywatch.safety.detection.integrity import IntegrityDetector
from skywatch.safety.detection.low import LowAltitudeDetector
from skywatch.safety.detection.regions import Region, RegionDetector
from skywatch.safety.detection.vertical import VerticalDetector
from skywatch.safety.learning import Learner
from skywatch.safety.thresholds import Thresholds


class Detectors:
    """The seven detectors and the learnt places."""

    def __init__(self, learner: Learner | None = None) -> None:
        self.learner = learner or Learner()
        self._emergency = EmergencyDetector()
        self._advisory = AdvisoryDetector()
        self._proximity = ProximityDetector()
        self._vertical = VerticalDetector()
        self._low = LowAltitudeDetector(self.learner)
        self._integrity = IntegrityDetector()
        self._regions = RegionDetector()

    @property
    def regions(self) -> list[Region]:
        """The regions of disturbed navigation signals of now."""
        return self._regions.regions

    def restore(self, gatherings: Iterable[Finding], regions: list[Region], now: float) -> None:
        """Restore what cannot be detected again after a restart: gatherings and regions."""
        self._integrity.gatherings.restore(gatherings, now)
        self._regions.restore(regions, now)

    def update(self, sky: Sky, thresholds: Thresholds) -> list[Finding]:
        """All findings of this tick."""
        frame = Frame(sky)
        findings = self._emergency.update(frame, thresholds)
        findings += self._advisory.update(frame, thresholds)
        findings += self._proximity.update(frame, thresholds, self._advisory.active())
        findings += self._vertical.update(frame, thresholds)
        findings += self._low.update(frame, thresholds)
        findings += self._integrity.update(frame, thresholds)
        findings += self._regions.update(frame, thresholds)
        self.learner.update(frame)
        return findings
