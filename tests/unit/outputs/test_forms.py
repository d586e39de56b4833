"""What outputs write is read back by our own receivers of the same forms, and says the same."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from msgspec import UNSET

from skywatch.outputs import forms
from skywatch.picture.state.doubt import EMERGENCY, SQUAWK
from skywatch.receivers.formats.json_lines import LinesDecoder
from skywatch.receivers.formats.sbs import COLUMNS, SbsLine
from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.framing.beast import MLAT_TICKS, BeastFramer
from skywatch.receivers.framing.frames import FrameBatch
from tests.skies import NOW, sky_of

LONG = bytes.fromhex("8D4840D6202CC371C32CE0576098")
# Full of what Beast has to escape.
ESCAPED = bytes.fromhex("1a1a1a1a1a1a1a")
FRAMES = FrameBatch.of_bytes(
    [LONG, ESCAPED, LONG],
    time=np.array([NOW, NOW + 0.5, NOW + 1.0]),
    rssi=np.array([-10.0, np.nan, 3.0], np.float32),
    ticks=np.array([0x1A1A1A1A1A1A, MLAT_TICKS, -1]),
)
SWISS = {
    "hex": "4b1620",
    "flight": "SWR123",
    "alt_baro": 34000,
    "gs": 450.5,
    "track": 90.1,
    "baro_rate": -64,
    "squawk": "1000",
    "lat": 47.5,
    "lon": 8.6,
    "seen": 0.5,
}
TAXI = {"hex": "4b0001", "alt_baro": "ground", "gs": 12.0, "track": 5.0, "lat": 47.458, "lon": 8.548}
SILENT = {"hex": "~3c6444", "seen": 12.0}
RED = {"hex": "406a90", "squawk": "7700"}


def heard(sky):
    """The same sky with the times of every group that is known."""
    columns = sky.columns
    for name, known in (
        ("callsign_at", columns["flight"] != b""),
        ("squawk_at", columns["squawk"] != b""),
        ("velocity_at", ~np.isnan(columns["gs_kt"])),
        ("altitude_at", ~np.isnan(columns["alt_baro_ft"]) | columns["on_ground"]),
        ("position_at", ~np.isnan(columns["lat"])),
    ):
        columns[name][:] = np.where(known, columns["seen_at"], np.nan)
    return sky


SKY = heard(sky_of(SWISS, TAXI, SILENT, RED))
ALL = np.arange(4)


def read_sbs(data):
    """Address -> what our own reader makes of the lines about it."""
    invalid, found = Counter(), {}
    for line in data.split(b"\r\n")[:-1]:
        assert line.count(b",") == COLUMNS - 1
        report, at = SbsLine(invalid).read(line)
        found.setdefault(report.hex, []).append((report, at))
    assert not invalid
    return found


def said(reports, name):
    return {getattr(report, name) for report, _ in reports} - {UNSET}


def test_beast():
    framer = BeastFramer()
    got = framer.feed(forms.beast(FRAMES) + forms.HEARTBEATS["beast"])
    assert [got.frame(row) for row in range(len(got))] == [LONG, ESCAPED, LONG]
    assert got.ticks.tolist()[:2] == [0x1A1A1A1A1A1A, MLAT_TICKS]
    assert got.ticks[2] == int((NOW + 1.0) * 12e6) % 2**48
    assert got.rssi[0] == pytest.approx(-10.0, abs=0.2)
    assert np.isnan(got.rssi[1])
    assert got.rssi[2] == 0.0
    assert (framer.broken, framer.heartbeats) == (0, 1)


def test_raw():
    framer = AvrFramer()
    got = framer.feed(forms.raw(FRAMES) + forms.HEARTBEATS["raw"])
    assert [got.frame(row) for row in range(len(got))] == [LONG, ESCAPED, LONG]
    assert framer.broken == 0


def test_every_aircraft_is_in_the_sbs_lines():
    found = read_sbs(forms.sbs(SKY, ALL, 0.0))
    assert set(found) == {"4b1620", "4b0001", "~3c6444", "406a90"}


def test_sbs_shows_an_aircraft_on_the_ground_that_sent_its_speed_alone():
    sky = heard(sky_of(TAXI))
    sky.columns["velocity_at"][0] = NOW + 5
    [report] = [report for report, _ in read_sbs(forms.sbs(sky, np.array([0]), NOW + 1))["4b0001"]]
    assert (report.gs, report.alt_baro, report.lat) == (12.0, "ground", UNSET)


def test_sbs_says_what_the_picture_says():
    found = read_sbs(forms.sbs(SKY, ALL, 0.0))
    swiss = found["4b1620"]
    for name, value in {
        "flight": "SWR123",
        "alt_baro": 34000,
        "gs": 450.5,
        "track": 90.1,
        "baro_rate": -64,
        "squawk": "1000",
        "lat": 47.5,
        "lon": 8.6,
    }.items():
        assert said(swiss, name) == {value}, name
    assert {at for _, at in swiss} == {NOW - 0.5}
    taxi = found["4b0001"]
    assert said(taxi, "alt_baro") == {"ground"}
    assert said(taxi, "lat") == {47.458}
    assert "general" in said(found["406a90"], "emergency")


@pytest.mark.parametrize("is_single", [True, False])
def test_sbs_flags_no_emergency_that_nobody_confirms(is_single):
    sky = heard(sky_of({"hex": "700001", "squawk": "7700"}, {"hex": "4b0001", "squawk": "7700"}))
    if is_single:
        sky.columns["single_source"][0] = True
    else:
        sky = dataclasses.replace(sky, doubt=np.array([SQUAWK | EMERGENCY, 0], "u2"))
    found = read_sbs(forms.sbs(sky, np.arange(2), 0.0))
    assert [said(found[address], "squawk") for address in ("700001", "4b0001")] == [{"7700"}] * 2
    assert ["general" in said(found[address], "emergency") for address in ("700001", "4b0001")] == [False, True]


def test_sbs_leaves_out_what_was_heard_before():
    SKY.columns["velocity_at"][0] = NOW + 5
    try:
        lines = forms.sbs(SKY, np.array([0]), NOW + 1).split(b"\r\n")[:-1]
    finally:
        SKY.columns["velocity_at"][0] = NOW - 0.5
    assert [line.split(b",")[1] for line in lines] == [b"4"]


def test_json_lines():
    data = forms.json_lines(SKY, ALL)
    assert data.count(b"\n") == 4
    decoder = LinesDecoder(Counter())
    reports = decoder.feed(data, NOW).reports
    assert {report.hex for report in reports} == {"4b1620", "4b0001", "~3c6444", "406a90"}
    swiss = next(report for report in reports if report.hex == "4b1620")
    assert (swiss.lat, swiss.lon, swiss.alt_baro, swiss.flight) == (47.5, 8.6, 34000, "SWR123")
