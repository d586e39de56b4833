"""The table of flight patterns by kind of drawn flight: what is found, called rightly, called surveillance, in time.

It also counts the flights that have two names for one stretch of time, and sums kinds up by what they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from skywatch.patterns.corpora.scoring import LabelScore, Score
from skywatch.patterns.corpora.tracks import Track, find_patterns
from skywatch.patterns.findings import Pattern
from tests.unit.patterns.drawn.wide.corpus import KINDS, ORDINARY

_SHARED = 0.5
"""Two patterns share a stretch of time where they overlap by this share of the shorter."""


@dataclass
class Row:
    """One kind of flight."""

    flights: int = 0
    surveillance: int = 0
    two_names: int = 0
    score: Score = field(default_factory=lambda: Score(exact=True, by_source=True))
    calls: Counter[str] = field(default_factory=Counter)
    """Flights by type of pattern, with `*` where it is no surveillance."""


@dataclass
class Table:
    """The rows by kind, and the sum of all."""

    rows: dict[str, Row] = field(default_factory=dict)
    total: Score = field(default_factory=lambda: Score(exact=True, by_source=True))
    steady: Score = field(default_factory=lambda: Score(exact=True, by_source=True))
    """The same without figures of eight, which take two and a half turns to be told."""

    def add(self, track: Track, patterns: Sequence[Pattern]) -> None:
        """Count one flight of the wider corpus."""
        kind = track.source or ""
        row = self.rows.setdefault(kind, Row())
        row.flights += 1
        row.surveillance += any(p.is_surveillance for p in patterns)
        row.two_names += has_two_names(patterns)
        row.calls.update({p.pattern_type.value + "*" * (not p.is_surveillance) for p in patterns} or {"nothing"})
        judged = _judged(track, patterns)
        for score in (row.score, self.total, *(() if "eights" in kind else (self.steady,))):
            score.add(track, judged)

    @property
    def ordinary_share(self) -> float:
        """Share of the ordinary flights that are called surveillance."""
        rows = [self.rows[kind] for kind in ORDINARY if kind in self.rows]
        return sum(row.surveillance for row in rows) / max(sum(row.flights for row in rows), 1)

    def recall(self, label: str) -> float:
        """Return the share of the segments of one label that calls cover by half."""
        s = self.total.labels[label]
        return s.segments_found / s.segments

    def precision(self, label: str) -> float:
        """Return the share of the calls of one type that are right; with an ordinary reason none is wrong."""
        s = self.total.labels[label]
        return s.patterns_right / max(s.patterns_right + s.patterns_false, 1)

    def within_two_turns(self) -> float:
        """Return the share of circling, without figures of eight, that is reported within two turns."""
        s = self.steady.labels.get("circling", LabelScore())
        return s.begun_in_time / max(s.segments_begun, 1)


def has_two_names(patterns: Sequence[Pattern]) -> bool:
    """Return whether two types of pattern are called for one stretch of time."""
    return any(
        a.pattern_type is not b.pattern_type
        and min(a.t1, b.t1) - max(a.t0, b.t0) > _SHARED * min(a.duration_s, b.duration_s)
        for a, b in combinations(patterns, 2)
    )


def _judged(track: Track, patterns: Sequence[Pattern]) -> list[Pattern]:
    """Return the patterns that count: of an ordinary flight a call with an ordinary reason is no error."""
    return [p for p in patterns if track.segments or p.is_surveillance]


def tabulate(tracks: Iterable[Track]) -> Table:
    """Find the patterns of flights of the wider corpus and count them."""
    table = Table()
    for track in tracks:
        table.add(track, find_patterns(track))
    return table


def lines(table: Table) -> list[str]:
    """Return the table as text."""
    text = [f"{'kind':<20} flights  found  right  in time  surveillance  two names  called"]
    for kind, row in table.rows.items():
        label = KINDS[kind].label
        s = row.score.labels.get(label or "", LabelScore())
        judged = sum(each.patterns_right + each.patterns_false for each in row.score.labels.values())
        right = f"{s.patterns_right / judged:6.3f}" if label and judged else f"{'':6}"
        recall = f"{s.segments_found / s.segments:6.3f}" if s.segments else f"{'':6}"
        in_time = f"{s.begun_in_time / s.segments_begun:7.2f}" if s.segments_begun else f"{'':7}"
        calls = ", ".join(f"{name} {count}" for name, count in row.calls.most_common())
        text.append(f"{kind:<20} {row.flights:7d} {recall} {right}  {in_time}  {row.surveillance:12d}"
                    f"  {row.two_names:9d}  {calls}")  # fmt: skip
    text.append(f"{'type':<20} segments  found  calls  right  in time")
    for label, s in sorted(table.total.labels.items()):
        judged = s.patterns_right + s.patterns_false
        if s.segments:
            timely = s.begun_in_time / max(s.segments_begun, 1)
            text.append(f"{label:<20} {s.segments:8d} {table.recall(label):6.3f} {judged:6d}"
                        f" {table.precision(label):6.3f} {timely:8.2f}")  # fmt: skip
        else:
            text.append(f"{label:<20} {'':8} {'':6} {judged:6d}")
    text.append(f"circling without figures of eight within two turns: {table.within_two_turns():.3f}")
    text.append(f"ordinary flights called surveillance: {table.ordinary_share:.4f}")
    text.append(f"flights with two names at a time: {sum(row.two_names for row in table.rows.values())}")
    return text
