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
from skywatch.receivers.reports.json_columns import ColumnReader
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
# What becomes of the ages of an aircraft and of its position.
AGES = {"seen": "at", "seen_pos": "position_at"}


def read(*aircraft: Any, now: Any = NOW) -> tuple[list[Report], Counter[str]]:
    invalid: Counter[str] = Counter()
    body = json.dumps({"now": now, "messages": 1, "aircraft": list(aircraft)}).encode()
    document = ColumnReader().read(body, invalid)
    return list(document.finish(document.now or 0.0, 0.0)[0]), invalid


def value_of(report: Report, name: str) -> Any:
    return getattr(report, name)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("lat", 90.5), ("lat", "north"), ("lat", True), ("lat", []), ("lat", 1e300),
        ("lon", -180.01), ("alt_baro", 1e9), ("alt_baro", "high"), ("alt_baro", "35_000"), ("alt_geom", "ground"),
        ("gs", -1), ("gs", 1e9), ("track", 360.5), ("track", -0.1), ("baro_rate", 10**30), ("geom_rate", {}),
        ("squawk", "d276"), ("squawk", "11919"), ("squawk", 77.5), ("squawk", True), ("squawk", "8000"),
        ("flight", "????????"), ("flight", "A" * 9), ("flight", 17), ("flight", "AB\x00C"), ("flight", "ÄÖÜ"),
        ("type", "adsb_magic"), ("category", "Z9"), ("category", 3), ("emergency", "hungry"), ("nic", 16),
        ("nic", -1), ("nav_modes", ["sleep"]), ("nav_modes", "autopilot"), ("mlat", [1]),
        ("messages", -1), ("rssi", "loud"), ("seen", -5), ("seen_pos", "now"),
        ("sil_type", "maybe"), ("acas_ra", []), ("acas_ra", {"a": {"b": 1}}), ("r", "R" * 17), ("t", "TYPES"),
        ("dbFlags", -1), ("version", 8), ("nav_qnh", 12), ("year", 20120), ("spi", 2), ("desc", "d" * 129),
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
    [b"", b"{", b"null", b"[]", b"17", b"<html><body>404</body></html>", b"\xff\xfe", b"{}", b'{"aircraft":[',
     b'{"aircraft":{}}', b'{"aircraft":"many"}', b'{"aircraft":[{"flight":"4b1a23"}', b'{"hex":"4b1a23"',
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
    reports, _, _ = ColumnReader().read(body, invalid).finish(NOW, 0.0)
    assert {"4b1a23", "4b1a25"} <= {report.hex for report in reports}
    assert sum(invalid.values()) >= 1


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("alt_baro", 31012.5, 31012), ("alt_geom", 31500.25, 31500), ("baro_rate", -64.5, -64),
        ("alt_baro", "31000", 31000), ("alt_baro", " Ground ", "ground"), ("gs", "410.2", 410.2),
        ("squawk", 1200, "1200"), ("squawk", 21, "0021"), ("squawk", "776", "0776"), ("squawk", 7700.0, "7700"),
        ("flight", "SWR12     ", "SWR12"), ("flight", "GAF 612 ", "GAF 612"), ("flight", "\x00SWR12\x01", "SWR12"),
        ("year", 2012, "2012"), ("year", 0, UNSET), ("r", 1234, "1234"), ("r", "HB-JXA            ", "HB-JXA"),
        ("t", "A320      ", "A320"), ("t", 320, "320"), ("spi", True, 1), ("alert", "0", 0), ("category", " a3", "A3"),
        ("nav_modes", ["autopilot", "sleep"], ["autopilot"]), ("mlat", ["lat", 7, "lon"], ("lat", "lon")),
        ("acas_ra", {"a": 1, "b": []}, {"a": 1}), ("rssi", "-12.5", -12.5), ("type", "ADSB_ICAO", "adsb_icao"),
        ("messages", "50", 50), ("desc", " " * 200, UNSET), ("lat", "47.6", 47.6),
    ],
)  # fmt: skip
def test_a_value_counts_however_it_is_written(name: str, written: object, value: object) -> None:
    (report,), _ = read({**GOOD, name: written})
    assert value_of(report, name) == value


def test_ages_are_times_however_they_are_written() -> None:
    (report,), _ = read({**GOOD, "seen": "1.5", "seen_pos": 3})
    assert (report.at, report.position_at) == (NOW - 1.5, NOW - 3)


@pytest.mark.parametrize(
    "damaged",
    [
        b'{"hex":"4b1a24","flight":"SWR\x0112\x1f ","gs":400}',
        b'{"hex":"4b1a24","flight":\x00"SWR12","gs":400}',
        b'{"hex":"4b1a24","flight":"SWR12","gs":400,}',
        b'{"hex":"4b1a24","flight":,"gs":400}',
        b'{"hex":"4b1a24" "flight":"SWR12","gs":400}',
        b'{"hex":"4b1a24","flight":"SWR12,"t":"A320","gs":400}',
        b'{"hex":"4b1a24","flight":"SWR12","gs":400',
        b'{"hex":"4b1a24","gs":400,"acas_ra":{"a":}}',
        b'{"hex":"4b1a24","gs":400}}',
        b'{"hex":"4b1a24","gs":400}]',
        b'null,{"hex":"4b1a24","gs":400},17,[[{"hex":0}]]',
    ],
)
@pytest.mark.parametrize("end", [b"]}", b"]}]}garbage", b"]}\x00\x00\x00", b",]}", b"", b'],"messages":}'])
def test_damage_drops_what_is_damaged(damaged: bytes, end: bytes) -> None:
    invalid: Counter[str] = Counter()
    begin = b'{"now":1700000000.5,"messages":7,"aircraft":[{"hex":"4b1a23","gs":1},'
    document = ColumnReader().read(begin + damaged + b',{"hex":"4b1a25","gs":2}' + end, invalid)
    reports, _, _ = document.finish(NOW, 0.0)
    assert {report.hex: report.gs for report in reports} == {"4b1a23": 1, "4b1a24": 400, "4b1a25": 2}
    assert document.now == 1700000000.5
    assert sum(invalid.values()) >= 1


@pytest.mark.parametrize("body", [b'{"now":1700000000,"aircraft":null}', b'{"ac":null,"now":1700000000123,"total":0}'])
def test_a_list_of_null_is_empty(body: bytes) -> None:
    invalid: Counter[str] = Counter()
    assert read_document(body, invalid).aircraft == []
    assert not invalid


def test_a_list_of_null_hides_no_other_list() -> None:
    invalid: Counter[str] = Counter()
    body = b'{"now":1700000000,"aircraft":null,"ac":[{"hex":"4b1a23","gs":1},{"hex":"4b1a24","lat":"x"}]}'
    assert [report.hex for report in read_document(body, invalid).aircraft] == ["4b1a23", "4b1a24"]
    assert invalid == {"lat": 1}


def test_a_document_that_ends_too_early_is_read_up_to_there() -> None:
    whole = json.dumps({"now": NOW, "aircraft": [{**GOOD, "hex": f"4b1a{n:02x}"} for n in range(20)]}).encode()
    for length in range(len(whole) // 2, len(whole)):
        begun = whole[:length].count(b'"hex"')
        assert begun - 1 <= len(read_document(whole[:length], Counter()).aircraft) <= begun


def test_a_damaged_line_keeps_its_time_and_what_is_whole() -> None:
    invalid: Counter[str] = Counter()
    aircraft, stamp = read_line(b'{"now":1795167778.427,"hex":"71be34","gs":,"track":90,}', invalid)
    assert aircraft is not None
    assert (aircraft.track, stamp) == (90, 1795167778.427)


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
        reports, _, _ = ColumnReader().read(path.read_bytes(), invalid).finish(NOW, 0.0)
        by_address = {report.hex: report for report in reports}
        renamed = {"altitude": "alt_baro", "speed": "gs", "vert_rate": "baro_rate"}
        for aircraft in whole["aircraft"]:
            report = by_address.get(aircraft["hex"])
            if report is None:
                assert aircraft["hex"] == "000000"
                continue
            for key, value in aircraft.items():
                name = renamed.get(key, key)
                if name in AGES:
                    assert NOW - getattr(report, AGES[name]) == pytest.approx(value, abs=1e-3), (path.name, key)
                elif name in WIRE_TYPES:
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


UNPRINTABLE = {
    "r": "HB\x1b[31m", "t": "A\x003", "desc": "evil\x07bell", "ownOp": "a\rb", "year": "19\n8",
    "mlat": ["lat", "a\x1bb"], "tisb": ["gs\x7f"], "acas_ra": {"advisory": "climb", "word": "\u202eevil", "k\x07": 1},
}  # fmt: skip


@pytest.mark.parametrize("is_escaped", [True, False])
@pytest.mark.parametrize("more", [{}, {"gs": "nonsense"}])
def test_texts_with_characters_that_are_not_printable_go(more: dict[str, Any], is_escaped: bool) -> None:
    good = GOOD | {"r": "HB-JCA", "desc": 'AIRBUS "neo" \u00e9', "mlat": ["lat"], "acas_ra": {"advisory": "climb"}}
    aircraft = [good, GOOD | {"hex": "4b1a24"} | UNPRINTABLE | more]
    body = json.dumps({"now": NOW, "messages": 1, "aircraft": aircraft}, ensure_ascii=is_escaped).encode()
    documents: list[tuple[list[Report], Counter[str]]] = []
    for make in (lambda invalid: read_document(body, invalid).aircraft,
                 lambda invalid: [read_line(json.dumps(each, ensure_ascii=is_escaped).encode(), invalid)[0]
                                  for each in aircraft]):  # fmt: skip
        invalid: Counter[str] = Counter()
        documents.append((make(invalid), invalid))
    for (first, second), invalid in documents:
        assert [value_of(first, name) for name in ("r", "desc", "acas_ra")] == [
            "HB-JCA", 'AIRBUS "neo" \u00e9', {"advisory": "climb"}]  # fmt: skip
        assert list(value_of(first, "mlat")) == ["lat"]
        assert {value_of(second, name) for name in ("r", "t", "desc", "ownOp", "year")} == {UNSET}
        assert list(value_of(second, "mlat")) == ["lat"]
        assert not value_of(second, "tisb")
        assert value_of(second, "acas_ra") == {"advisory": "climb"}
        assert all(invalid[name] == 1 for name in UNPRINTABLE)


def test_a_bracket_too_many_ends_no_document() -> None:
    body = b'{"now":1700000000,"aircraft":[{"hex":"4b1a23"},{"hex":"4b1a24"}]},{"hex":"4b1a25"},{"hex":"4b1a26"}]}'
    invalid: Counter[str] = Counter()
    aircraft = read_document(body, invalid).aircraft
    assert [report.hex for report in aircraft] == ["4b1a23", "4b1a24", "4b1a25", "4b1a26"]
    assert invalid["document"] == 1
