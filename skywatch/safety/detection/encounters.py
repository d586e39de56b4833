"""``ProximityDetector``: encounters from pairs, with the reasons to hold them back and their end.

A pair is raised when the rule of ``proximity`` has held for a moment, and stays until the two are out of a box a little
larger than that of the rule and no longer converge, so that noise makes no second event of one encounter.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from skywatch.safety.detection import reasons
from skywatch.safety.detection.cells import Motion
from skywatch.safety.detection.companions import Companions
from skywatch.safety.detection.finding import Closest, Finding, Quantity, Severity
from skywatch.safety.detection.frame import Frame
from skywatch.safety.detection.intentions import Intentions
from skywatch.safety.detection.proximity import Pairs, candidates, judge_pairs, motion
from skywatch.safety.thresholds import Thresholds

# A raised pair leaves only beyond this multiple of the box.
STAY_FACTOR = 1.3
# Forecasts further ahead than this (s) must hold longer, by this share of the excess: the forecast of a turning
# aircraft sweeps over others that are far ahead.
SURE_S, HOLD_SHARE = 25.0, 0.25
# After a gap of this length (s) a pair that was not raised starts again.
INTERRUPTED_S = 3.0
# Within this time after the closest point (s) a message says "now".
PASSED_S = 2.0
# A reason to hold back applies for this time (s) after it was last met, so that noise raises no event.
REASON_S = 20.0
# A raised pair is updated at this interval (s), and at once where its severity may have changed.
DESCRIBE_EVERY_S = 3.0


@dataclass
class Encounter:
    """One pair: since when the rule holds, whether it was raised, and how near the two came."""

    since: float
    last_at: float
    raised: bool = False
    best: Closest | None = None
    # The latest finding and when it was made.
    finding: Finding | None = None
    found_at: float = 0.0
    # When each reason to hold the pair back applied last.
    reasons: dict[str, float] = field(default_factory=dict)

    def remember(self, reasons: tuple[str, ...], now: float) -> tuple[str, ...]:
        """The present and recent reasons, in the order of their first occurrence."""
        self.reasons |= dict.fromkeys(reasons, now)
        return tuple(reason for reason, at in self.reasons.items() if now - at <= REASON_S)


class ProximityDetector:
    """Pairs of aircraft that come too near."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], Encounter] = {}
        self._together = Companions()

    def update(self, frame: Frame, thresholds: Thresholds, advised: frozenset[str]) -> list[Finding]:
        """The encounters of this tick; ``advised`` are aircraft with a resolution advisory."""
        m = motion(frame, thresholds)
        near = candidates(m, thresholds)
        intentions = Intentions(frame)
        pairs = judge_pairs(m, *near, thresholds, 1.0, thresholds.proximity_closing_kt, intentions)
        findings: list[Finding] = []
        seen: set[tuple[str, str]] = set()
        for index in range(len(pairs.one)):
            key = _key(frame, int(pairs.one[index]), int(pairs.two[index]))
            seen.add(key)
            self._add(findings, frame, thresholds, pairs, index, key, advised)
        self._stay(findings, frame, m, thresholds, seen, advised, intentions)
        self._together.update(frame, m, *near)
        self._forget(frame.now, thresholds)
        return findings

    def _add(
        self,
        findings: list[Finding],
        frame: Frame,
        thresholds: Thresholds,
        pairs: Pairs,
        index: int,
        key: tuple[str, str],
        advised: frozenset[str],
    ) -> None:
        encounter = self._pairs.get(key)
        gap_s = thresholds.proximity_end_s if encounter is not None and encounter.raised else INTERRUPTED_S
        if encounter is None or frame.now - encounter.last_at > gap_s:
            encounter = self._pairs[key] = Encounter(frame.now, frame.now)
        encounter.last_at = frame.now
        hold_s = thresholds.proximity_hold_s + max(float(pairs.enter_s[index]) - SURE_S, 0.0) * HOLD_SHARE
        if not encounter.raised and frame.now - encounter.since < hold_s:
            return
        encounter.raised = True
        findings.append(self._finding(frame, thresholds, pairs, index, key, encounter, advised))

    def _stay(
        self,
        findings: list[Finding],
        frame: Frame,
        m: Motion,
        thresholds: Thresholds,
        seen: set[tuple[str, str]],
        advised: frozenset[str],
        intentions: Intentions,
    ) -> None:
        """Raised pairs that the rule has just left, but that are still near or converging."""
        remaining = [key for key, encounter in self._pairs.items() if encounter.raised and key not in seen]
        index_of = frame.sky.index
        members = [
            (index_of[key[0]], index_of[key[1]]) for key in remaining if key[0] in index_of and key[1] in index_of
        ]
        if not members:
            return
        place = np.full(len(frame), -1)
        place[m.rows] = np.arange(len(m.rows))
        both = place[np.array(members)]
        one, two = both[(both >= 0).all(axis=1)].T
        pairs = judge_pairs(m, one, two, thresholds, STAY_FACTOR, 0.0, intentions)
        for index in range(len(pairs.one)):
            key = _key(frame, int(pairs.one[index]), int(pairs.two[index]))
            encounter = self._pairs[key]
            encounter.last_at = frame.now
            findings.append(self._finding(frame, thresholds, pairs, index, key, encounter, advised))

    def _finding(
        self,
        frame: Frame,
        thresholds: Thresholds,
        pairs: Pairs,
        index: int,
        key: tuple[str, str],
        encounter: Encounter,
        advised: frozenset[str],
    ) -> Finding:
        closest = _closest(frame, pairs, index, encounter)
        near = closest.distance_nm <= thresholds.proximity_critical_nm
        near = near and closest.vertical_ft <= thresholds.proximity_critical_ft
        severity: Severity = "critical" if near or key[0] in advised or key[1] in advised else "warning"
        latest = encounter.finding
        is_fresh = frame.now - encounter.found_at < DESCRIBE_EVERY_S
        if latest is not None and is_fresh and (severity == latest.severity or latest.suppressed_by):
            return latest
        one, two = frame.sky.index[key[0]], frame.sky.index[key[1]]
        box_ft = float(pairs.box_ft[index])
        held_back_by = reasons.why_held_back(frame, one, two, self._together, box_ft, thresholds)
        held_back = encounter.remember(held_back_by, frame.now)
        if held_back:
            severity = "info"
        in_s = closest.at - frame.now
        when = f" in {in_s:.0f} s" if in_s >= 1 else " now" if in_s >= -PASSED_S else ""
        encounter.found_at = frame.now
        encounter.finding = Finding(
            type="proximity",
            key=f"{key[0]}:{key[1]}",
            severity=severity,
            message=(
                f"{frame.name(one)} and {frame.name(two)}: closest {closest.distance_nm:.2f} nm and "
                f"{closest.vertical_ft} ft{when}"
            ),
            hexes=key,
            callsigns=(frame.callsign(one), frame.callsign(two)),
            numbers={
                "distance": Quantity(round(float(pairs.now_nm[index]), 2), "nm"),
                "vertical": Quantity(round(float(pairs.now_ft[index])), "ft"),
                "closing_speed": Quantity(round(float(pairs.closing_kt[index])), "kt"),
                "box_distance": Quantity(round(float(pairs.box_nm[index]), 2), "nm"),
                "box_vertical": Quantity(round(float(pairs.box_ft[index])), "ft"),
            },
            position=frame.place(one),
            closest=closest,
            suppressed_by=held_back,
            military=frame.is_military(one, two),
        )
        return encounter.finding

    def _forget(self, now: float, thresholds: Thresholds) -> None:
        old = now - thresholds.proximity_end_s
        for key in [key for key, encounter in self._pairs.items() if encounter.last_at < old]:
            del self._pairs[key]


def _key(frame: Frame, one: int, two: int) -> tuple[str, str]:
    first, second = sorted((frame.hexes[one], frame.hexes[two]))
    return first, second


def _closest(frame: Frame, pairs: Pairs, index: int, encounter: Encounter) -> Closest:
    """The nearer of the past and the predicted closest point; the past one counts once the two have passed."""
    now_nm, now_ft = float(pairs.now_nm[index]), float(pairs.now_ft[index])
    best = encounter.best
    if best is None or now_nm < best.distance_nm:
        best = encounter.best = Closest(round(frame.now, 1), round(now_nm, 3), round(now_ft))
    foreseen_nm, until_s = float(pairs.closest_nm[index]), float(pairs.until_s[index])
    if foreseen_nm < best.distance_nm and until_s > 0:
        return Closest(round(frame.now + until_s, 1), round(foreseen_nm, 3), round(float(pairs.closest_ft[index])))
    return best
