"""The drawn corpus: what must be found, what must not be called surveillance; neither side nor place matters."""

from __future__ import annotations

import random

import pytest

from benchmarks.patterns import CASES, moved, thinned
from skywatch.patterns.corpora.scoring import Score
from skywatch.patterns.corpora.tracks import Track, find_patterns
from skywatch.patterns.findings import Pattern
from tests.unit.patterns.drawn.corpus import KINDS, draw

pytestmark = pytest.mark.deep("walks a corpus")

ORDINARY = ("spiral_descent", "practice_hold", "jet_hold", "thermal", "parachutes", "circuits", "travel", "single_lap",
            "steep_turns", "loop_in_loop")  # fmt: skip


@pytest.fixture(scope="module")
def flights() -> list[tuple[Track, list[Pattern]]]:
    return [(track, find_patterns(track)) for track in draw(7, 2)]


@pytest.fixture(scope="module")
def total(flights: list[tuple[Track, list[Pattern]]]) -> Score:
    total = Score(exact=True, by_source=True)
    for track, patterns in flights:
        total.add(track, patterns)
    return total


def test_a_seed_draws_the_same_flights() -> None:
    first, second = (next(draw(3, 1, kinds=("hand_flown",))) for _ in range(2))
    assert first == second
    assert first.points != next(draw(4, 1, kinds=("hand_flown",))).points


def test_every_kind_of_watching_is_found(total: Score) -> None:
    for label in ("circling", "racetrack", "grid_search"):
        s = total.labels[label]
        assert s.segments_found >= 0.9 * s.segments, label
        assert s.patterns_right >= 0.9 * (s.patterns_right + s.patterns_false), label


@pytest.mark.parametrize("kind", ORDINARY)
def test_ordinary_turns_are_no_surveillance(total: Score, kind: str) -> None:
    assert total.flights[kind] == 2
    assert total.surveillance[kind] == 0


@pytest.mark.parametrize("kind", ["orbit", "following", "eights", "road", "close_lanes", "wide_field"])
def test_watching_is_surveillance(total: Score, kind: str) -> None:
    assert total.flights[kind] == 2
    assert total.surveillance[kind] == 2


def test_a_road_whose_bends_look_like_procedure_turns_is_no_approach() -> None:
    *_, road = draw(1, 18, kinds=("road",))
    (pattern,) = find_patterns(road)
    assert (pattern.pattern_type, pattern.is_surveillance) == ("highway_tracking", True)


@pytest.mark.parametrize(
    ("kind", "reasons"),
    [
        ("spiral_descent", {"spiral_descent"}),
        ("practice_hold", {"practice_hold"}),
        ("jet_hold", {"holding", "fast"}),
        ("thermal", {"thermal"}),
        ("circuits", {"aerodrome_circuit"}),
        ("parachutes", {"parachute_dropping", "spiral_climb", "spiral_descent", "aerodrome_circuit"}),
    ],
)
def test_ordinary_reasons_are_named(flights: list[tuple[Track, list[Pattern]]], kind: str, reasons: set[str]) -> None:
    given = [p.details["reason"] for track, patterns in flights if track.source == kind for p in patterns]
    assert given
    assert set(given) <= reasons


def test_a_hold_hardly_longer_than_wide_is_practised_too() -> None:
    *_, hold = draw(12, 4, stretch=1.2, kinds=("practice_hold",))
    (pattern,) = find_patterns(hold)
    assert (pattern.pattern_type, pattern.details["reason"]) == ("circling", "practice_hold")


def test_turns_and_times_agree(flights: list[tuple[Track, list[Pattern]]]) -> None:
    """Turns times the usual lap is about as long as the pattern lasted, which ends with its last lap."""
    for track, patterns in flights:
        if track.source not in ("orbit", "oval"):
            continue
        (segment,) = track.segments
        for p in patterns:
            assert p.t1 <= segment.t1 + 30.0
            if "turns" in p.details:
                assert p.details["turns"] * p.details["lap_s"] == pytest.approx(p.duration_s, rel=0.2)


def found(track: Track) -> list[tuple[str, float, bool]]:
    return [(p.pattern_type.value, p.t0, p.is_surveillance) for p in find_patterns(track)]


@pytest.mark.parametrize("kind", ["hand_flown", "changing_oval", "two_blocks", "practice_hold"])
def test_turned_mirrored_and_moved_change_nothing(flights: list[tuple[Track, list[Pattern]]], kind: str) -> None:
    track = next(track for track, _ in flights if track.source == kind)
    as_flown = found(track)
    assert as_flown
    for change in (moved(45.0, 5.0, mirror=True), moved(-40.0, 180.0, turned=90.0), moved(70.0, 10.0, turned=37.0)):
        assert found(Track(change(track.points, random.Random(1)), track.id)) == as_flown


def test_sparse_positions_make_a_pattern_less_sure_but_no_less_found() -> None:
    for track in draw(7, 2, kinds=("orbit",)):
        sparse = Track(thinned(20.0)(track.points, random.Random(1)), track.id)
        lap_s = max(p.details["lap_s"] for p in find_patterns(track))
        if lap_s < 100.0:
            continue
        (seldom,) = find_patterns(sparse)
        assert seldom.pattern_type == "circling"
        assert seldom.confidence_score <= max(p.confidence_score for p in find_patterns(track)) + 0.01


def test_circles_of_which_the_first_look_like_ovals_in_few_places_are_circling() -> None:
    *_, flight = draw(21, 31, kinds=("hand_flown",))
    seldom = Track(CASES["multilateration only"](flight.points, random.Random(1)), flight.id)
    assert {p.pattern_type.value for p in find_patterns(seldom)} == {"circling"}


def test_every_kind_is_drawn() -> None:
    assert {track.source for track in draw(1, 1)} == set(KINDS)
