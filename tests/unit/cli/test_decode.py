"""``skywatch decode``: one JSON object a line for each frame, and one line for what is no recording."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skywatch.cli.decode import decode
from skywatch.core.geo import METRES_PER_NM, distance_nm
from skywatch.receivers.mode_s.encoder import all_call, beast, squitter, surface_position
from tests.waiting import PATIENCE_S

SECOND = 12_000_000
PAIR = ("8D40621D58C386435CC412692AD6", "8D40621D58C382D690C8AC2863A7")


def run(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(decode, [str(argument) for argument in arguments], input=stdin)


def lines(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    path = tmp_path / "tape.beast"
    path.write_bytes(b"".join(beast(bytes.fromhex(frame), (k + 1) * SECOND) for k, frame in enumerate(PAIR)))
    return path


def test_a_line_for_each_frame_with_positions_once_resolved(tape):
    first, second = lines(run(tape))
    assert first == {
        "time": 0.0, "df": 17, "hex": "40621d", "type": "adsb_icao", "alt_baro": 38000, "alert": 0, "spi": 0,
        "rssi": -6.0, "on_ground": False,
    }  # fmt: skip
    assert (second["time"], second["lat"], second["lon"], second["nic"]) == (1.0, 52.257202, 3.919373, 8)


def test_the_same_from_gzip_text_lines_and_standard_input(tape, tmp_path):
    expected = [line | {"rssi": None} for line in lines(run(tape, "--start", 100))]

    def without_level(result: Result) -> list[dict[str, Any]]:
        return [line | {"rssi": None} for line in lines(result)]

    packed = tmp_path / "tape.gz"
    packed.write_bytes(gzip.compress(tape.read_bytes()))
    assert without_level(run(packed, "--start", 100)) == expected
    assert without_level(run("-", "--start", 100, stdin=tape.read_bytes())) == expected
    text = tmp_path / "tape.txt"
    text.write_text("".join(f"@{(k + 1) * SECOND:012X}{frame};\n" for k, frame in enumerate(PAIR)))
    assert without_level(run(text, "--start", 100)) == expected
    table = tmp_path / "tape.csv"
    table.write_text("".join(f"{100 + k},{frame}\n" for k, frame in enumerate(PAIR)))
    assert without_level(run(table)) == expected
    assert without_level(run("--format", "csv", table)) == expected


def test_a_station_resolves_surface_positions_and_bounds_the_range(tmp_path):
    path = tmp_path / "taxi.csv"
    frames = [squitter(0x3C6444, surface_position(52.32, 4.73, odd), capability=4).hex() for odd in (0, 1)]
    path.write_text("".join(f"{k},{frame}\n" for k, frame in enumerate(frames)))
    assert "lat" not in lines(run(path))[1]
    assert lines(run(path, "--lat", 52.0, "--lon", 4.4))[1]["lat"] == pytest.approx(52.32, abs=1e-4)
    assert "lat" not in lines(run(path, "--lat", 52.0, "--lon", 4.4, "--max-range-nm", 5))[1]


def test_refused_frames_are_shown_on_demand(tmp_path):
    path = tmp_path / "tape.csv"
    good = all_call(0x3C6444)
    damaged = good[:4] + b"\xff\xff\xff"
    path.write_text(f"1,{good.hex()}\n2,{damaged.hex()}\n")
    assert [line["df"] for line in lines(run(path))] == [11]
    assert lines(run(path, "--all"))[1] == {"time": 2.0, "df": 11, "error": "bad_parity", "frame": damaged.hex()}


def test_a_table_for_people(tape, tmp_path):
    result = run("--table", tape)
    assert (result.exit_code, result.stderr) == (0, "")
    head, first, second = result.stdout.splitlines()
    assert head.split() == [
        "Time", "Address", "Kind", "Callsign", "Squawk", "Altitude", "Speed", "Track", "Climb", "Position",
    ]  # fmt: skip
    assert first.split() == ["00:00:00.000", "40621d", "ADS-B", "38,000", "ft"]
    assert second.split() == ["00:00:01.000", "40621d", "ADS-B", "38,000", "ft", "52.25720,", "3.91937"]
    assert second.index("52.25720") == head.index("Position")
    path = tmp_path / "damaged.csv"
    good = all_call(0x3C6444)
    path.write_text(f"1,{good.hex()}\n2,{(good[:4] + bytes(3)).hex()}\n")
    refused = run("--table", "--all", path).stdout.splitlines()[2]
    assert refused.split() == ["00:00:02.000", "all-call", "bad", "parity:", (good[:4] + bytes(3)).hex()]


def test_counters_on_demand(tape):
    result = run(tape, "--statistics")
    assert json.loads(result.stderr)["positions"]["by_pair"] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (bytes(range(1, 26)) * 40, "is not a recording of Mode S frames"),
        (b"\x1a3" + bytes(5), "there is no beast frame in it"),
        (beast(bytes(14), 1), "none of its 1 frames is a good Mode S frame"),
        (gzip.compress(b"x" * 50_000, mtime=0)[:30], "is damaged"),
    ],
)
def test_what_is_no_recording_is_one_line(tmp_path, content, message):
    path = tmp_path / "garbage"
    path.write_bytes(content)
    result = run(path)
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"skywatch: {path}: ")
    assert message in line


def test_a_file_that_is_not_there(tmp_path):
    result = run(tmp_path / "nothing")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "No such file" in result.stderr


def test_half_a_station_is_refused(tape):
    result = run(tape, "--lat", 50)
    assert result.exit_code == 2
    assert "--lat and --lon go together" in result.stderr


@pytest.mark.deep("costs over a processor second")
def test_a_reader_that_goes_away_is_no_error(shared_data):
    recording = shared_data / "raw" / "ezy_toulouse_london_138min.beast.gz"
    command = [sys.executable, "-W", "ignore", "-c", "from skywatch.cli import main; main()", "decode", str(recording)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b'{"time"')
    process.stdout.close()
    assert process.stderr.read() == b""
    process.wait(PATIENCE_S)


def test_every_position_of_a_real_recording(shared_data):
    found = [line for line in lines(run(shared_data / "raw" / "ulss7_61s.beast")) if "lat" in line]
    rows = (shared_data / "sbs" / "ulss7_61s.sbs").read_text().splitlines()
    key = [row.split(",") for row in rows if row.startswith("MSG,3") and row.split(",")[14]]
    assert len(found) == len(key) == 728
    for name in {row[4] for row in key}:
        ours = [line for line in found if line["hex"] == name.lower()]
        theirs = [row for row in key if row[4] == name]
        for line, row in zip(ours, theirs, strict=True):
            assert distance_nm(line["lat"], line["lon"], float(row[14]), float(row[15])) * METRES_PER_NM < 10


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"])
def test_an_output_that_takes_nothing_is_one_line(tape, redirection):
    command = f'"{sys.executable}" -m skywatch decode "{tape}" {redirection}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 1
    assert done.stderr.startswith("skywatch: ")
    assert done.stderr.count("\n") == 1, done.stderr
