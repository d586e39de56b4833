"""Every recording is recognised by its content and read with nothing lost but what is invalid.

The counts were taken from the files by other means (json, awk, the answer key of the raw recordings).
"""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from skywatch.receivers.recordings import RecordingError, moments, recognise

pytestmark = pytest.mark.deep("walks a corpus")

ST_PETERSBURG = (59.95, 30.30)


class Expected(NamedTuple):
    path: str
    kind: str
    reports: int
    aircraft: int
    invalid: dict[str, int]
    positions: int | None = None


RECORDINGS = [
    # aircraft.json of the three dialects; in the oldest, one aircraft has the address 000000.
    Expected("readsb/readsb_newmexico_1.json", "document", 64, 64, {}, 63),
    Expected("readsb/readsb_newmexico_2.json", "document", 69, 69, {}, 67),
    Expected("readsb/dump1090fa_baltimore_2020.json", "document", 36, 36, {}, 16),
    Expected("readsb/dump1090fa_england_2022_a.json", "document", 83, 83, {}, 54),
    Expected("readsb/dump1090_mutability_england_2019.json", "document", 95, 95, {"hex": 1}, 51),
    Expected("readsb/readsb_netjson_lines_1.jsonl", "lines", 48, 48, {}, 45),
    Expected("readsb/readsb_netjson_lines_2.jsonl", "lines", 90, 90, {}, 87),
    Expected("adsbx_v2/ulss7_readsb_all.json", "document", 11, 11, {}, 11),
    Expected("adsbx_v2/ulss7_readsb_circle200.json", "document", 9, 9, {}, 9),
    Expected("sbs/ulss7_61s.sbs", "sbs", 4306, 11, {}, 728),
    # One callsign is "????????".
    Expected("sbs/michigan_session1.sbs.gz", "sbs", 20283, 135, {"flight": 1}, 951),
    Expected("raw/ulss7_readsb/aircraft.json", "document", 11, 11, {}, 11),
    Expected("raw/ulss7_readsb/api_all.json", "document", 11, 11, {}, 11),
    Expected("raw/ulss7_readsb/api_all_jv2.json", "document", 11, 11, {}, 11),
    Expected("raw/ulss7_readsb/api_circle_jv2.json", "document", 9, 9, {}, 9),
    Expected("raw/ulss7_readsb/aircraft_snapshots.jsonl.gz", "documents", 656, 11, {}),
    Expected("raw/ulss7_readsb/json_port.jsonl", "lines", 719, 11, {}, 719),
    Expected("raw/ulss7_readsb/sbs_out.txt", "sbs", 4311, 11, {}, 720),
    # 4,464 frames; three have an address in their parity that no good frame has proved.
    Expected("raw/ulss7_readsb/beast_out.bin", "beast", 4461, 11, {"unknown_address": 3}, 728),
    Expected("raw/ulss7_readsb/raw_out.avr", "avr", 4461, 11, {"unknown_address": 3}, 728),
    Expected("raw/ulss7_61s.beast", "beast", 4461, 11, {"unknown_address": 3}, 728),
    Expected("raw/ulss7_61s.avr", "avr", 4461, 11, {"unknown_address": 3}, 728),
    Expected("raw/ulss7_61s_mlat.avr", "avr", 4461, 11, {"unknown_address": 3}, 728),
    Expected("raw/ulss7_61s_original_duplicated.beast", "beast", 8922, 11, {"unknown_address": 6}),
    Expected("feeds/switzerland_30min.jsonl.gz", "documents", 7519, 94, {}),
    Expected("feeds/california_30min.jsonl.gz", "documents", 6817, 71, {}),
    Expected("feeds/calfire_open_busiest_day.jsonl.gz", "documents", 7718, 9, {}),
    Expected("feeds/michigan_session1.jsonl.gz", "documents", 6071, 135, {"flight": 12}),
    Expected("feeds/la_police_n520pd_081_times_reconstructed.jsonl.gz", "documents", 251, 1, {}),
    Expected("feeds/la_police_n520pd_092_times_reconstructed.jsonl.gz", "documents", 1080, 1, {}),
]


@pytest.mark.parametrize("expected", RECORDINGS, ids=lambda expected: expected.path)
def test_nothing_is_lost_but_what_is_invalid(expected: Expected, shared_data: Path) -> None:
    path = str(shared_data / expected.path)
    kind = recognise(path)
    assert kind == expected.kind
    invalid: Counter[str] = Counter()
    # How long a slice is changes nothing but how long it takes.
    played = list(moments(path, kind, ST_PETERSBURG if "ulss7" in path else None, invalid, slice_s=1.0))
    reports = [report for moment in played for report in moment.batch.reports]
    assert len(reports) == expected.reports
    assert len({report.hex for report in reports}) == expected.aircraft
    assert dict(invalid) == expected.invalid
    if expected.positions is not None:
        assert sum(moment.batch.positions for moment in played) == expected.positions
        assert sum(isinstance(report.lat, float) for report in reports) == expected.positions
    assert all((report.position_at > 0) == isinstance(report.lat, float) for report in reports)


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "acars/acarsdec_kabq.jsonl",
        "acars/dumphfdl_kabq.jsonl",
        "audio/KXYZ_GND_hour_20261120_10.mp3",
        "audio/acars_airband_4ch_12500Hz.wav",
        "aircraft_db/aircraft.csv.gz",
        "raw/EXPECTED.json",
        "raw/ulss7_readsb/receiver.json",
        "raw/ulss7_readsb/stats.json",
        "lawenf/known_law_enforcement.csv",
        "patterns/tracks.jsonl.gz",
    ],
)
def test_what_is_no_recording_is_refused(path: str, shared_data: Path) -> None:
    with pytest.raises(RecordingError, match="is not a recording"):
        recognise(str(shared_data / path))


def test_empty_missing_and_damaged_files_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(RecordingError, match="is empty"):
        recognise(str(empty))
    with pytest.raises(RecordingError, match="No such file"):
        recognise(str(tmp_path / "nothing"))
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(gzip.compress(b"MSG,8,1,1,400159,1\n" * 50)[:-12])
    with pytest.raises(RecordingError, match="damaged"):
        recognise(str(damaged))


def test_a_very_long_first_document_is_recognised(tmp_path: Path) -> None:
    aircraft = ",".join(f'{{"hex":"{row + 1:06x}","lat":1.5,"lon":2.5,"seen":0.1}}' for row in range(5000))
    path = tmp_path / "long.jsonl"
    path.write_text(f'{{"now":1000,"aircraft":[{aircraft}]}}\n' * 2)
    kind = recognise(str(path))
    assert kind == "documents"
    assert sum(len(moment.batch.reports) for moment in moments(str(path), kind, None, Counter())) == 10_000
