"""readsb's traces as recordings: files, folders of globe_history, together with others, and what is wrong in them."""

import gzip
import io
import json
import sys
from collections import Counter

import pytest
from click.testing import CliRunner

from skywatch.core.terminal import progress
from skywatch.receivers.recordings import RecordingError
from skywatch.receivers.reports import traces
from skywatch.safety.command import safety
from skywatch.safety.playback.sources import read

pytestmark = pytest.mark.deep("walks a corpus")

BEGAN = 1_700_000_000.0


def entries(offset_nm, direction, every_s=5):
    """Four minutes level towards a point that both reach after two."""
    for t in range(0, 240, every_s):
        lon = 8 + direction * (t - 120) * 150 / 3600 / 60 / 0.682
        details = {"flight": f"TEST{1 if direction > 0 else 2}   ", "nic": 8, "type": "adsb_icao", "category": "A1"}
        details = details if t % 60 == 0 else None
        track = 90 if direction > 0 else 270
        yield [t, 47 + offset_nm / 60, lon, 6000, 150.0, track, 0, 0, details, "adsb_icao", 6200, None, None, None]


def trace(folder, address, of, packed=True, **fields):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"trace_full_{address}.json"
    document = json.dumps({"icao": address, "r": "D-TEST", "timestamp": BEGAN, "trace": list(of), **fields}).encode()
    path.write_bytes(gzip.compress(document) if packed else document)
    return path


@pytest.fixture
def day(tmp_path):
    """A folder as globe_history has one for each day."""
    trace(tmp_path / "traces" / "01", "4b0001", entries(0, 1))
    trace(tmp_path / "traces" / "02", "4b0002", entries(0.1, -1), packed=False)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(safety, list(map(str, arguments)))


def test_the_traces_of_a_folder_are_judged_together(day):
    result = run(day)
    [event] = [json.loads(line) for line in result.stdout.splitlines()]
    assert (event["type"], event["severity"]) == ("proximity", "critical")
    assert {event["icao_hex"], event["icao_hex_2"]} == {"4B0001", "4B0002"}
    assert set(event["callsigns"]) == {"TEST1", "TEST2"}
    assert event["began_at"].startswith("2023-11-14T22:1")


def test_files_of_several_kinds_are_judged_together(day, tmp_path):
    fields = {"hex": "4b0002", "alt_baro": 6000, "gs": 150, "type": "adsb_icao"}
    lines = [
        {"now": BEGAN + t, "aircraft": [{**fields, "lat": lat, "lon": lon, "track": track}]}
        for t, lat, lon, _, _, track, *_ in entries(0.1, -1)
    ]
    path = tmp_path / "snapshots.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    result = run(day / "traces" / "01" / "trace_full_4b0001.json", path)
    [event] = [json.loads(line) for line in result.stdout.splitlines()]
    assert event["type"] == "proximity"


def test_what_is_wrong_in_a_trace_is_left_out(tmp_path):
    wrong = [
        [],
        [1, 2],
        [1, 91, 8, 0, 0, 0, 0],
        ["x", 47, 8, 0, 0, 0, 0],
        [9, 47, 8, 1e9, -3, "x", 12, 1e9, {"nic": "x"}, 7],
    ]
    path = trace(tmp_path, "4b0001", wrong)
    invalid = Counter()
    [report] = traces.reports(traces.read(path), invalid)
    assert invalid["entry"] == 4
    assert (report.at, report.lat, report.lon, report.type) == (BEGAN + 9, 47, 8, "unknown")
    assert not any(isinstance(getattr(report, name), int | float) for name in ("alt_baro", "alt_geom", "gs", "track"))


def test_geometric_altitudes_and_rates_are_not_taken_for_barometric_ones(tmp_path):
    flags = traces.GEOMETRIC_ALTITUDE | traces.GEOMETRIC_RATE
    path = trace(tmp_path, "4b0001", [[0, 47, 8, 6000, 150, 90, flags, 640, None, "adsb_icao", None]])
    [report] = traces.reports(traces.read(path), Counter())
    assert (report.alt_geom, report.geom_rate) == (6000, 640)
    assert not isinstance(report.alt_baro, int)


def test_a_folder_without_traces_is_refused_and_a_bad_one_among_others_named(day, tmp_path):
    (day / "traces" / "01" / "trace_full_4b0009.json").write_bytes(gzip.compress(b"{}")[:9])
    result = run(day)
    assert result.exit_code == 0
    assert result.stderr == "1 files are not traces and were left out\n"
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(RecordingError, match="has no trace_full"):
        list(read([str(empty)], None, Counter()))
    assert run(empty).exit_code == 1


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_on_the_terminal_shows_how_far_the_recordings_are_analysed(day, monkeypatch):
    monkeypatch.setattr(progress, "EVERY_S", 0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    safety.callback.__wrapped__((str(day),), False, False, None, None)
    bars = [text for text in terminal.getvalue().split("\r\x1b[K") if text]
    assert bars[0].startswith("[--------------------] ")
    assert " %  2023-11-14T22:13:2" in bars[0]
    assert bars[-1].startswith("[####################] 100 %  2023-11-14T22:17:")
    assert bars[-1].endswith("1 events")
    assert terminal.getvalue().endswith("\r\x1b[K")
