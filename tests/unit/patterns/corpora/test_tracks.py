"""Reading tracks, scoring what was found, and the command."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.patterns import moved, noisy
from skywatch.patterns.command import patterns
from skywatch.patterns.corpora.scoring import Score, report, score
from skywatch.patterns.corpora.tracks import BadLine, Segment, Track, TracksError, find_patterns, read_tracks
from skywatch.patterns.tracker import PatternTracker
from tests.unit.patterns.flights import START, Flight, Position, circuits


def line(positions: list[Position], **kw: object) -> str:
    return json.dumps({"id": "f1", "icao24": "abc123", "points": positions, **kw})


def orbit() -> list[Position]:
    return Flight().straight(5.0).orbit(4.0, 0.8).straight(5.0).positions()


def _scored(track: Track) -> Score:
    return score([(track, find_patterns(track))])


def run(*arguments: object) -> Result:
    return CliRunner().invoke(patterns, [str(a) for a in arguments])


def test_command_prints_a_line_for_each_pattern(tmp_path: Path) -> None:
    path = tmp_path / "tracks.jsonl"
    path.write_text(line(orbit()) + "\n\n" + line(Flight().straight(20.0).positions(), id="f2") + "\n")
    result = run(path)
    assert result.exit_code == 0
    (found,) = [json.loads(text) for text in result.stdout.splitlines()]
    assert found["flight_id"] == found["id"] == "f1"
    assert found["icao24"] == "abc123"
    assert found["pattern_type"] == "circling"
    assert found["is_surveillance"] is True
    assert 0.5 <= found["confidence_score"] <= 1.0
    assert START < found["t0"] < found["detected_at"] <= found["t1"]
    assert found["duration_s"] == pytest.approx(found["t1"] - found["t0"])
    assert found["radius_nm"] == pytest.approx(0.8, rel=0.1)
    assert found["centre"] == pytest.approx([52.083, 5.022], abs=0.01)


def test_a_table_for_people(tmp_path: Path) -> None:
    path = tmp_path / "flights.jsonl"
    path.write_text(line(orbit(), callsign="AB\x1b[2J") + "\n")
    result = run(path, "--table")
    assert (result.exit_code, result.stderr) == (0, "")
    head, *rows = result.stdout.splitlines()
    (found,) = [json.loads(text) for text in run(path).stdout.splitlines()]
    (row,) = rows
    assert "\x1b" not in row
    assert row[head.index("Pattern") :].split()[0] == found["pattern_type"].split("_")[0]
    assert f"({found['confidence_score']:.2f})" in row
    assert row.endswith(f"{found['radius']:.1f} nm")
    both = run(path, "--table", "--score")
    assert both.exit_code == 2


def test_gzip_is_told_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "tracks"
    path.write_bytes(gzip.compress(line(orbit()).encode()))
    assert len(run(path).stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "truncated"),
        ("[1, 2]", "Expected `object`"),
        ('{"id": "x"}', "points"),
        ('{"id": 5, "points": []}', "Expected `str`"),
        ('{"points": [[1, 2]]}', "has 2 values"),
        ('{"points": [[1, 2, 3, 4, 5, 6, 7, 8]]}', "has 8 values"),
        ('{"points": [[1, null, 3]]}', "lacks"),
        ('{"points": [["1", 2, 3]]}', "Expected"),
        ('{"points": [[1e999, 2, 3]]}', "out of range"),
        ('{"points": [[NaN, 2, 3]]}', "malformed"),
        ('{"points": [[1700000000000, 2, 3]]}', "out of range"),
        ('{"points": [[1, 2, 3, 1e308, 1e308, 1e308, -1e308]]}', "out of range"),
        ('{"points": [[1, 1e308, 3]]}', "out of range"),
    ],
)
def test_malformed_lines_are_named_and_the_rest_is_read(tmp_path: Path, bad: str, reason: str) -> None:
    path = tmp_path / "tracks.jsonl"
    path.write_text("\n".join([line(orbit()), bad, line(orbit(), id="f3")]))
    result = run(path)
    assert result.exit_code == 0
    assert [json.loads(text)["id"] for text in result.stdout.splitlines()] == ["f1", "f3"]
    named, counted = result.stderr.splitlines()
    assert named.startswith(f"{path}:2: ")
    assert reason in named
    assert "1 of 3 lines" in counted


def test_few_malformed_lines_are_named_and_all_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "tracks.jsonl"
    path.write_text(line(orbit()) + "\n" + "rubbish\n" * 500)
    result = run(path)
    assert result.exit_code == 0
    assert len(result.stderr.splitlines()) == 21
    assert "500 of 501 lines" in result.stderr


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\x00\xff\x1a3\x80rubbish", b"Not a track\n", b'{"a": 1}\n'])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    result = run(path)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "has no flight track" in result.stderr.splitlines()[-1]


def test_missing_files_folders_and_cut_archives_are_one_line(tmp_path: Path) -> None:
    whole = gzip.compress("\n".join(line(orbit(), id=f"f{n}") for n in range(50)).encode())
    cut = tmp_path / "cut.gz"
    cut.write_bytes(whole[: len(whole) // 2])
    for path in (tmp_path / "missing", tmp_path, cut):
        result = run(path)
        assert result.exit_code == 1
        assert len(result.stderr.splitlines()) == 1
        assert str(path) in result.stderr
    with pytest.raises(TracksError):
        list(read_tracks(cut))


def test_flights_before_the_cut_of_an_archive_are_judged(tmp_path: Path) -> None:
    # The second flight is noise, which does not pack: the cut is in the middle of it.
    noise = "".join(random.Random(1).choices("0123456789abcdef", k=200_000))
    whole = gzip.compress((line(orbit()) + "\n" + line(orbit(), id="f2", callsign=noise)).encode())
    cut = tmp_path / "cut.gz"
    cut.write_bytes(whole[: len(whole) // 2])
    result = run(cut)
    assert result.exit_code == 1
    assert [json.loads(text)["id"] for text in result.stdout.splitlines()] == ["f1"]
    assert result.stderr == f"skywatch: {cut}: the compressed file is cut\n"


def test_archives_may_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "tracks.gz"
    path.write_bytes(gzip.compress((line(orbit()) + "\n").encode()) * 2)
    assert len(run(path).stdout.splitlines()) == 2


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_dash_reads_standard_input(packed: bool) -> None:
    text = line(orbit()).encode() + b"\nrubbish\n"
    result = CliRunner().invoke(patterns, ["-"], input=gzip.compress(text) if packed else text)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["flight_id"] == "f1"
    assert result.stderr.startswith("-:2: ")


def test_a_line_begins_with_the_fields_that_every_judge_needs(tmp_path: Path) -> None:
    path = tmp_path / "tracks.jsonl"
    path.write_text(line(orbit(), callsign="N1PD"))
    found = json.loads(run(path).stdout)
    asked = ["flight_id", "icao24", "pattern_type", "confidence_score", "t0", "t1", "centre", "radius", "detected_at"]
    assert list(found)[:9] == asked
    assert (found["id"], found["radius_nm"]) == (found["flight_id"], found["radius"])


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "tracks.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line(orbit()).encode() + b"\r\n")
    assert len(run(path).stdout.splitlines()) == 1


def test_positions_out_of_order_or_repeated_are_put_in_order() -> None:
    positions = [list(position) for position in orbit()]
    expected = find_patterns(Track(positions))
    mixed = positions * 2
    random.Random(1).shuffle(mixed)
    assert find_patterns(Track(mixed)) == expected
    assert find_patterns(Track(positions[:1])) == find_patterns(Track([])) == []


@pytest.mark.deep("costs over a processor second")
def test_a_flight_of_100_000_positions_is_one_line_like_any_other(tmp_path: Path) -> None:
    flight = Flight()
    while len(flight.track) < 100_000:
        flight.straight(20.0).orbit(5.0, 0.8)
    path = tmp_path / "tracks.jsonl"
    path.write_text(line(flight.positions(1.0)[:100_000]) + "\n" + line(orbit(), id="f2"))
    found = [json.loads(text) for text in run(path).stdout.splitlines()]
    assert found[-1]["id"] == "f2"
    assert len(found) > 50


@pytest.mark.deep("costs over a processor second")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "tracks.jsonl"
    path.write_text(line(orbit()))
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from skywatch.cli import main; main()", "patterns", str(path)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "skywatch: the patterns cannot be written: No space left on device\n"


def test_wrong_tracks_add_no_turns_to_the_time_until_a_report() -> None:
    flight = Flight().straight(5.0)
    t0 = flight.t
    flight.orbit(4.0, 0.8)
    points = [list(p) for p in flight.straight(5.0).positions()]
    # Interpolated recordings have wrong tracks now and then.
    spiked = [[*p[:5], (p[5] + 60.0) % 360.0 if number % 7 == 0 else p[5], None] for number, p in enumerate(points)]
    label = [Segment("circling", t0, flight.t - 200.0)]
    (smooth,) = _scored(Track(points, segments=label)).labels["circling"].delays_turns
    (jumpy,) = _scored(Track(spiked, segments=label)).labels["circling"].delays_turns
    assert smooth == pytest.approx(1.5, abs=0.2)
    assert jumpy == pytest.approx(smooth, abs=0.3)


def test_a_flight_moved_elsewhere_takes_as_many_turns_until_a_report() -> None:
    """Benchmarks score patterns of a moved copy against the times of the flight as recorded."""
    flight = Flight(lat=55.0).straight(5.0)
    t0 = flight.t
    flight.orbit(4.0, 0.8)
    points = noisy(20.0)([list(p) for p in flight.straight(5.0).positions()], random.Random(1))
    label = [Segment("circling", t0, flight.t - 200.0)]
    there = find_patterns(Track(moved(-50.0, -170.0, turned=90.0)(points, random.Random(1))))
    (here_turns,) = _scored(Track(points, segments=label)).labels["circling"].delays_turns
    (there_turns,) = score([(Track(points, segments=label), there)]).labels["circling"].delays_turns
    assert there_turns == pytest.approx(here_turns, abs=0.1)


def test_score_of_a_labelled_file(tmp_path: Path) -> None:
    segment = {"label": "circling", "t0": START + 200.0, "t1": START + 1000.0}
    path = tmp_path / "tracks.jsonl"
    path.write_text(
        "\n".join(
            [
                line(orbit(), label_hint="circling", segments=[segment]),
                line(Flight().straight(20.0).positions(), label_hint="ordinary"),
                line(circuits(5), label_hint="aerodrome_circuit"),
            ]
        )
    )
    result = run(path, "--score")
    assert result.exit_code == 0
    row = next(text for text in result.stdout.splitlines() if text.startswith("circling"))
    assert row.split()[1:5] == ["1", "1.000", "1.000", "1.000"]
    assert "0 of 1 ordinary flights" in result.stdout
    assert "0 of 1 flights of aerodrome_circuit" in result.stdout


def test_scoring_counts_misses_and_false_alarms() -> None:
    circling = find_patterns(Track([list(p) for p in orbit()], "f1", "abc123"))
    (pattern,) = circling
    right = Track([], segments=[Segment("circling", pattern.t0, pattern.t1)], label_hint="circling")
    half = Track([], segments=[Segment("circling", pattern.t0, pattern.t1 + 5000.0)], label_hint="circling")
    missed = Track([], segments=[Segment("grid_survey", 0.0, 100.0)], label_hint="grid_survey")
    ordinary = Track([], label_hint="ordinary")
    unsure = Track([], label_hint="ambiguous", label_certain=False)
    total = score([(right, circling), (half, circling), (missed, []), (ordinary, circling), (unsure, circling)])
    label = total.labels["circling"]
    assert (label.flights_found, label.flights_missed, label.flights_false) == (2, 0, 1)
    assert (label.segments, label.segments_found, label.segments_strict) == (2, 1, 1)
    assert (label.patterns_right, label.patterns_false) == (2, 1)
    assert total.labels["grid_search"].flights_missed == 1
    assert total.surveillance["ordinary"] == 1
    assert "ambiguous" not in total.flights
    assert any("1000.00 in a thousand" in text for text in report(total))
    assert report(Score())


number = st.floats(allow_nan=False, allow_infinity=False)
values = st.none() | number
somewhere = st.tuples(st.floats(0.0, 40.0), st.floats(-0.02, 0.02), st.floats(-0.02, 0.02), values, values, values)


@pytest.mark.deep("costs over a processor second")
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(number, number, number, values, values, values, values), max_size=60),
    st.lists(somewhere, max_size=150),
    st.floats(-90.0, 90.0),
    st.floats(-180.0, 180.0),
)
def test_nothing_that_is_said_brings_a_tracker_down(
    rubbish: list[tuple[float, ...]], steps: list[tuple[float, ...]], lat: float, lon: float
) -> None:
    tracker = PatternTracker("flight", "abc123")
    for point in rubbish:
        tracker.feed(*point)
    t = 0.0
    for dt, dlat, dlon, alt, speed, track in steps:
        t, lat, lon = t + dt, lat + dlat, (lon + dlon + 180.0) % 360.0 - 180.0
        for event in tracker.feed(t, lat, lon, alt, speed, track):
            assert 0.0 <= event.pattern.confidence_score <= 1.0
            assert -90.0 <= event.pattern.center_lat <= 90.0
            assert event.pattern.t0 <= event.pattern.t1
    tracker.close()
    assert tracker.open == []


def test_reader_yields_what_it_refuses(tmp_path: Path) -> None:
    path = tmp_path / "tracks.jsonl"
    path.write_text('{"points": []}\nx\n')
    good, bad = read_tracks(path)
    assert isinstance(good, Track)
    assert isinstance(bad, BadLine)
    assert bad.number == 2
