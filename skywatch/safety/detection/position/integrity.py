"""Implausible positions: leaps, gatherings, contradictions, and leaps between the two altitudes.

Regions where many aircraft lose their integrity at once are in ``regions``.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from skywatch.picture.state.sky import RefusedPosition
from skywatch.safety.detection.finding import Finding, Quantity
from skywatch.safety.detection.frame import Carried, Frame
from skywatch.safety.detection.position.circles import CircleDetector
from skywatch.safety.detection.position.disputes import DisputeDetector
from skywatch.safety.detection.position.gatherings import GatheringDetector
from skywatch.safety.detection.position.leaps import LeapDetector
from skywatch.safety.thresholds.table import Thresholds

# Level: a vertical rate within this (ft/min), and the barometric altitude within this (ft) between two ticks.
LEVEL_FPM, LEVEL_FT = 300.0, 100.0
# An altitude leap is confirmed by this many ticks after it.
CONFIRMED_TICKS = 3


class IntegrityDetector:
    """Leaps, gatherings and altitude leaps of single aircraft."""

    def __init__(self) -> None:
        nan = float("nan")
        self._carried = Carried(
            difference=nan,
            leap=nan,
            leap_ticks=0.0,
            leap_until=0.0,
            baro=nan,
            geom=nan,
            geom_at=-np.inf,
            level_at=np.inf,
        )
        self._leap_judge = LeapDetector()
        self._circles = CircleDetector()
        self._disputes = DisputeDetector()
        self.gatherings = GatheringDetector()
        self._leaps: dict[str, tuple[float, Finding]] = {}

    def restore(self, findings: Iterable[Finding], now: float) -> None:
        """Restore gatherings and leaps of before a restart."""
        findings = list(findings)
        self.gatherings.restore(findings, now)
        self._leaps |= {finding.hexes[0]: (now, finding) for finding in findings if finding.key.startswith("leap:")}

    def update(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """The findings of this tick."""
        self._carried.carry(frame)
        leaps = self._leap_judge.update(frame, thresholds)
        circles = self._circles.update(frame, [claim.hex for claim, _, _ in leaps], thresholds)
        findings = self.gatherings.update(frame, thresholds, circles)
        findings += self._leap(frame, leaps, thresholds)
        findings += self._contradiction(frame, thresholds)
        findings += self._altitude(frame, thresholds)
        return findings

    def _contradiction(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """Aircraft that receivers, or multilateration, place elsewhere."""
        findings = []
        for row, dispute in self._disputes.update(frame, thresholds):
            position, other = dispute.position, "multilateration" if dispute.position.is_mlat else "another receiver"
            numbers = {
                "distance": Quantity(round(dispute.distance_nm, 1), "nm"),
                "claimed": Quantity(f"{position.lat:.4f}, {position.lon:.4f}"),
                "receiver": Quantity(position.receiver),
                "believed_receiver": Quantity(position.believed_receiver),
            }
            message = f"{frame.name(row)}: {other} places it {dispute.distance_nm:.0f} nm away"
            findings.append(self._single(frame, row, "contradiction", message, numbers))
        return findings

    def _leap(
        self, frame: Frame, leaps: list[tuple[RefusedPosition, int, float]], thresholds: Thresholds
    ) -> list[Finding]:
        """Leaps of now and of the last ``leap_end_s``; aircraft that gather are one event of their own."""
        for claim, row, distance in leaps:
            numbers = {
                "leap": Quantity(round(distance, 1), "nm"),
                "claimed": Quantity(f"{claim.lat:.4f}, {claim.lon:.4f}"),
                "receiver": Quantity(claim.receiver),
            }
            finding = self._single(frame, row, "leap", f"{frame.name(row)} leaps by {distance:.0f} nm", numbers)
            self._leaps[claim.hex] = (frame.now, finding)
        gathered = self.gatherings.members
        self._leaps = {
            address: (at, finding)
            for address, (at, finding) in self._leaps.items()
            if frame.now - at <= thresholds.leap_end_s and address not in gathered
        }
        return [finding for _, finding in self._leaps.values()]

    def _altitude(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """Geometric altitude that moves away from the barometric one although the aircraft flies level."""
        baro, geom = frame.column("alt_baro_ft").astype("f8"), frame.column("alt_geom_ft").astype("f8")
        state = self._carried
        difference = geom - baro
        level = np.abs(np.nan_to_num(frame.rate_fpm)) <= LEVEL_FPM
        level &= np.abs(baro - state["baro"]) <= LEVEL_FT
        # A geometric altitude is as old as its last change: one that stays as it was may be of before a gap.
        has_changed = ~np.isnan(geom) & (geom != state["geom"])
        state["geom_at"][has_changed], state["geom"][:] = frame.now, geom
        within_s = thresholds.altitude_within_s
        has_baro = frame.now - frame.column("altitude_at") <= within_s
        # Since when it has been level, and received.
        state["level_at"][~(level & has_baro)] = frame.now
        is_judged = level & has_baro & frame.adsb & ~np.isnan(difference)
        is_judged &= (frame.now - state["geom_at"] <= within_s) & (frame.now - state["level_at"] >= within_s)
        base = state["difference"]
        with np.errstate(invalid="ignore"):
            has_moved = is_judged & (np.abs(difference - base) > thresholds.altitude_leap_ft)
        state["leap_ticks"][:] = np.where(
            has_moved, state["leap_ticks"] + 1, np.where(is_judged, 0.0, state["leap_ticks"])
        )
        is_raised = is_judged & (state["leap_ticks"] >= CONFIRMED_TICKS)
        is_new = is_raised & (state["leap_until"] < frame.now)
        state["leap"][is_new] = (difference - base)[is_new]
        state["leap_until"][is_raised] = frame.now + thresholds.leap_end_s
        # The usual difference is adapted slowly; pressure and temperature change it by some feet a mile.
        fresh = is_judged & ~has_moved
        base[:] = np.where(fresh & ~np.isnan(base), base + 0.1 * (difference - base), np.where(fresh, difference, base))
        # After a while the new difference is the usual one.
        is_settled = has_moved & (state["leap_ticks"] > thresholds.leap_end_s)
        base[is_settled] = difference[is_settled]
        state["baro"][:] = baro
        findings = []
        for row in np.flatnonzero(state["leap_until"] >= frame.now).tolist():
            leap = float(state["leap"][row])
            if leap == leap:
                message = f"{frame.name(row)}: geometric altitude leaps by {leap:+,.0f} ft in level flight"
                findings.append(self._single(frame, row, "altitude", message, {"leap": Quantity(round(leap), "ft")}))
        return findings

    def _single(self, frame: Frame, row: int, word: str, message: str, numbers: dict[str, Quantity]) -> Finding:
        return Finding(
            type="position_integrity",
            key=f"{word}:{frame.hexes[row]}",
            severity="warning",
            message=message,
            hexes=(frame.hexes[row],),
            callsigns=(frame.callsign(row),),
            numbers={"cause": Quantity(word), **numbers},
            position=frame.position(row),
            military=frame.is_military(row),
        )
