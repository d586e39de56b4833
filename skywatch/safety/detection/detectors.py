"""``Detectors``: runs all detectors on one tick, in the order of their dependencies."""

from __future__ import annotations

from collections.abc import Sequence

from skywatch.picture.state.sky import Sky
from skywatch.safety.detection.advisory import AdvisoryDetector
from skywatch.safety.detection.aggregation import Aggregation
from skywatch.safety.detection.conflicts.encounters import ProximityDetector
from skywatch.safety.detection.emergency import EmergencyDetector
from skywatch.safety.detection.finding import Finding
from skywatch.safety.detection.frame import Frame
from skywatch.safety.detection.learnt_places import Learner
from skywatch.safety.detection.low import LowAltitudeDetector
from skywatch.safety.detection.navigation.integrity import IntegrityDetector
from skywatch.safety.detection.navigation.regions import Region, RegionDetector
from skywatch.safety.detection.vertical import VerticalDetector
from skywatch.safety.thresholds.thresholds import Thresholds


class Detectors:
    """The seven detectors and the learnt places.

    What is in doubt (``Frame``) raises only information, and takes nothing from what is sure: not its place in a region
    with too many events either.
    """

    def __init__(self, learner: Learner | None = None) -> None:
        self.learner = learner or Learner()
        self._emergency = EmergencyDetector()
        self._unsure_emergency = EmergencyDetector(in_doubt=True)
        self._advisory = AdvisoryDetector()
        self.aggregation, self._unsure_aggregation = Aggregation(), Aggregation()
        self._proximity = ProximityDetector(self.aggregation)
        self._vertical = VerticalDetector()
        self._low = LowAltitudeDetector(self.learner)
        self._integrity = IntegrityDetector()
        self._regions = RegionDetector()

    @property
    def regions(self) -> list[Region]:
        """The regions of disturbed navigation signals of now."""
        return self._regions.regions

    @property
    def crowd(self) -> int:
        """How many aircraft are so crowded that they are compared with nobody."""
        return self._proximity.crowd

    def restore(self, findings: Sequence[Finding], regions: list[Region], now: float) -> None:
        """Restore what is not detected again after a restart as long as it lasts: encounters that have passed the
        closest point, the end of advisories, leaps, gatherings, regions, and what was only counted. ``findings`` are
        those of active events.
        """
        for aggregation, of_kind in self._divided(findings):
            aggregation.restore(of_kind, now)
        self._advisory.restore(findings, now)
        self._proximity.restore(findings)
        self._integrity.restore(findings, now)
        self._regions.restore(regions, now)

    def is_waiting(self, thresholds: Thresholds) -> bool:
        """Whether time alone may change what is found: without it a tick in which nothing is received has no effect."""
        parts = (
            self._emergency,
            self._unsure_emergency,
            self._advisory,
            self._vertical,
            self._low,
            self._integrity,
            self._regions,
            self.aggregation,
            self._unsure_aggregation,
        )
        return any(part.is_waiting for part in parts) or self._proximity.is_waiting(thresholds)

    def update(self, sky: Sky, thresholds: Thresholds) -> list[Finding]:
        """All findings of this tick."""
        frame = Frame(sky)
        findings = self._emergency.update(frame, thresholds)
        findings += self._unsure_emergency.update(frame, thresholds)
        findings += self._advisory.update(frame, thresholds)
        findings += self._vertical.update(frame, thresholds)
        findings += self._low.update(frame, thresholds)
        findings += self._integrity.update(frame, thresholds)
        findings += self._regions.update(frame, thresholds)
        self._unsure_aggregation.coarse = self.aggregation.coarse
        divided = self._divided(findings)
        findings = []
        for aggregation, of_kind in divided:
            findings += aggregation.apply(of_kind, frame.now, thresholds)
        findings += self._proximity.update(frame, thresholds, self._advisory.active())
        self.learner.update(frame)
        return findings

    def _divided(self, findings: Sequence[Finding]) -> tuple[tuple[Aggregation, list[Finding]], ...]:
        """The findings that are sure, and those in doubt, each with what aggregates them."""
        return (
            (self.aggregation, [finding for finding in findings if not finding.in_doubt]),
            (self._unsure_aggregation, [finding for finding in findings if finding.in_doubt]),
        )
