"""How well patterns found agree with labels: by flight, by segment, in time, and how often they cry wolf.

A label's segment counts as found when patterns of its type cover at least half of it; strictly, when one pattern and
the segment share at least half of the time that either of them takes. A flight that has a label may fly patterns
outside its segments too: those can be called neither right nor wrong and are counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import atan2, degrees, hypot
from statistics import median

from skywatch.patterns.corpora.tracks import Segment, Track
from skywatch.patterns.findings import Pattern, PatternType
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import LocalPlane, wrap_deg
from skywatch.patterns.track.trail import Trail

_NAMES = {"grid_survey": "grid_search"}
"""Labels of recordings that are called otherwise here."""

_MAY_BE = {"aerodrome_circuit": ("racetrack",)}
"""Labels whose flights may be called these types by their shape."""
_ORDINARY = "ordinary"
_JITTER_DEG = 45.0
"""A heading that goes back by less (deg) only jitters."""
_BEGINS_S = 30.0
"""A segment begins in the track where the track is this much older (s)."""


@dataclass
class LabelScore:
    """What was counted for one type of pattern."""

    flights_found: int = 0
    flights_missed: int = 0
    flights_false: int = 0
    segments: int = 0
    segments_found: int = 0
    segments_strict: int = 0
    patterns_right: int = 0
    patterns_false: int = 0
    patterns_outside: int = 0
    segments_begun: int = 0
    """Segments that begin in the track, not before it."""
    begun_in_time: int = 0
    """Those of them that were reported within two turns."""
    delays_s: list[float] = field(default_factory=list)
    delays_turns: list[float] = field(default_factory=list)


@dataclass
class Score:
    """The counts of a whole file."""

    labels: dict[str, LabelScore] = field(default_factory=dict)
    flights: Counter[str] = field(default_factory=Counter)
    """Scored flights by hint."""
    surveillance: Counter[str] = field(default_factory=Counter)
    """Flights with a pattern called surveillance, by hint."""
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Flights by hint and type of pattern found."""
    exact: bool = False
    """Whether a labelled flight is known to fly no pattern outside its segments, as drawn ones are."""
    by_source: bool = False
    """Count confusion and surveillance by the source of the flights instead of their hint."""

    def add(self, track: Track, patterns: Sequence[Pattern]) -> None:
        """Count one flight; flights whose label is uncertain are passed over."""
        if not track.label_certain:
            return
        hint = (track.source if self.by_source else track.label_hint) or "unlabelled"
        patterns = [p for p in patterns if not _mostly_within(p, track.unjudged)]
        self.flights[hint] += 1
        self.surveillance[hint] += any(p.is_surveillance for p in patterns)
        for kind in {p.pattern_type.value for p in patterns} or {"nothing"}:
            self.confusion[hint, kind] += 1
        labelled: dict[str, list[Segment]] = {}
        for segment in track.segments:
            labelled.setdefault(_NAMES.get(segment.label, segment.label), []).append(segment)
        for kind in {*labelled, *(p.pattern_type.value for p in patterns)}:
            matches = [p for p in patterns if p.pattern_type.value == kind]
            # By its shape it may be that: no error while it is not called surveillance.
            if kind in (*track.may_be, *_MAY_BE.get(track.label_hint or "", ())):
                matches = [p for p in matches if p.is_surveillance]
            extra = [segment for segment in track.also if _NAMES.get(segment.label, segment.label) == kind]
            if not labelled.get(kind):
                matches = [p for p in matches if not _mostly_within(p, extra)]
            self._add_label(self.labels.setdefault(kind, LabelScore()), track, labelled.get(kind, []), extra, matches)

    def _add_label(
        self, s: LabelScore, track: Track, labelled: list[Segment], extra: list[Segment], matches: list[Pattern]
    ) -> None:
        if labelled:
            s.flights_found += bool(matches)
            s.flights_missed += not matches
        else:
            s.flights_false += bool(matches)
            s.patterns_false += len(matches)
        for segment in labelled:
            shared = [_shared_s(segment, p) for p in matches]
            s.segments += 1
            s.segments_found += covered_s(segment, matches) >= 0.5 * (segment.t1 - segment.t0)
            s.segments_strict += any(_union_share(segment, p) >= 0.5 for p in matches)
            hits = [p for p, overlap in zip(matches, shared, strict=True) if overlap > 0.0]
            if hits:
                first = min(hits, key=lambda p: p.detected_at)
                s.delays_s.append(first.detected_at - segment.t0)
                s.delays_turns.append(_turns_between(track, segment.t0, first.detected_at, first))
            if track.points and segment.t0 - (track.points[0][0] or 0.0) >= _BEGINS_S:
                s.segments_begun += 1
                s.begun_in_time += bool(hits) and s.delays_turns[-1] <= 2.0
        for pattern in matches if labelled else ():
            overlap = sum(_shared_s(segment, pattern) for segment in labelled)
            covers = any(_shared_s(g, pattern) >= 0.5 * (g.t1 - g.t0) for g in labelled)
            right = covers or overlap >= 0.5 * pattern.duration_s or _mostly_within(pattern, extra)
            s.patterns_right += right
            s.patterns_outside += not right and not self.exact
            s.patterns_false += not right and self.exact


def score(results: Iterable[tuple[Track, Sequence[Pattern]]]) -> Score:
    """Return the score of flights with the patterns found in them."""
    total = Score()
    for track, patterns in results:
        total.add(track, patterns)
    return total


def _shared_s(segment: Segment, pattern: Pattern) -> float:
    return max(0.0, min(segment.t1, pattern.t1) - max(segment.t0, pattern.t0))


def covered_s(segment: Segment, patterns: Iterable[Pattern]) -> float:
    """Return how much of a segment (s) the union of patterns covers."""
    covered, at = 0.0, segment.t0
    for pattern in sorted(patterns, key=lambda p: p.t0):
        begin, end = max(pattern.t0, at), min(pattern.t1, segment.t1)
        if end > begin:
            covered += end - begin
            at = end
    return covered


def _mostly_within(pattern: Pattern, segments: Iterable[Segment]) -> bool:
    return sum(_shared_s(segment, pattern) for segment in segments) > 0.5 * pattern.duration_s


def _union_share(segment: Segment, pattern: Pattern) -> float:
    union = max(segment.t1, pattern.t1) - min(segment.t0, pattern.t0)
    return _shared_s(segment, pattern) / max(union, 1e-9)


def _turns_between(track: Track, t0: float, t1: float, pattern: Pattern) -> float:
    """Return the circles turned to either side between two times; what the heading jitters does not count.

    The turns of laps are those of chords of a twelfth of a lap: recordings that were interpolated go to and fro between
    their own positions.
    """
    headings = _headings(track, t0, t1) if "lap_s" not in pattern.details else _chord_headings(track, t0, t1, pattern)
    begin: float | None = None
    turned, low, high, sense = 0.0, 0.0, 0.0, 0
    for turn in headings:
        if begin is None:
            begin = low = high = turn
        low, high = min(low, turn), max(high, turn)
        if sense >= 0 and turn < high - _JITTER_DEG:
            turned += high - begin if sense else 0.0
            begin, low, sense = (high, turn, -1)
        elif sense <= 0 and turn > low + _JITTER_DEG:
            turned += begin - low if sense else 0.0
            begin, high, sense = (low, turn, 1)
    if begin is not None:
        turned += high - begin if sense > 0 else begin - low if sense < 0 else 0.0
    return turned / 360.0


def _headings(track: Track, t0: float, t1: float) -> Iterator[float]:
    """Yield the unwound heading (deg) at the positions between two times."""
    trail = Trail(PatternSettings())
    for point in track.points:
        t, lat, lon = point[:3]
        if t is None or lat is None or lon is None or t > t1:
            return
        trail.add(t, lat, lon, *point[3:6])
        if t > t0:
            yield trail.turn_deg


def _chord_headings(track: Track, t0: float, t1: float, pattern: Pattern) -> Iterator[float]:
    """Yield the unwound course (deg) of chords of a twelfth of the pattern's laps between two times."""
    chord_nm = pattern.details["speed_kt"] * pattern.details["lap_s"] / 3600.0 / 12.0
    plane: LocalPlane | None = None
    at: tuple[float, float] | None = None
    heading: float | None = None
    for t, lat, lon, *_ in track.points:
        if t is None or lat is None or lon is None or not t0 <= t <= t1:
            continue
        # The pattern's own place is another one where it was found in a moved copy of the flight.
        plane = plane or LocalPlane(lat, lon)
        x, y = plane.project(lat, lon)
        if at is None:
            at = x, y
        elif hypot(x - at[0], y - at[1]) >= chord_nm:
            course = degrees(atan2(x - at[0], y - at[1]))
            heading = course if heading is None else heading + wrap_deg(course - heading)
            at = x, y
            yield heading


def report(total: Score) -> list[str]:
    """Return the score as lines of text: labels, false alarms, confusion."""
    lines = [
        "label             flights: recall precision    F1  segments: recall strict precision outside"
        "   delay: median s  turns  within 2"
    ]
    for kind, s in sorted(total.labels.items()):
        if not s.segments:
            continue
        recall = s.flights_found / (s.flights_found + s.flights_missed)
        named = s.flights_found + s.flights_false
        precision = s.flights_found / named if named else 0.0
        f1 = 2.0 * recall * precision / (recall + precision) if recall + precision else 0.0
        judged = s.patterns_right + s.patterns_false
        within = s.begun_in_time / max(s.segments_begun, 1)
        lines.append(
            f"{kind:<17} {s.flights_found + s.flights_missed:7d}  {recall:6.3f}    {precision:6.3f} {f1:5.3f}"
            f"  {s.segments:8d}  {s.segments_found / s.segments:6.3f} {s.segments_strict / s.segments:6.3f}"
            f"    {s.patterns_right / judged if judged else 0.0:6.3f} {s.patterns_outside:7d}"
            f"   {median(s.delays_s or [0.0]):15.0f}  {median(s.delays_turns or [0.0]):5.2f}  {within:8.2f}"
        )
    ordinary = total.flights[_ORDINARY]
    if ordinary:
        alarms = total.surveillance[_ORDINARY]
        share = 1000.0 * alarms / ordinary
        lines.append(f"called surveillance: {alarms} of {ordinary} ordinary flights, {share:.2f} in a thousand")
    for hint in sorted(total.flights):
        if hint not in (_ORDINARY, *_NAMES) and hint not in {kind.value for kind in PatternType}:
            lines.append(f"called surveillance: {total.surveillance[hint]} of {total.flights[hint]} flights of {hint}")
    kinds = [*(kind.value for kind in PatternType), "nothing"]
    lines.append("flights with     " + " ".join(f"{kind[:9]:>9}" for kind in kinds))
    for hint in sorted(total.flights):
        cells = " ".join(f"{total.confusion[hint, kind] or '.':>9}" for kind in kinds)
        lines.append(f"{hint:<17}{cells}")
    return lines
