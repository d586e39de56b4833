"""The table of drawn flights by kind and by reception: what is found, what is called wrongly, what is told in time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from skywatch.patterns.corpora.scoring import covered_s
from skywatch.patterns.corpora.tracks import BadLine, Segment, Track, find_patterns, read_tracks
from skywatch.patterns.findings import Pattern

TYPES = {
    "grid_survey": ("grid_search",),
    "search": ("area_search", "grid_search", "loitering"),
    "hover": ("stakeout", "loitering", "circling"),
    "stakeout": ("stakeout", "loitering"),
    "line": ("highway_tracking", "speed_trap"),
}
"""Labels that calls of these types find; others are found by calls of their own name."""

_PASSED_OVER = ("debatable", "drone_grid", "drone_orbit")
_LAPS = 2.0
_ALL = "all"


def received(path: Path) -> list[Track]:
    """Return the drawn flights of a file, none where it is not here."""
    lines = read_tracks(path) if path.is_file() else ()
    return [line for line in lines if not isinstance(line, BadLine) and line.label_hint not in _PASSED_OVER]


def _types(segment: Segment) -> tuple[str, ...]:
    return TYPES.get(segment.label, (segment.label,))


def _is_right(track: Track, p: Pattern) -> bool:
    """Return whether a call lies in a segment that it names, or covers half of one."""
    for g in track.segments:
        shared_s = min(p.t1, g.t1) - max(p.t0, g.t0)
        if p.pattern_type.value in _types(g) and shared_s >= 0.5 * min(g.t1 - g.t0, p.duration_s):
            return True
    return False


def count(tracks: Iterable[Track]) -> dict[tuple[str, str], Counter[str]]:
    """Return the counts of each kind and label, and of each reception and of all together."""
    rows: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for track in tracks:
        patterns = find_patterns(track)
        kind, reception = (track.source or "").removeprefix("drawn/"), track.reception or "?"
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for g in track.segments:
            hits = [p for p in patterns if p.pattern_type.value in _types(g)]
            begun = [p.detected_at for p in hits if p.t1 > g.t0 and p.t0 < g.t1]
            for name in (kind, f"= {g.label}"):
                counts[name]["segments"] += 1
                counts[name]["found"] += covered_s(g, hits) >= 0.5 * (g.t1 - g.t0)
                counts[name]["told"] += bool(begun and g.lap_s) and min(begun) - g.t0 <= _LAPS * (g.lap_s or 0.0)
        if not track.segments:
            for name in (kind, "= harmless"):
                counts[name]["harmless"] += 1
                counts[name]["alarmed"] += any(p.is_surveillance for p in patterns)
        for p in patterns:
            if p.pattern_type.value not in track.may_be and (track.segments or p.is_surveillance):
                name = "grid_survey" if p.pattern_type.value == "grid_search" else p.pattern_type.value
                counts[f"= {name}"]["right" if _is_right(track, p) else "wrong"] += 1
        for name, found in counts.items():
            for each in (reception, _ALL):
                rows[name, each].update(found)
    return rows


def lines(tracks: Iterable[Track]) -> list[str]:
    """Return the table as text: found / right, of segments found, of calls; of harmless flights the share alarmed."""
    rows = count(tracks)
    receptions = [*dict.fromkeys(reception for _, reception in rows if reception != _ALL), _ALL]
    text = [f"{'':<22}" + "".join(f"{each:>22}" for each in receptions)]
    for name in sorted(dict.fromkeys(name for name, _ in rows), key=lambda name: (name.startswith("="), name)):
        text.append(f"{name:<22}" + "".join(f"{_cell(rows.get((name, each), Counter())):>22}" for each in receptions))
    return text


def _cell(c: Counter[str]) -> str:
    if c["harmless"]:
        return f"{c['alarmed']}/{c['harmless']} alarmed"
    if not c["segments"]:
        return f"{c['wrong']} wrong" if c["wrong"] else ""
    calls = c["right"] + c["wrong"]
    right = f"/{c['right'] / calls:.2f}" if calls else ""
    return f"{c['found'] / c['segments']:.2f}{right} of {c['segments']}, {c['told'] / c['segments']:.2f}"
