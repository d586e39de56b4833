"""Where a receiver stands and how far it hears: one that stands far from the station loses nothing, and says so."""

from __future__ import annotations

import json
import math
import time

import pytest
from msgspec import UNSET

from skywatch.core import geo
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.picture.checks import describe
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.mode_s.encoder import airborne_position, beast, squitter, surface_position
from skywatch.receivers.reports.documents import DocumentReader
from skywatch.receivers.reports.report import Report
from skywatch.settings import SettingsError
from tests.unit.history.imports.imports import run
from tests.unit.receivers.collector import Collector
from tests.unit.receivers.feeder_streams.feeders import Feeders

STATION = (47.45, 8.56)
FAR = (53.0, -3.5)
ADDRESS = 0x4CA201


def avr_lines(lat: float, lon: float, count: int = 8) -> bytes:
    frames = [squitter(ADDRESS, airborne_position(lat, lon, number % 2, 35_000)) for number in range(count)]
    return b"".join(f"*{frame.hex().upper()};\n".encode() for frame in frames)


def beast_frames(lat: float, lon: float, count: int = 8) -> bytes:
    frames = [squitter(ADDRESS, airborne_position(lat, lon, number % 2, 35_000)) for number in range(count)]
    return b"".join(beast(frame, 0) for frame in frames)


def received(text: str, data: bytes):
    """The receiver and what it put after these bytes."""
    receiver, sink = open_receiver("far", text, STATION), Collector()
    receiver._sink = sink
    receiver.deliver(*receiver.decoder().feed(data, time.time()))
    return receiver, [report for report in sink.reports if report.lat is not UNSET]


@pytest.mark.parametrize(("kind", "made"), [("avr", avr_lines), ("beast", beast_frames)])
@pytest.mark.parametrize("options", ["place=53,-3.5", "place=52.0,2.0 range_nm=500", "range_nm=0", "range_nm=600"])
def test_a_receiver_far_from_the_station_is_believed_from_its_place(kind, made, options):
    receiver, positions = received(f"{kind} host:30002 {options}", made(53.0, -3.0))
    assert len(positions) >= 6
    assert "position_out_of_range" not in receiver.status.invalid
    assert receiver.status.last_error is None


@pytest.mark.parametrize(("kind", "made"), [("avr", avr_lines), ("beast", beast_frames)])
def test_what_is_refused_for_range_is_counted_and_said(kind, made):
    receiver, positions = received(f"{kind} host:30002", made(53.0, -3.0))
    status = receiver.status
    assert positions == []
    assert status.invalid["position_out_of_range"] >= 6
    assert "beyond 450 nm of its place were refused" in str(status.last_error)
    assert "place=" in str(status.last_error)
    assert "range_nm=" in str(status.last_error)
    finding = describe(status)
    assert finding.level == "warning"
    assert "450 nm" in finding.text


def test_the_default_range_is_450_nm_and_no_station_has_none():
    lat, lon = map(float, geo.destination(*STATION, 300.0, 430.0))
    assert len(received("avr host:30002", avr_lines(lat, lon))[1]) >= 6
    receiver = open_receiver("raw", "avr host:30002", None)
    assert receiver.status.range_nm == 450.0
    assert any(report.position_at for report in receiver.decoder().feed(avr_lines(53.0, -3.0), 1e9).reports)


def test_what_is_on_the_ground_is_where_the_receiver_stands():
    frames = [squitter(ADDRESS, surface_position(*FAR, number % 2), capability=4) for number in range(8)]
    data = b"".join(f"*{frame.hex()};\n".encode() for frame in frames)
    # 90 degrees of longitude from there, the same frames have another place.
    elsewhere = (53.0, 86.5)
    for place in (FAR, elsewhere):
        _, positions = received(f"avr host:30002 place={place[0]},{place[1]}", data)
        assert positions
        assert all(geo.distance_nm(*place, each.lat, each.lon) < 1.0 for each in positions)


def test_a_feeder_resolves_the_ground_by_its_own_place():
    feeders = Feeders(1, station=STATION, places={1: (53.0, 86.5)})
    feeders.send(1, *(squitter(ADDRESS, surface_position(53.0, 86.5, odd), capability=4) for odd in (0, 1)))
    feeders.flush()
    report = feeders.reports()["feeder-1"]["4ca201"]
    assert (round(report.lat, 2), round(report.lon, 2)) == (53.0, 86.5)


@pytest.mark.parametrize(
    ("fields", "is_refused"),
    [
        ({"type": "adsb_icao"}, True),
        ({}, True),
        ({"type": "adsb_icao", "mlat": ["lat", "lon"]}, False),
        ({"type": "mlat"}, False),
        ({"type": "adsc"}, False),
        ({"type": "tisb_icao"}, False),
    ],
)
def test_a_program_s_own_positions_are_limited_where_the_setting_says_so(fields, is_refused):
    for text in ("sbs host:30003 range_nm=450", "readsb http://host/aircraft.json range_nm=450"):
        receiver, sink = open_receiver("far", text, STATION), Collector()
        receiver._sink = sink
        receiver.deliver([Report("4ca201", 10.0, 10.0, lat=53.0, lon=-3.0, **fields)], 1, 1)
        assert (sink.reports[0].lat is UNSET) == is_refused
        assert (sink.reports[0].position_at == 0.0) == is_refused
        assert receiver.status.invalid.get("position_out_of_range", 0) == is_refused
        assert receiver.status.positions == (not is_refused)


def test_an_old_position_that_is_out_of_range_is_counted_once():
    receiver, sink = open_receiver("far", "readsb http://host/aircraft.json range_nm=100", STATION), Collector()
    receiver._sink = sink
    documents, now = DocumentReader(receiver.invalid), time.time()
    for second in range(5):
        far = {"hex": "4ca201", "lat": 53.0, "lon": -3.0, "seen": 10 + second, "seen_pos": 10 + second}
        near = {"hex": "4ca202", "lat": 47.5, "lon": 8.5, "seen": 0.1, "seen_pos": 0.1}
        document = {"now": now + second, "messages": second, "aircraft": [far, near]}
        receiver.deliver(*documents.read(json.dumps(document).encode(), now + second))
    assert receiver.status.positions == 5
    assert receiver.status.invalid["position_out_of_range"] == 1


def test_every_line_with_a_position_out_of_range_is_counted():
    receiver, sink = open_receiver("far", "readsb-lines host:30047 range_nm=100", STATION), Collector()
    receiver._sink = sink
    decoder, now = receiver.decoder(), time.time()
    for number in range(40):
        lat, lon = (47.5, 8.5) if number % 4 == 0 else (53.0, -3.0)
        line = {"now": now, "hex": f"4ca2{number:02x}", "lat": lat, "lon": lon, "seen_pos": 0.1}
        receiver.deliver(*decoder.feed(json.dumps(line).encode() + b"\n", now + number / 50))
    assert receiver.status.positions == 10
    assert receiver.status.invalid["position_out_of_range"] == 30
    assert receiver.status.is_out_of_range


def test_without_it_what_a_program_decoded_is_believed_as_before():
    for text in ("sbs host:30003", "readsb http://host/aircraft.json", "readsb-lines host:30047"):
        receiver, sink = open_receiver("far", text, STATION), Collector()
        receiver._sink = sink
        receiver.deliver([Report("4ca201", 10.0, 10.0, lat=53.0, lon=-60.0)], 1, 1)
        assert sink.reports[0].lat == 53.0
        assert receiver.status.range_nm is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("beast host:30005 place=91,0", "place is not on the Earth"),
        ("beast host:30005 place=here", "place must be lat,lon"),
        ("avr host:30002 range_nm=-1", "range_nm must be between 0 and"),
        ("sbs host:30003 range_nm=far", "range_nm must be a number"),
        ("readsb-lines host:30047 mlat", "unknown option mlat"),
        ("adsbx-v2 https://host/v2 place=47,8", "unknown option place"),
        ("listen 0.0.0.0:30004 place=47,8", "unknown option place"),
    ],
)
def test_what_cannot_be_right_is_refused(text, reason):
    with pytest.raises(SettingsError, match=reason):
        open_receiver("far", text, None)


def test_zero_switches_the_range_off():
    receiver = open_receiver("far", "beast host:30005 range_nm=0", STATION)
    assert math.isinf(receiver.site.range_nm)
    assert receiver.status.range_nm is None


def test_a_recording_of_another_place_is_played_there(tmp_path):
    path = tmp_path / "far.avr"
    path.write_bytes(avr_lines(53.0, -3.0))
    receiver = open_receiver("tape", f"replay {path} place=53,-3.5", STATION)
    assert (receiver.site.place, receiver.site.range_nm) == (FAR, 450.0)
    plain = open_receiver("tape", f"replay {path}", STATION)
    assert (plain.site.place, plain.site.range_nm) == (STATION, 450.0)


def test_a_recording_of_another_place_is_imported_there(database_url, make_settings, tmp_path):
    engine = create_engine(database_url)
    path = tmp_path / "far.avr"
    path.write_bytes(avr_lines(53.0, -3.0))
    sessions, start = create_session_factory(engine), 1_790_000_000.0
    refused = run(sessions, make_settings(), path, station=STATION, start=start)
    assert (refused.positions, refused.skipped["position_out_of_range"]) == (0, 7)
    there = run(sessions, make_settings(), path, station=STATION, start=start, range_nm=math.inf)
    assert (there.flights, there.skipped) == (1, {})
    engine.dispose()
