"""Implausible positions: leaps, gatherings, contradictions, and leaps between the two altitudes.

Regions where many aircraft lose their integrity at once are in ``regions``.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from skywatch.picture.state.doubt import UNCONFIRMED_WORDS
from skywatch.picture.state.sky import RefusedPosition
from skywatch.receivers.reports.receiver_names import shown_receiver
from skywatch.safety.detection.finding import Finding, Quantity, doubted
from skywatch.safety.detection.frame import Array, Carried, Frame
from skywatch.safety.detection.navigation.circles import CircleDetector
from skywatch.safety.detection.navigation.disputes import DisputeDetector
from skywatch.safety.detection.navigation.gatherings import GatheringDetector
from skywatch.safety.detection.navigation.leaps import LeapDetector
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import sentence

# Level: a vertical rate within this (ft/min), and the barometric altitude within this (ft) between two ticks.
LEVEL_FPM, LEVEL_FT = 300.0, 100.0
# An altitude leap is confirmed if it has lasted for this time (s).
CONFIRMED_S = 2.0
# What is left after a second of the distance between the usual difference of the altitudes and the latest one.
ADAPTED_A_SECOND = 0.9


class IntegrityDetector:
    """Leaps, gatherings and altitude leaps of single aircraft."""

    def __init__(self) -> None:
        nan = float("nan")
        self._carried = Carried(
            difference=nan,
            adapted_at=-np.inf,
            leap=nan,
            leap_since=nan,
            leap_until=0.0,
            baro=nan,
            altitude_at=nan,
            steady=False,
            geom_at=-np.inf,
            level_at=np.inf,
        )
        self._leap_judge = LeapDetector()
        self._circles = CircleDetector()
        self._disputes = DisputeDetector()
        self.gatherings = GatheringDetector()
        # By address and whether it is in doubt.
        self._leaps: dict[tuple[str, bool], tuple[float, Finding]] = {}
        # Whether an altitude leap may be confirmed by time alone.
        self._awaits_altitudes = False

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may change what is found."""
        parts = (self._leap_judge, self._circles, self._disputes, self.gatherings)
        return self._awaits_altitudes or bool(self._leaps) or any(part.is_waiting for part in parts)

    def restore(self, findings: Iterable[Finding], now: float) -> None:
        """Restore gatherings and leaps of before a restart."""
        findings = list(findings)
        self.gatherings.restore(findings, now)
        leaps = [finding for finding in findings if finding.key.startswith("leap:")]
        self._leaps |= {(finding.hexes[0], finding.in_doubt): (now, finding) for finding in leaps}

    def update(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """The findings of this tick."""
        self._carried.carry(frame)
        leaps = self._leap_judge.update(frame, thresholds)
        sure = [claim.hex for claim, _, _ in leaps if not claim.in_doubt]
        circles = self._circles.update(frame, sure, thresholds)
        findings = self.gatherings.update(frame, thresholds, circles)
        findings += self._leap(frame, leaps, thresholds)
        findings += self._contradiction(frame, thresholds)
        findings += self._altitude(frame, thresholds)
        return findings

    def _contradiction(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """Aircraft that receivers, or multilateration, place elsewhere."""
        findings = []
        for row, dispute in self._disputes.update(frame, thresholds):
            position = dispute.position
            numbers = {
                "distance": Quantity(round(dispute.distance_nm, 1), "nm"),
                "claimed": Quantity(f"{position.lat:.4f}, {position.lon:.4f}"),
                "receiver": Quantity(shown_receiver(position.receiver)),
                "believed_receiver": Quantity(shown_receiver(position.believed_receiver)),
            }
            name, distance = frame.name(row), round(dispute.distance_nm)
            message = (
                sentence(
                    "safety.mlat_elsewhere",
                    "{name}: multilateration places it {distance} nm away",
                    name=name,
                    distance=distance,
                )
                if position.is_mlat
                else sentence(
                    "safety.elsewhere",
                    "{name}: another receiver places it {distance} nm away",
                    name=name,
                    distance=distance,
                )
            )
            finding = self._single(frame, row, "contradiction", message, numbers)
            findings.append(doubted(finding, UNCONFIRMED_WORDS) if position.in_doubt else finding)
        return findings

    def _leap(
        self, frame: Frame, leaps: list[tuple[RefusedPosition, int, float]], thresholds: Thresholds
    ) -> list[Finding]:
        """Leaps of now and of the last ``leap_end_s``; aircraft that gather are one event of their own."""
        for claim, row, distance in leaps:
            numbers = {
                "leap": Quantity(round(distance, 1), "nm"),
                "claimed": Quantity(f"{claim.lat:.4f}, {claim.lon:.4f}"),
                "receiver": Quantity(shown_receiver(claim.receiver)),
            }
            message = sentence(
                "safety.leap", "{name} leaps by {distance} nm", name=frame.name(row), distance=round(distance)
            )
            finding = self._single(frame, row, "leap", message, numbers)
            finding = doubted(finding, UNCONFIRMED_WORDS) if claim.in_doubt else finding
            self._leaps[claim.hex, claim.in_doubt] = (frame.now, finding)
        gathered = self.gatherings.members
        self._leaps = {
            key: (at, finding)
            for key, (at, finding) in self._leaps.items()
            if frame.now - at <= thresholds.leap_end_s and key[0] not in gathered
        }
        return [finding for _, finding in self._leaps.values()]

    def _altitude(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """Geometric altitude that moves away from the barometric one although the aircraft flies level."""
        state, now = self._carried, frame.now
        difference = (frame.column("alt_geom_ft") - frame.column("alt_baro_ft")).astype("f8")
        is_new, is_fresh = self._follow_altitudes(frame, thresholds)
        is_judged = is_fresh & frame.adsb & ~np.isnan(difference)
        is_judged &= now - state["level_at"] >= thresholds.altitude_within_s
        base, since = state["difference"], state["leap_since"]
        with np.errstate(invalid="ignore"):
            is_off = np.abs(difference - base) > thresholds.altitude_leap_ft
        has_moved = is_judged & is_off
        since[:] = np.where(has_moved, np.fmin(since, now), np.where(is_judged, np.nan, since))
        is_raised = has_moved & (now - since >= CONFIRMED_S)
        begins = is_raised & (state["leap_until"] < now)
        state["leap"][begins] = (difference - base)[begins]
        state["leap_until"][is_raised] = now + thresholds.leap_end_s
        # The usual difference is adapted slowly; pressure and temperature change it by some feet a mile.
        rows = np.flatnonzero(is_judged & ~has_moved & is_new)
        before, latest = base[rows], difference[rows]
        passed_s = np.clip(now - state["adapted_at"][rows], 0.0, thresholds.altitude_within_s)
        adapted = before + (1 - ADAPTED_A_SECOND**passed_s) * (latest - before)
        base[rows] = np.where(np.isnan(before), latest, adapted)
        state["adapted_at"][rows] = now
        # After a while the new difference is the usual one.
        is_settled = has_moved & (now - since > thresholds.leap_end_s)
        base[is_settled] = difference[is_settled]
        self._awaits_altitudes = bool((is_off & is_fresh).any())
        findings = []
        for row in np.flatnonzero(state["leap_until"] >= frame.now).tolist():
            leap = float(state["leap"][row])
            if leap == leap:
                message = sentence(
                    "safety.altitude_leap",
                    "{name}: geometric altitude leaps by {leap} ft in level flight",
                    name=frame.name(row),
                    leap=f"{leap:+,.0f}",
                )
                findings.append(self._single(frame, row, "altitude", message, {"leap": Quantity(round(leap), "ft")}))
        return findings

    def _follow_altitudes(self, frame: Frame, thresholds: Thresholds) -> tuple[Array, Array]:
        """Of which aircraft an altitude has just been received, and which fly level with both altitudes fresh.

        Follows since when each flies level, by what is received of it: not by ticks, of which a recording that is
        analysed has none in empty seconds.
        """
        state, now, within_s = self._carried, frame.now, thresholds.altitude_within_s
        baro, at, geom_at = (frame.column(name) for name in ("alt_baro_ft", "altitude_at", "alt_geom_at"))
        has_baro = at != state["altitude_at"]
        with np.errstate(invalid="ignore"):
            # One that is received again unchanged is as new as its message.
            has_geom = geom_at > state["geom_at"]
            state["geom_at"][has_geom] = geom_at[has_geom]
            is_steady = np.abs(baro - state["baro"]) <= LEVEL_FT
            after_gap = has_baro & ~(at - state["altitude_at"] <= within_s)
        state["steady"][has_baro] = is_steady[has_baro]
        level = state["steady"].astype("?") & ~(np.abs(frame.rate_fpm) > LEVEL_FPM)
        # It takes two altitudes to see level flight, which began with the first of them.
        begins = level & np.isinf(state["level_at"])
        state["level_at"][begins] = state["altitude_at"][begins]
        state["level_at"][after_gap] = at[after_gap]
        state["level_at"][~level] = np.inf
        state["baro"][:], state["altitude_at"][:] = baro, at
        is_fresh = level & (now - at <= within_s) & (now - state["geom_at"] <= within_s)
        return has_baro | has_geom, is_fresh

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
