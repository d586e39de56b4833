"""``skywatch safety FILE`` over recordings of real traffic, in which nothing dangerous was flown, and bad files."""

import gzip
import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from skywatch.safety.command import safety

AGAIN = pytest.mark.nightly("another recording of the same kind")


def run(*arguments):
    return CliRunner().invoke(safety, list(map(str, arguments)))


def part_of(recording, folder, begin_s, end_s):
    """A file with the snapshots of a recording between two times (unix seconds)."""
    with gzip.open(recording, "rt") as lines:
        near = [line for line in lines if begin_s <= json.loads(line)["now"] < end_s]
    (folder / "part.jsonl").write_text("".join(near))
    return folder / "part.jsonl"


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("feeds/switzerland_30min.jsonl.gz", marks=AGAIN),
        pytest.param("feeds/michigan_session1.jsonl.gz", marks=AGAIN),
        "sbs/ulss7_61s.sbs",
        "raw/ulss7_61s_original_duplicated.beast",
        "raw/ulss7_readsb/aircraft_snapshots.jsonl.gz",
        "readsb/readsb_newmexico_1.json",
    ],
)
def test_nothing_is_raised_in_ordinary_traffic(shared_data, name):
    result = run(shared_data / name)
    assert (result.exit_code, result.output) == (0, "")


def test_nothing_is_raised_in_some_minutes_over_switzerland(shared_data, tmp_path):
    recording = shared_data / "feeds/switzerland_30min.jsonl.gz"
    with gzip.open(recording, "rt") as lines:
        begin_s = json.loads(next(lines))["now"]
    result = run(part_of(recording, tmp_path, begin_s, begin_s + 300))
    assert (result.exit_code, result.output) == (0, "")


CALIFORNIA = "feeds/california_30min.jsonl.gz"
RELAYED_AT = datetime(2025, 6, 1, 18, 58, 48, tzinfo=UTC)


def assert_relayed(result):
    [event] = [json.loads(line) for line in result.output.splitlines()]
    assert (result.exit_code, event["type"]) == (0, "proximity")
    assert "relayed_position" in event["suppressed_by"]
    assert datetime.fromisoformat(event["began_at"]) == RELAYED_AT


def test_a_relayed_position_is_shown_with_all_alone(shared_data, tmp_path):
    at = RELAYED_AT.timestamp()
    minutes = part_of(shared_data / CALIFORNIA, tmp_path, at - 60, at + 60)
    assert_relayed(run(minutes, "--all"))
    result = run(minutes)
    assert (result.exit_code, result.output) == (0, "")


@AGAIN
def test_a_relayed_position_is_all_that_is_suppressed_in_half_an_hour(shared_data):
    assert_relayed(run(shared_data / CALIFORNIA, "--all"))


@pytest.mark.parametrize(
    "content", [b"", b"nothing of the kind\n" * 50, gzip.compress(b'{"now": 1, "aircraft": []}')[:20]]
)
def test_a_bad_file_is_one_line_and_exit_code_one(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    result = run(path)
    assert result.exit_code == 1
    assert len(result.output.splitlines()) == 1
    assert run(tmp_path / "missing").exit_code == 1


def track(address, offset_nm, direction):
    """Twelve minutes level towards a point that both reach after six."""
    points = []
    for t in range(0, 720, 4):
        lon = 8 + direction * (t - 360) * 150 / 3600 / 60 / 0.682
        points.append([1_700_000_000 + t, 47 + offset_nm / 60, lon, 6000, 150, 90 if direction > 0 else 270, 0])
    return {"icao24": address, "callsign": address.upper(), "points": points}


def test_aircraft_on_the_ground_of_an_export_are_no_danger(tmp_path):
    path = tmp_path / "tracks.jsonl"
    flights = [track("4b0001", 0, 1), track("4b0002", 0.1, -1)]
    for point in flights[0]["points"] + flights[1]["points"]:
        point[3:5] = [0, 15]
    path.write_text("\n".join(map(json.dumps, flights)))
    result = run(path, "--all")
    assert (result.exit_code, result.output) == (0, "")


def test_exported_tracks_are_judged_together(tmp_path):
    path = tmp_path / "tracks.jsonl.gz"
    flights = [track("4b0001", 0, 1), track("4b0002", 0.1, -1)]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, flights)).encode()))
    [event] = [json.loads(line) for line in run(path).output.splitlines()]
    assert (event["type"], event["severity"]) == ("proximity", "critical")
    assert {event["icao_hex"], event["icao_hex_2"]} == {"4B0001", "4B0002"}
    assert event["closest"]["distance_nm"] < 0.3
    assert "proximity" in run(path, "--table").output
