"""binCraft says what aircraft.json says in the same second, and whatever is no binCraft is refused by name."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from skywatch.readsb.bincraft import encode_rows, packed
from skywatch.receivers.reports.aircraft_json import Document, DocumentError, read_document
from skywatch.receivers.reports.bincraft import (
    HEAD,
    RATES,
    ROW,
    SIGNAL_IN_DECIBELS,
    WIDTH,
    RowReader,
    UnknownVersion,
    is_bincraft,
    unpacked,
)
from skywatch.receivers.reports.documents import DocumentReader
from skywatch.receivers.reports.json_columns import ColumnReader
from skywatch.receivers.reports.report import Report
from skywatch.security.visibility import EVERYTHING, Visibility
from tests.skies import NOW, sky_of

# What readsb wrote in one second of made-up traffic: as JSON, and as binCraft.
PAIR = Path(__file__).with_name("readsb_pair.json.gz"), Path(__file__).with_name("readsb_pair.binCraft.zst")
# What binCraft does not say, and ages, which are times by then.
LEFT_OUT = {"mlat", "tisb", "acas_ra", "desc", "ownOp", "year", "seen", "seen_pos"}
# Half a step of what is rounded, and what the two clocks of one second may differ by.
STEPS = {
    "track": 0.011,
    "mag_heading": 0.011,
    "true_heading": 0.011,
    "nav_heading": 0.011,
    "at": 0.15,
    "position_at": 0.15,
}


def read(body: bytes, invalid: Counter[str] | None = None, reader: RowReader | None = None) -> Document:
    document = (reader or RowReader()).read(unpacked(body), Counter() if invalid is None else invalid)
    reports, _, _ = document.finish(document.now, 0.0)
    return Document(document.now, document.messages, list(reports))


def of_json(body: bytes, now: float) -> list[Report]:
    """The reports of an aircraft.json that was written at this time (unix s)."""
    return list(ColumnReader().read(body, Counter()).finish(now, 0.0)[0])


def fields(report: Report) -> dict[str, Any]:
    return {name: getattr(report, name) for name in Report.__struct_fields__ if name not in LEFT_OUT}


def compare(one: Report, other: Report) -> None:
    """Both say the same, but for the steps of binCraft; signals are compared as the square roots that it has."""
    said, again = fields(one), fields(other)
    for name, step in STEPS.items():
        value, back = said.pop(name), again.pop(name)
        assert (value is UNSET) == (back is UNSET), name
        assert value is UNSET or abs(value - back) <= step, name
    signal, back = (10 ** (each.pop("rssi") / 20) for each in (said, again))
    assert signal == pytest.approx(back, rel=0.013, abs=1 / 255)
    assert said == again, one.hex


def test_every_field_is_as_in_the_json_of_the_same_second() -> None:
    document = read_document(gzip.decompress(PAIR[0].read_bytes()), Counter())
    invalid: Counter[str] = Counter()
    rows = read(PAIR[1].read_bytes(), invalid)
    assert not +invalid
    assert rows.now == pytest.approx(document.now, abs=0.1)
    assert rows.messages == document.messages
    by_address = {report.hex: report for report in rows.aircraft}
    assert by_address.keys() == {report.hex for report in document.aircraft}
    for report in of_json(gzip.decompress(PAIR[0].read_bytes()), document.now or 0.0):
        compare(report, by_address[report.hex])
    heard = {name for report in document.aircraft for name, value in fields(report).items() if value is not UNSET}
    assert {"flight", "alt_baro", "gs", "track", "lat", "nic", "nav_altitude_mcp", "category"} <= heard


def drawn(chance: random.Random, number: int) -> dict[str, Any]:
    """An aircraft as readsb may write it, in the steps of what aircraft send."""
    options: dict[str, Any] = {
        "flight": chance.choice(["SWR12AB ", "N1      "]),
        "r": "HB-JJA",
        "t": chance.choice(["A320", "C172"]),
        "dbFlags": chance.choice([1, 3, 8]),
        "alt_baro": chance.choice(["ground", -1000, 36_000, 41_025]),
        "alt_geom": chance.choice([-975, 36_775]),
        "gs": round(chance.uniform(0, 900), 1),
        "ias": float(chance.randrange(600)),
        "tas": float(chance.randrange(600)),
        "mach": round(chance.uniform(0, 2), 3),
        "track": round(chance.uniform(0, 360), 2),
        "track_rate": round(chance.uniform(-9, 9), 2),
        "roll": round(chance.uniform(-60, 60), 2),
        "mag_heading": round(chance.uniform(0, 360), 2),
        "true_heading": round(chance.uniform(0, 360), 2),
        "baro_rate": chance.choice([-2048, 0, 64]),
        "geom_rate": chance.choice([-1984, 0, 32]),
        "squawk": f"{chance.randrange(8**4):04o}",
        "emergency": chance.choice(["none", "general", "reserved"]),
        "category": chance.choice(["A1", "B6", "C3"]),
        "nav_qnh": chance.choice([1013.6, 800.0]),
        "nav_altitude_mcp": chance.choice([3008, 36_000]),
        "nav_altitude_fms": chance.choice([0, 36_000]),
        "nav_heading": round(chance.uniform(0, 360), 2),
        "nav_modes": chance.choice([[], ["autopilot", "tcas"], ["vnav", "althold", "approach", "lnav"]]),
        "version": chance.choice([0, 1, 2]),
        "nic_baro": chance.choice([0, 1]),
        "nac_p": chance.randrange(16),
        "nac_v": chance.randrange(5),
        "sil": chance.randrange(4),
        "sil_type": chance.choice(["unknown", "perhour", "persample"]),
        "gva": chance.randrange(4),
        "sda": chance.randrange(4),
        "alert": chance.choice([0, 1]),
        "spi": chance.choice([0, 1]),
    }
    said = {name: value for name, value in options.items() if chance.random() < 0.7}
    if chance.random() < 0.7:
        said |= {"wd": float(chance.randrange(360)), "ws": float(chance.randrange(200))}
    if chance.random() < 0.7:
        said |= {"oat": float(chance.randrange(-70, 40)), "tat": float(chance.randrange(-70, 40))}
    if chance.random() < 0.8:
        place = {"lat": round(chance.uniform(-90, 90), 6), "lon": round(chance.uniform(-180, 180), 6)}
        said |= {**place, "nic": chance.randrange(12), "rc": chance.choice([0, 186, 37_040]), "seen_pos": 3.2}
    source = chance.choice(["adsb_icao", "adsb_icao_nt", "mlat", "mode_s", "tisb_other", "tisb_trackfile", "unknown"])
    own = {"hex": chance.choice(["", "~"]) + f"{number + 1:06x}", "type": source, "messages": chance.randrange(60_000)}
    return {**own, **said, "seen": 0.4, "rssi": round(chance.uniform(-30, 0), 1)}


@pytest.mark.parametrize("pack", [bytes, packed, gzip.compress])
def test_what_we_write_reads_back_as_the_json_of_the_same_picture(pack: Any) -> None:
    chance = random.Random(49)
    aircraft = [drawn(chance, number) for number in range(300)]
    sky = sky_of(*aircraft)
    body = encode_rows(sky, range(len(aircraft)), EVERYTHING)
    again = read(pack(body))
    assert again.now == NOW
    assert len(again.aircraft) == len(aircraft)
    document = of_json(json.dumps({"aircraft": aircraft}).encode(), NOW)
    for report, other in zip(document, again.aircraft, strict=True):
        compare(report, other)


def test_what_is_not_decoded_again_is_what_it_would_be() -> None:
    chance, reader = random.Random(7), RowReader()
    said: dict[int, bytes] = {}
    for second in range(12):
        numbers = range(second, second + 30)
        body = encode_rows(sky_of(*(drawn(chance, number) for number in numbers)), range(30), EVERYTHING)
        for number, begin in zip(numbers, range(WIDTH, len(body), WIDTH), strict=True):
            row = body[begin : begin + WIDTH]
            # Most say what they said but for their place, and some are damaged.
            keeps = number in said and chance.random() < 0.8
            said[number] = row[:16] + said[number][16:] if keeps else row
        rows = [said[number] for number in numbers]
        rows = [row[:64] + b"\xff" + row[65:] if chance.random() < 0.1 else row for row in rows]
        rows = [row[:66] + bytes([chance.randrange(256)]) + row[67:] if chance.random() < 0.1 else row for row in rows]
        chance.shuffle(rows)
        document, invalid, again = body[:WIDTH] + b"".join(rows), Counter[str](), Counter[str]()
        one, other = read(document, invalid, reader), read(document, again)
        # Counts go on from those of the second before.
        for report in (*one.aircraft, *other.aircraft):
            report.messages = UNSET
        assert list(map(fields, one.aircraft)) == list(map(fields, other.aircraft))
        assert invalid == again


def test_a_row_whose_position_was_computed_is_one_of_mlat() -> None:
    sky = sky_of({"hex": "4b1620", "type": "adsb_icao", "lat": 47.0, "lon": 8.0, "mlat": ["lat", "lon"]})
    assert read(encode_rows(sky, [0], EVERYTHING)).aircraft[0].type == "mlat"


def test_the_head_counts_no_aircraft_that_its_reader_may_not_see() -> None:
    place = {"lat": 47.0, "lon": 8.0}
    sky = sky_of({"hex": "4b1620", **place}, {"hex": "4b7001", "military": True, **place}, {"hex": "4b1622"})
    heads = [np.frombuffer(encode_rows(sky, [0], who), HEAD, 1) for who in (EVERYTHING, Visibility())]
    assert [int(head["with_position"][0]) for head in heads] == [2, 1]


def rows_of(count: int = 1, version: int = SIGNAL_IN_DECIBELS, width: int = WIDTH, **values: Any) -> bytes:
    head, rows = np.zeros(1, HEAD), np.zeros(count, ROW)
    head["now_ms"], head["width"], head["version"], head["marks"] = NOW * 1000, width, version, values.pop("marks", 0)
    rows["address"] = 0x4B1620 + np.arange(count)
    for name, value in values.items():
        rows[name] = value
    lines = [head.tobytes(), *(row.tobytes() for row in rows)]
    return b"".join(line.ljust(width, b"\0")[:width] for line in lines)


def test_a_server_that_identifies_feeders_has_wider_rows() -> None:
    document = read(rows_of(3, width=116, signal=255))
    assert [report.hex for report in document.aircraft] == ["4b1620", "4b1621", "4b1622"]
    assert document.aircraft[2].rssi == 0.0


def test_an_invalid_value_drops_only_itself() -> None:
    invalid: Counter[str] = Counter()
    body = rows_of(
        gs=-5, squawk=0x9999, alt_geom=-32_768, valid=0xFF, category=0xF1, r=b"HB\x01", t=b"A320", flight=b"A?B"
    )
    (report,) = read(body, invalid).aircraft
    assert [getattr(report, name) for name in ("gs", "squawk", "alt_geom", "category", "r", "flight")] == [UNSET] * 6
    assert report.t == "A320"
    assert {name: invalid[name] for name in ("gs", "squawk", "alt_geom", "category", "r", "flight")} == dict.fromkeys(
        ("gs", "squawk", "alt_geom", "category", "r", "flight"), 1
    )


def test_an_age_that_is_none_is_counted_once() -> None:
    invalid: Counter[str] = Counter()
    (report,) = read(rows_of(valid=0xFF, lat=47_000_000, lon=8_000_000, seen_pos=-50), invalid).aircraft
    assert report.lat == 47.0
    assert invalid["seen_pos"] == 1


def test_messages_go_on_beyond_sixteen_bits() -> None:
    reader = RowReader()
    said = [read(rows_of(messages=low), reader=reader).aircraft[0].messages for low in (65_000, 65_530, 4, 70, 3)]
    # The last one has begun anew.
    assert said == [65_000, 65_530, 65_540, 65_606, 3]


def test_a_rate_is_no_count_of_messages() -> None:
    assert read(rows_of(messages=500, marks=RATES)).aircraft[0].messages is UNSET


def test_unknown_versions_are_named() -> None:
    for version in (0, 20_230_101, 20_991_231):
        with pytest.raises(UnknownVersion, match=f"version {version}"):
            read(rows_of(version=version))


def test_json_is_no_bincraft() -> None:
    assert not is_bincraft(b'{"now":1,"aircraft":[]}' + b" " * 200)
    assert not is_bincraft(b"")
    assert is_bincraft(rows_of())


@pytest.mark.parametrize("form", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_what_grows_without_end_is_refused(form: Any) -> None:
    with pytest.raises(DocumentError, match="more than 64 MiB"):
        unpacked(form(bytes(65 << 20)))
    with pytest.raises(DocumentError, match="does not unpack"):
        unpacked(form(b"x" * 500)[:5] + b"damaged")


@settings(max_examples=40)
@given(st.binary(max_size=400), st.integers(0, 3))
def test_no_bytes_raise_anything_else(noise: bytes, rows: int) -> None:
    body = rows_of(rows) + noise
    invalid: Counter[str] = Counter()
    document = DocumentReader(invalid).read(body, NOW, 0.0)
    assert document is not None
    assert len(document.reports) >= rows


def test_a_reader_takes_whatever_form_comes() -> None:
    reader = DocumentReader(Counter())
    body = json.dumps({"now": NOW, "aircraft": [{"hex": "4b1620", "seen": 1.0}]}).encode()
    first = reader.read(body, NOW, 0.0)
    later = bytearray(rows_of(seen=10))
    later[:8] = int(NOW * 1000 + 1000).to_bytes(8, "little")
    second = reader.read(packed(bytes(later)), NOW + 1, 0.0)
    assert first is not None
    assert second is not None
    assert [report.at for report in (*first.reports, *second.reports)] == [NOW - 1, NOW]
