"""``ProximityDetector``: encounters from pairs, with the reasons to hold them back and their end.

A pair is raised when the rule of ``proximity`` has held for a moment, and stays until the two are out of a box a little
larger than that of the rule and no longer converge, so that noise makes no second event of one encounter. Where pairs
crowd a region, those that have no event of their own are only counted (``aggregation``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from skywatch.core.arrays import distinct
from skywatch.safety.detection.aggregation import OWN, Aggregation, Group, finding_of, region_number
from skywatch.safety.detection.conflicts.cells import Motion, most_pairs
from skywatch.safety.detection.conflicts.companions import Companions
from skywatch.safety.detection.conflicts.intentions import Intentions
from skywatch.safety.detection.conflicts.pairs import PairTable, begin
from skywatch.safety.detection.conflicts.proximity import Pairs, candidates, judge_pairs, motion
from skywatch.safety.detection.conflicts.reasons import LASTING_S, REASONS, copy_range_nm, why_held_back
from skywatch.safety.detection.conflicts.turns import TurnRates
from skywatch.safety.detection.finding import Closest, Finding, Quantity, Severity
from skywatch.safety.detection.frame import Array, Carried, Frame
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import Sentence, sentence

# A raised pair leaves only beyond this multiple of the box.
STAY_FACTOR = 1.3
# After a gap of this length (s) a pair that was not raised starts again.
INTERRUPTED_S = 3.0
# Within this time after the closest point (s) a message says "now".
PASSED_S = 2.0
# Two that are farther apart than so many times the range of a copy are two aircraft.
DISTINCT = 1.5
# A raised pair is updated at this interval (s), and at once where its severity may have changed.
DESCRIBE_EVERY_S = 3.0


@dataclass(frozen=True)
class Encounters:
    """The raised pairs of a tick: their closest points, whether that is critical, and the reasons (see REASONS)."""

    pairs: Pairs
    entries: Array
    closest_at: Array
    closest_nm: Array
    closest_ft: Array
    critical: Array
    reasons: Array
    military: Array


class ProximityDetector:
    """Pairs of aircraft that come too near."""

    def __init__(self, aggregation: Aggregation) -> None:
        self._aggregation = aggregation
        # How many aircraft are so crowded that they are compared with nobody.
        self.crowd = 0
        self._table = PairTable()
        self._together = Companions()
        self._turns = TurnRates()
        self._altitudes = AltitudeJumps()
        # The latest finding of each pair that has an event of its own, and when it was made.
        self._described: dict[str, tuple[Finding, float]] = {}
        # Encounters of before a restart whose aircraft have not both been received since.
        self._restored: dict[tuple[str, str], Finding] = {}
        self._motion: Motion | None = None
        self._has_findings = False

    def is_waiting(self, thresholds: Thresholds) -> bool:
        """Whether time alone may change what is found: a pair is near, or may be before its positions are too old."""
        if len(self._table.entries) or self._restored:
            return True
        if self._motion is None or len(self._motion.rows) < 2:
            return False
        first, *_ = candidates(self._motion, thresholds, thresholds.proximity_position_age_s)
        return len(first) > 0

    def restore(self, findings: Iterable[Finding]) -> None:
        """Restore the encounters among the events of before a restart: they stay until the two are apart."""
        for finding in findings:
            if finding.type == "proximity" and len(finding.hexes) == 2:
                self._restored[finding.hexes[0], finding.hexes[1]] = finding

    def update(self, frame: Frame, thresholds: Thresholds, advised: frozenset[str]) -> list[Finding]:
        """The encounters of this tick; ``advised`` are aircraft with a resolution advisory."""
        turn = self._turns.update(frame, thresholds.proximity_turning_deg_s)
        m = self._motion = motion(frame, thresholds, turn, self._altitudes.update(frame))
        first, second, crowd = candidates(m, thresholds)
        near = first, second
        self.crowd = len(crowd)
        intentions = Intentions(frame)
        self._table.carry(frame)
        self._continue_restored(frame, m)
        if not len(near[0]) and not len(self._table.entries) and not self._has_findings:
            # Nobody is near anybody, as in most ticks of a small receiver.
            self._together.update(frame, m, *near, thresholds)
            return []
        meeting = judge_pairs(m, *near, thresholds, 1.0, thresholds.proximity_closing_kt, intentions)
        raised = self._raise(frame, meeting, thresholds)
        staying = self._stay(frame, m, thresholds, intentions)
        encounters = self._judge(frame, raised.joined(staying), turn, thresholds, advised)
        findings = self._findings(frame, encounters, thresholds)
        self._has_findings = bool(findings)
        self._together.update(frame, m, *near, thresholds)
        last_at = self._table.entries["last_at"]
        is_remembered = last_at >= frame.now - thresholds.proximity_end_s
        if np.count_nonzero(is_remembered) > 2 * most_pairs(len(m.rows)):
            # As many as a tick examines, and as many that stay: more are remembered only where receivers invent them.
            is_remembered = last_at >= frame.now
        self._table.keep(is_remembered)
        return findings

    def _continue_restored(self, frame: Frame, m: Motion) -> None:
        """Enter the restored pairs of which both aircraft have been received."""
        if not self._restored:
            return
        moving = set(m.rows.tolist())
        for hexes, finding in list(self._restored.items()):
            first, second = (frame.sky.index.get(address, -1) for address in hexes)
            if first not in moving or second not in moving:
                continue
            del self._restored[hexes]
            which = self._table.take(np.array([first]), np.array([second]), frame.now)
            entries, closest = self._table.entries, finding.closest
            # Before now, so that ``_stay`` looks at it.
            entries["last_at"][which] = frame.now - 1.0
            entries["raised"][which] = entries["own"][which] = True
            if closest is not None and closest.at <= frame.now:
                entries["best_at"][which] = closest.at
                entries["best_nm"][which], entries["best_ft"][which] = closest.distance_nm, closest.vertical_ft
            held_back = np.array([word in finding.suppressed_by for word in REASONS])
            entries["reasons_at"][which] = np.where(held_back, frame.now, -np.inf)
        if frame.sky.is_complete:
            self._restored.clear()

    def _raise(self, frame: Frame, pairs: Pairs, thresholds: Thresholds) -> Pairs:
        """Note the pairs that meet the rule; those that have met it for long enough.

        Those that can still level off are noted too: once they cannot, nobody waits for longer.
        """
        now, gs = frame.now, frame.column("gs_kt")
        which = self._table.take(pairs.first, pairs.second, now)
        entries = self._table.entries
        # Whether a raised pair that can level off again stays is decided by ``_stay``.
        noted = (pairs.is_decided | ~entries["raised"][which]).nonzero()[0]
        pairs, which = pairs.of(noted), which[noted]
        gap_s = np.where(entries["raised"][which], thresholds.proximity_end_s, INTERRUPTED_S)
        begin(entries, which[now - entries["last_at"][which] > gap_s], now)
        entries["last_at"][which] = now
        entries["distinct"][which] |= pairs.now_nm > DISTINCT * copy_range_nm(gs[pairs.first], gs[pairs.second])
        # The forecast of a turning aircraft sweeps over others that are far ahead.
        beyond_s = np.maximum(pairs.enter_s - thresholds.proximity_sure_s, 0.0)
        hold_s = thresholds.proximity_hold_s + beyond_s * thresholds.proximity_far_factor
        entries["raised"][which] |= pairs.is_decided & (now - entries["since"][which] >= hold_s)
        return pairs.of(np.flatnonzero(entries["raised"][which]))

    def _stay(self, frame: Frame, m: Motion, thresholds: Thresholds, intentions: Intentions) -> Pairs:
        """Raised pairs that the rule has just left, but that are still near or converging."""
        entries = self._table.entries
        # No more of them than are examined in a tick, however many crowds were there one after the other.
        remaining = entries[entries["raised"] & (entries["last_at"] < frame.now)][: most_pairs(len(m.rows))]
        index_of_row = np.full(len(frame), -1)
        index_of_row[m.rows] = np.arange(len(m.rows))
        first, second = index_of_row[remaining["first"]], index_of_row[remaining["second"]]
        is_there = (first >= 0) & (second >= 0)
        pairs = judge_pairs(m, first[is_there], second[is_there], thresholds, STAY_FACTOR, 0.0, intentions)
        entries["last_at"][self._table.find(pairs.first, pairs.second)] = frame.now
        return pairs

    def _judge(
        self, frame: Frame, pairs: Pairs, turn: Array, thresholds: Thresholds, advised: frozenset[str]
    ) -> Encounters:
        now = frame.now
        which = self._table.find(pairs.first, pairs.second)
        entries = self._table.entries
        now_nm = np.round(pairs.now_nm, 3)
        nearer = pairs.now_nm < entries["best_nm"][which]
        entries["best_at"][which[nearer]] = round(now, 1)
        entries["best_nm"][which[nearer]], entries["best_ft"][which[nearer]] = now_nm[nearer], pairs.now_ft[nearer]
        # The nearer of the past and the predicted closest point; the past one counts once the two have passed.
        best = entries[which]
        is_ahead = (pairs.closest_nm < best["best_nm"]) & (pairs.until_s > 0)
        closest_nm = np.where(is_ahead, np.round(pairs.closest_nm, 3), best["best_nm"])
        closest_ft = np.round(np.where(is_ahead, pairs.closest_ft, best["best_ft"]))
        critical = closest_nm <= thresholds.proximity_critical_nm
        critical &= closest_ft <= thresholds.proximity_critical_ft
        # A relay is seconds late: with it no distance is exact enough.
        critical &= ~(frame.relayed(pairs.first) | frame.relayed(pairs.second))
        rows = [row for address in advised if (row := frame.sky.index.get(address)) is not None]
        if rows:
            critical |= np.isin(pairs.first, rows) | np.isin(pairs.second, rows)
        reasons = why_held_back(frame, pairs, self._together, best["distinct"], turn, thresholds)
        reasons_at = np.where(reasons, now, best["reasons_at"])
        entries["reasons_at"][which] = reasons_at
        military = frame.column("military")
        return Encounters(
            pairs,
            which,
            np.where(is_ahead, np.round(now + pairs.until_s, 1), best["best_at"]),
            closest_nm,
            closest_ft,
            critical,
            now - reasons_at <= LASTING_S,
            military[pairs.first] | military[pairs.second],
        )

    def _findings(self, frame: Frame, encounters: Encounters, thresholds: Thresholds) -> list[Finding]:
        pairs, entries = encounters.pairs, self._table.entries
        held_back: Array = np.any(encounters.reasons, axis=1)
        lat, lon = frame.column("lat")[pairs.first], frame.column("lon")[pairs.first]
        size = thresholds.aggregate_region_deg
        regions = region_number(lat, lon, encounters.military, held_back, size)
        is_own = entries["own"][encounters.entries]
        if self._aggregation.is_restored("proximity"):
            names = (_name(frame, encounters, index)[0] for index in range(len(is_own)))
            is_own |= np.fromiter((self._aggregation.is_own("proximity", name) for name in names), "?", len(is_own))
        divided = self._aggregation.divide("proximity", regions, is_own, thresholds)
        entries["own"][encounters.entries] = divided == OWN
        own = np.flatnonzero(divided == OWN).tolist()
        described: dict[str, tuple[Finding, float]] = {}
        for index in own:
            key, hexes = _name(frame, encounters, index)
            described[key] = self._describe(frame, encounters, index, key, hexes)
        self._described = described
        return [finding for finding, _ in described.values()] + _counted(encounters, divided, thresholds)

    def _describe(
        self, frame: Frame, encounters: Encounters, index: int, key: str, hexes: tuple[str, str]
    ) -> tuple[Finding, float]:
        """The finding of a pair, which is repeated every few seconds, and when it was made."""
        pairs = encounters.pairs
        severity: Severity = "critical" if encounters.critical[index] else "warning"
        first, second = frame.sky.index[hexes[0]], frame.sky.index[hexes[1]]
        latest, found_at = self._described.get(key, (None, 0.0))
        is_fresh = frame.now - found_at < DESCRIBE_EVERY_S
        if latest is not None and is_fresh and (severity == latest.severity or latest.suppressed_by):
            return latest, found_at
        held_back = _words(encounters.reasons[index])
        closest = _closest(encounters, index)
        in_s = closest.at - frame.now
        relayed = [address.upper() for address in hexes if frame.relayed(np.array([frame.sky.index[address]]))[0]]
        confidence = {"confidence": Quantity("reduced"), "relayed": Quantity(relayed)} if relayed else {}
        finding = Finding(
            type="proximity",
            key=key,
            severity="info" if held_back else severity,
            message=_message(frame.name(first), frame.name(second), closest, in_s, relayed),
            hexes=hexes,
            callsigns=(frame.callsign(first), frame.callsign(second)),
            numbers={
                "distance": Quantity(round(float(pairs.now_nm[index]), 2), "nm"),
                "vertical": Quantity(round(float(pairs.now_ft[index])), "ft"),
                "closing_speed": Quantity(round(float(pairs.closing_kt[index])), "kt"),
                "box_distance": Quantity(round(float(pairs.box_nm[index]), 2), "nm"),
                "box_vertical": Quantity(round(float(pairs.box_ft[index])), "ft"),
                **confidence,
            },
            position=frame.position(first),
            closest=closest,
            suppressed_by=held_back,
            military=bool(encounters.military[index]),
        )
        return finding, frame.now


def _message(first: str, second: str, closest: Closest, in_s: float, relayed: list[str]) -> Sentence:
    """The sentence of a pair: when it is closest, and whose positions a ground station has relayed."""
    pair = {"first": first, "second": second, "distance": closest.distance_nm, "vertical": closest.vertical_ft}
    if in_s >= 1:
        message = sentence(
            "safety.proximity_in",
            "{first} and {second}: closest {distance:.2f} nm and {vertical} ft in {seconds} s",
            **pair,
            seconds=round(in_s),
        )
    elif in_s >= -PASSED_S:
        message = sentence(
            "safety.proximity_now", "{first} and {second}: closest {distance:.2f} nm and {vertical} ft now", **pair
        )
    else:
        message = sentence(
            "safety.proximity", "{first} and {second}: closest {distance:.2f} nm and {vertical} ft", **pair
        )
    if not relayed:
        return message
    return sentence(
        "safety.relayed",
        "{message}; position of {names} relayed, less certain",
        message=message,
        names=" and ".join(relayed),
    )


def _name(frame: Frame, encounters: Encounters, index: int) -> tuple[str, tuple[str, str]]:
    """The key of a pair and its addresses."""
    first, second = sorted((frame.hexes[encounters.pairs.first[index]], frame.hexes[encounters.pairs.second[index]]))
    return f"{first}:{second}", (first, second)


def _counted(encounters: Encounters, divided: Array, thresholds: Thresholds) -> list[Finding]:
    """One finding for each region in which pairs are only counted."""
    findings = []
    for region in distinct(divided[divided != OWN]).tolist():
        which = np.flatnonzero(divided == region)
        # The gravest: a critical one where there is one, and the nearest of these.
        gravest = int(which[np.lexsort((encounters.closest_nm[which], ~encounters.critical[which]))[0]])
        suppressed_by = _words(np.any(encounters.reasons[which], axis=0))
        critical = 0 if suppressed_by else int(np.count_nonzero(encounters.critical[which]))
        rows = np.concatenate((encounters.pairs.first[which], encounters.pairs.second[which]))
        severity: Severity = "info" if suppressed_by else "critical" if critical else "warning"
        group = Group(
            "proximity",
            region,
            len(which),
            critical,
            len(distinct(rows)),
            severity,
            suppressed_by,
            _closest(encounters, gravest),
        )
        findings.append(finding_of(group, thresholds))
    return findings


def _words(reasons: Array) -> tuple[str, ...]:
    return tuple(word for word, applies in zip(REASONS, reasons.tolist(), strict=True) if applies)


def _closest(encounters: Encounters, index: int) -> Closest:
    return Closest(
        float(encounters.closest_at[index]),
        float(encounters.closest_nm[index]),
        round(float(encounters.closest_ft[index])),
    )


# How far an altitude may be from the one before: the steps of two encoders and the scatter of their times (ft), and
# the fastest climb and descent (ft/s).
SCATTER_FT, FASTEST_FPS = 500.0, 150.0
# After a gap (s) any altitude may be right.
GAP_S = 30.0


class AltitudeJumps:
    """Which aircraft have an altitude that nothing confirms.

    One that no aircraft can have reached since the one before counts once another confirms it. A flipped bit of an
    altitude code puts an aircraft thousands of feet from where it is until the next message, and two aircraft that pass
    each other at different levels are not near because of one such message.
    """

    def __init__(self) -> None:
        self._carried = Carried(believed=np.nan, latest=np.nan, at=np.nan, is_doubtful=False)

    def update(self, frame: Frame) -> Array:
        """The rows (as a mask) whose latest altitude is neither near the believed one nor near the one before it."""
        self._carried.carry(frame)
        believed, latest, at_before, is_doubtful = (
            self._carried[name] for name in ("believed", "latest", "at", "is_doubtful")
        )
        altitude, at = frame.column("alt_baro_ft"), frame.column("altitude_at")
        rows = ((at != at_before) | (altitude != latest)).nonzero()[0]
        new, passed_s = altitude[rows], at[rows] - at_before[rows]
        reach_ft = SCATTER_FT + FASTEST_FPS * np.maximum(passed_s, 0.0)
        # Where one of them is unknown nothing is far.
        is_far = (np.abs(new - believed[rows]) > reach_ft) & (np.abs(new - latest[rows]) > reach_ft)
        is_far &= ~(passed_s > GAP_S)
        believed[rows] = np.where(is_far, believed[rows], new)
        latest[rows], at_before[rows], is_doubtful[rows] = new, at[rows], is_far
        return is_doubtful
