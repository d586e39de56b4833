"""aircraft.json and its relatives: one bad field costs that field alone, and the dialects read alike."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from skywatch.receivers.reports.aircraft_json import DocumentError, read_document, read_line
from skywatch.receivers.reports.finishing import finish
from skywatch.receivers.reports.limits import INTERNAL, WIRE_TYPES
from skywatch.receivers.reports.report import Report

GOOD = {
    "hex": "4b1a23",
    "flight": "SWR8   ",
    "lat": 47.1,
    "lon": 8.2,
    "alt_baro": 36000,
    "gs": 450.5,
    "seen": 1.0,
    "seen_pos": 2.0,
}
NOW = 1_700_000_000.0


def read(*aircraft: Any, now: Any = NOW) -> tuple[list[Report], Counter[str]]:
    invalid: Counter[str] = Counter()
    document = read_document(json.dumps({"now": now, "messages": 1, "aircraft": list(aircraft)}).encode(), invalid)
    return finish(document.aircraft, document.now or 0.0, 0.0, invalid)[0], invalid


def value_of(report: Report, name: str) -> Any:
    return getattr(report, name)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("lat", 90.5), ("lat", "north"), ("lat", True), ("lat", []), ("lat", 1e300),
        ("lon", -180.01), ("alt_baro", 1e9), ("alt_baro", "high"), ("alt_baro", 35000.5), ("alt_geom", "ground"),
        ("gs", -1), ("gs", 1e9), ("track", 360.5), ("track", -0.1), ("baro_rate", 10**30), ("geom_rate", {}),
        ("squawk", "d276"), ("squawk", "11919"), ("squawk", "778"), ("squawk", 7700), ("squawk", "8000"),
        ("flight", "????????"), ("flight", "A" * 9), ("flight", 17), ("flight", "AB\x00C"), ("flight", "ÄÖÜ"),
        ("type", "adsb_magic"), ("category", "Z9"), ("category", 3), ("emergency", "hungry"), ("nic", 16),
        ("nic", -1), ("nav_modes", ["autopilot", "sleep"]), ("nav_modes", "autopilot"), ("mlat", [1]),
        ("mlat", ["lat"] * 65), ("messages", -1), ("rssi", "loud"), ("seen", -5), ("seen_pos", "now"),
        ("sil_type", "maybe"), ("acas_ra", []), ("acas_ra", {"a": {"b": 1}}), ("r", "R" * 17), ("t", "TYPES"),
        ("dbFlags", -1), ("version", 8), ("nav_qnh", 12), ("year", 2012), ("desc", "d" * 129),
    ],
)  # fmt: skip
def test_only_the_bad_field_goes(name: str, bad: object) -> None:
    reports, invalid = read(GOOD, GOOD | {"hex": "4b1a24", name: bad}, GOOD | {"hex": "4b1a25"})
    assert [report.hex for report in reports] == ["4b1a23", "4b1a24", "4b1a25"]
    before, bad_one, after = reports
    if name in ("lat", "lon"):
        # Half a position is none.
        assert dict(invalid) == {name: 1, "position": 1}
        assert (bad_one.lat, bad_one.lon, bad_one.position_at) == (UNSET, UNSET, 0.0)
    else:
        assert dict(invalid) == {name: 1}
        assert bad_one.lat == 47.1
    if name != "type":  # made up where it is missing
        assert value_of(bad_one, name) is UNSET
    for good in (before, after):
        assert (good.flight, good.lat, good.lon, good.alt_baro, good.gs) == ("SWR8", 47.1, 8.2, 36000, 450.5)
    assert bad_one.at == pytest.approx(NOW if name == "seen" else NOW - 1)


@pytest.mark.parametrize("name", sorted(set(WIRE_TYPES) - {"hex"}))
def test_null_says_nothing(name: str) -> None:
    reports, invalid = read(GOOD | {name: None}, GOOD | {"hex": "4b1a25"})
    assert [report.hex for report in reports] == ["4b1a23", "4b1a25"]
    assert dict(invalid) == ({"position": 1} if name in ("lat", "lon") else {})


@pytest.mark.parametrize(
    "bad", ["", "4b1a2", "4b1a233", "4b1a2g", "~4b1a2", " 4b1a23", "0x1a23", "000000", "FFFFFF", 7, None, [], "４b1a23"]
)
def test_without_an_address_it_is_no_aircraft(bad: object) -> None:
    reports, invalid = read(GOOD | {"hex": bad}, GOOD)
    assert [report.hex for report in reports] == ["4b1a23"]
    assert dict(invalid) == {"hex": 1}


@pytest.mark.parametrize("bad", [None, 3, "4b1a23", [], [GOOD], True, {}])
def test_what_is_no_aircraft_hides_none(bad: object) -> None:
    reports, invalid = read(GOOD, bad, GOOD | {"hex": "4B1A25"})
    assert [report.hex for report in reports] == ["4b1a23", "4b1a25"]
    assert dict(invalid) == ({"hex": 1} if bad == {} else {"aircraft": 1})


def test_ground_no_position_and_non_icao() -> None:
    reports, invalid = read(
        GOOD | {"alt_baro": "ground"},
        {"hex": "~2a3b4c", "type": "tisb_trackfile"},
        {"hex": "4b1a26", "flight": "        "},
    )
    assert not invalid
    assert reports[0].alt_baro == "ground"
    assert reports[1].hex == "~2a3b4c"
    assert reports[1].position_at == 0.0
    assert reports[2].flight is UNSET


def test_whole_numbers_written_with_a_point_are_taken() -> None:
    (report,), invalid = read(GOOD | {"alt_baro": 35000.0, "nic": 8.0})
    assert not invalid
    assert (report.alt_baro, report.nic) == (35000, 8)
    assert isinstance(report.alt_baro, int)


def test_null_island_is_no_position() -> None:
    (report,), invalid = read(GOOD | {"lat": 0, "lon": 0})
    assert dict(invalid) == {"position": 1}
    assert report.lat is UNSET
    (report,), invalid = read(GOOD | {"lat": 0, "lon": 8.5})
    assert not invalid
    assert report.lat == 0


def test_ages_become_times() -> None:
    (report,), _ = read(GOOD)
    assert report.at == NOW - 1
    assert report.position_at == NOW - 2
    assert report.snapshot


def test_a_sender_cannot_set_what_is_ours() -> None:
    (report,), invalid = read(GOOD | dict.fromkeys(INTERNAL, 9000000000.0) | {f"({name})": 9e9 for name in INTERNAL})
    assert report.at == NOW - 1
    assert report.position_at == NOW - 2
    assert report.snapshot is True
    assert set(invalid) <= {f"({name})" for name in INTERNAL}


@pytest.mark.parametrize(
    ("now", "seconds"), [(NOW, NOW), (NOW * 1000, NOW), (None, None), ("late", None), (-3, None), (True, None)]
)
def test_now_in_seconds_or_milliseconds(now: object, seconds: float | None) -> None:
    invalid: Counter[str] = Counter()
    body = json.dumps({"now": now, "ac": [GOOD]}).encode()
    document = read_document(body, invalid)
    assert document.now == seconds
    assert len(document.aircraft) == 1


def test_mutability_has_other_names() -> None:
    old = {
        "hex": "4b1a23",
        "altitude": 8175,
        "speed": 271,
        "vert_rate": -704,
        "nucp": 7,
        "track": 309,
        "lat": 1.0,
        "lon": 2.0,
    }
    (report,), invalid = read(old)
    assert not invalid
    assert (report.alt_baro, report.gs, report.baro_rate, report.track) == (8175, 271, -704, 309)
    # NUCp 7: containment within 0.1 nm (DO-260), as NIC 8.
    assert (report.nic, report.rc) == (8, 186)
    (report,), invalid = read(old | {"altitude": "ground", "speed": "fast"})
    assert report.alt_baro == "ground"
    assert report.gs is UNSET
    assert dict(invalid) == {"speed": 1}


@pytest.mark.parametrize(
    ("fields", "source"),
    [
        ({"lat": 1.0, "lon": 2.0, "mlat": ["lat", "lon"]}, "mlat"),
        ({"lat": 1.0, "lon": 2.0, "tisb": ["lat", "lon"]}, "tisb_icao"),
        ({"lat": 1.0, "lon": 2.0, "mlat": []}, "adsb_icao"),
        ({"alt_baro": 3000, "squawk": "1200"}, "mode_s"),
        ({"version": 2}, "adsb_icao"),
    ],
)
def test_source_where_the_dialect_does_not_say_it(fields: dict[str, Any], source: str) -> None:
    (report,), _ = read({"hex": "4b1a23", **fields})
    assert report.type == source


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"[]", b"17", b"<html><body>404</body></html>", b"\xff\xfe", b"{}", b'{"aircraft":null}',
     b'{"aircraft":{}}', b'{"aircraft":"many"}', b'{"aircraft":[{"hex":"4b1a23"}', b'{"aircraft":[{"hex":"4b1a23"}]}]',
     b"[" * 100_000, b'{"aircraft":' + b"[" * 100_000, b'{"aircraft":[' + b'{"a":' * 50_000, b"\x1f\x8b\x08\x00"],
)  # fmt: skip
def test_what_is_no_document_is_refused(body: bytes) -> None:
    with pytest.raises(DocumentError):
        read_document(body, Counter())


@pytest.mark.parametrize(
    "poison",
    [
        b'{"hex":"4b1a24","lat":NaN,"lon":-Infinity}',
        b'{"hex":"4b1a24","flight":"\xff\xfe"}',
        b'{"hex":"4b1a24","flight":"\\ud800"}',
        b'{"hex":"4b1a24","lat":1e999,"lon":8}',
        b'{"hex":"4b1a24","hex":"4b1a24","hex":3}',
    ],
)
def test_poison_hides_no_other_aircraft(poison: bytes) -> None:
    invalid: Counter[str] = Counter()
    body = b'{"now":1700000000,"aircraft":[{"hex":"4b1a23"},' + poison + b',{"hex":"4b1a25"}]}'
    document = read_document(body, invalid)
    reports, _, _ = finish(document.aircraft, NOW, 0.0, invalid)
    assert {"4b1a23", "4b1a25"} <= {report.hex for report in reports}
    assert sum(invalid.values()) >= 1


def test_a_byte_order_mark_is_no_fault() -> None:
    invalid: Counter[str] = Counter()
    body = b'\xef\xbb\xbf{"now":1700000000,"aircraft":[{"hex":"4b1a23"}]}'
    assert [report.hex for report in read_document(body, invalid).aircraft] == ["4b1a23"]
    assert not invalid


def test_every_value_of_the_real_files_arrives(shared_data: Path) -> None:
    compared = 0
    for path in sorted((shared_data / "readsb").glob("*.json")):
        whole = json.loads(path.read_bytes())
        invalid: Counter[str] = Counter()
        reports, _, _ = finish(read_document(path.read_bytes(), invalid).aircraft, NOW, 0.0, invalid)
        by_address = {report.hex: report for report in reports}
        renamed = {"altitude": "alt_baro", "speed": "gs", "vert_rate": "baro_rate"}
        for aircraft in whole["aircraft"]:
            report = by_address.get(aircraft["hex"])
            if report is None:
                assert aircraft["hex"] == "000000"
                continue
            for key, value in aircraft.items():
                name = renamed.get(key, key)
                if name in WIRE_TYPES:
                    arrived = msgspec.to_builtins(value_of(report, name))
                    said = value.strip() if name == "flight" else value
                    assert (list(arrived) if isinstance(arrived, tuple) else arrived) == said, (path.name, key)
                    compared += 1
    assert compared > 5_000


def test_lines_carry_their_time() -> None:
    invalid: Counter[str] = Counter()
    aircraft, stamp = read_line(b'{"now" : 1795167778.427,"hex":"71be34","lat":1.5,"lon":2.5}', invalid)
    assert aircraft is not None
    assert stamp == 1795167778.427
    aircraft, stamp = read_line(b'{"now":1795167778427,"hex":"71be34","squawk":"d276"}', invalid)
    assert aircraft is not None
    assert stamp == 1795167778.427
    assert read_line(b'{"now":"x"', invalid) == (None, None)
    assert dict(invalid) == {"squawk": 1, "line": 1}
