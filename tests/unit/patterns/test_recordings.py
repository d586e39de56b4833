"""The targets, over the labelled flights; and what recorded feeds show through the fleet."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks._pattern_corpora import recordings
from skywatch.patterns.corpora.scoring import Score, score
from skywatch.patterns.corpora.tracks import Track, find_patterns
from skywatch.patterns.findings import Pattern
from skywatch.patterns.fleet import PatternFleet

pytestmark = pytest.mark.deep("walks a corpus")

AGAIN = pytest.mark.nightly("another recording of the same kind")
# A helicopter circled over the same race on 19 days: so many of them say what all do.
CIRCLING_OF_ONE_AIRCRAFT = 8


def judged(tracks: Iterable[Track]) -> Iterator[Track]:
    """The flights that are scored; an uncertain label is passed over anyway."""
    circling: Counter[str] = Counter()
    for track in tracks:
        is_circling = track.label_hint == "circling"
        circling[track.icao24] += is_circling
        if track.label_certain and not (is_circling and circling[track.icao24] > CIRCLING_OF_ONE_AIRCRAFT):
            yield track


@pytest.fixture(scope="module")
def total(shared_data: Path) -> Score:
    return score((track, find_patterns(track)) for track in judged(recordings(shared_data)))


def test_circling(total: Score) -> None:
    s = total.labels["circling"]
    assert s.flights_found > 45
    assert s.flights_missed == 0
    assert s.flights_found / (s.flights_found + s.flights_false) >= 0.97
    assert s.segments_found / s.segments >= 0.96
    assert s.patterns_right / (s.patterns_right + s.patterns_false) >= 0.99
    assert s.begun_in_time / s.segments_begun >= 0.92
    assert sorted(s.delays_turns)[len(s.delays_turns) // 2] <= 2.0


@pytest.mark.parametrize(("kind", "precision"), [("grid_search", 0.9), ("racetrack", 0.75)])
def test_grids_and_racetracks(total: Score, kind: str, precision: float) -> None:
    s = total.labels[kind]
    assert s.flights_missed == 0
    assert s.segments_found / s.segments >= 0.85
    assert s.patterns_right / (s.patterns_right + s.patterns_false) >= precision


def test_false_alarms(total: Score) -> None:
    assert total.flights["ordinary"] > 900
    assert total.surveillance["ordinary"] / total.flights["ordinary"] <= 0.001
    assert total.surveillance["aerodrome_circuit"] == 0
    assert total.surveillance["single_lap"] == 0
    # Two of 29: airwork of light aircraft.
    assert total.surveillance["other_negative"] <= 2


def ticks(path: Path) -> Iterator[tuple[list[str], np.ndarray]]:
    """The aircraft of each snapshot that are in the air, with t, lat, lon, altitude, speed and track."""
    with gzip.open(path) as lines:
        for line in lines:
            snapshot = json.loads(line)
            seen = {
                a["hex"]: (
                    snapshot["now"] - a.get("seen_pos", 0.0),
                    a["lat"],
                    a["lon"],
                    a.get("alt_baro", np.nan),
                    a.get("gs", np.nan),
                    a.get("track", np.nan),
                )
                for a in snapshot["aircraft"]
                if "lat" in a and a.get("alt_baro") != "ground"
            }
            yield list(seen), np.array(list(seen.values()), dtype=float).reshape(-1, 6)


def through_fleet(path: Path) -> list[Pattern]:
    fleet = PatternFleet()
    found: dict[tuple[str, int], Pattern] = {}
    known: set[str] = set()
    events = []
    for addresses, values in ticks(path):
        events += fleet.leave(sorted(known - set(addresses)))
        known = set(addresses)
        events += fleet.update(addresses, *values.T)
    for address, event in [*events, *fleet.close()]:
        found[address, event.pattern.number] = event.pattern
    return [pattern for pattern in found.values() if "superseded_by" not in pattern.details]


@pytest.mark.parametrize(
    "feed",
    ["switzerland_30min", *(pytest.param(one, marks=AGAIN) for one in ("california_30min", "michigan_session1"))],
)
def test_ordinary_traffic_raises_nothing(shared_data: Path, feed: str) -> None:
    assert [p for p in through_fleet(shared_data / "feeds" / f"{feed}.jsonl.gz") if p.is_surveillance] == []


@pytest.mark.parametrize("sortie", ["081", pytest.param("092", marks=AGAIN)])
def test_a_police_helicopter_is_found_circling(shared_data: Path, sortie: str) -> None:
    patterns = through_fleet(shared_data / "feeds" / f"la_police_n520pd_{sortie}_times_reconstructed.jsonl.gz")
    longest = max(patterns, key=lambda p: p.duration_s)
    assert longest.pattern_type == "circling"
    assert longest.is_surveillance
    assert longest.confidence == "high"
    assert longest.duration_s > 600.0
