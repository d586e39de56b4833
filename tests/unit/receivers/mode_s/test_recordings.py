"""Real recordings against their answer keys: nothing missing, nothing wrong, nothing that is not there."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from skywatch.core.geo import METRES_PER_NM, distance_nm
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.message import Message
from tests.unit.receivers.mode_s.helpers import carried, positions, read_frames

TOULOUSE = (43.63, 1.37)
ST_PETERSBURG = (59.95, 30.30)


def decode(
    path: Path, station: tuple[float, float] | None = None, size: int = 1000, count: int | None = None, **options: Any
) -> list[Message]:
    """The messages of a recording, or of its first ``count`` frames, decoded ``size`` frames at a time."""
    frames = read_frames(path)[:count]
    decoder = Decoder(station, **options)
    return [m for place in range(0, len(frames), size) for m in decoder.decode(frames[place : place + size])]


def said(messages: Iterable[Message], name: str) -> set[Any]:
    return {getattr(m, name) for m in messages if getattr(m, name) is not UNSET}


@pytest.fixture(scope="module")
def expected(shared_data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared_data / "raw" / "EXPECTED.json").read_text())
    return found


@pytest.fixture(scope="module")
def basestation(shared_data: Path) -> list[list[str]]:
    with (shared_data / "sbs" / "ulss7_61s.sbs").open(newline="") as lines:
        return list(csv.reader(lines))


@pytest.fixture(scope="module")
def petersburg(shared_data: Path) -> list[Message]:
    return decode(shared_data / "raw" / "ulss7_61s.beast")


def test_every_position_of_the_answer_key(petersburg, basestation):
    ours, key = defaultdict(list), defaultdict(list)
    for message in petersburg:
        if message.lat is not UNSET:
            ours[message.hex].append(message)
    for row in basestation:
        if row[1] == "3" and row[14]:
            key[row[4].lower()].append(row)
    assert sum(map(len, key.values())) == 728
    assert {name: len(found) for name, found in ours.items()} == {name: len(found) for name, found in key.items()}
    for name, rows in key.items():
        for row, message in zip(rows, ours[name], strict=True):
            away_nm = distance_nm(float(row[14]), float(row[15]), message.lat, message.lon)
            assert away_nm * METRES_PER_NM < 10
            assert message.alt_baro == int(row[11])


def test_every_reply_of_the_answer_key(petersburg, basestation):
    def key(kind: str, column: int) -> Counter[tuple[str, str]]:
        return Counter((row[4].lower(), row[column]) for row in basestation if row[1] == kind)

    def ours(formats: set[int], name: str) -> Counter[tuple[str, str]]:
        return Counter((m.hex, str(getattr(m, name))) for m in petersburg if m.df in formats)

    assert ours({5, 21}, "squawk") == key("6", 17)
    assert ours({4, 20}, "alt_baro") == key("5", 11)
    assert ours({0, 16}, "alt_baro") == key("7", 11)
    velocities = [(m.hex, m.gs, m.track) for m in petersburg if m.gs is not UNSET]
    # The key's velocities are whole numbers, computed without the offset of one knot in both fields.
    for (name, gs, track), row in zip(velocities, [row for row in basestation if row[1] == "4"], strict=True):
        assert name == row[4].lower()
        assert abs(gs - int(row[12])) <= 2
        assert abs((track - int(row[13]) + 180) % 360 - 180) <= 2


@pytest.mark.parametrize("station", [None, ST_PETERSBURG])
@pytest.mark.parametrize(
    "name", ["ulss7_61s.beast", "ulss7_61s_mlat.avr", "ulss7_61s.avr", "ulss7_61s_original_duplicated.beast"]
)
def test_the_same_sky_in_every_form(shared_data, expected, name, station):
    messages = decode(shared_data / "raw" / name, station)
    key = expected["ulss7_61s"]
    assert said(messages, "hex") == set(key["aircraft_with_crc"])
    assert said(messages, "flight") == set(key["callsigns"])
    assert said(messages, "squawk") == set(key["squawks"])
    assert said(messages, "acas_ra") == set()
    copies = 2 if "duplicated" in name else 1
    assert len(positions(messages)) == 728 * copies


def test_the_duplicated_recording_gives_the_same_places(shared_data, petersburg):
    doubled = decode(shared_data / "raw" / "ulss7_61s_original_duplicated.beast")
    assert set(positions(doubled)) == set(positions(petersburg))


def test_readsb_ends_with_the_same_picture(shared_data, petersburg):
    last: dict[str, dict[str, Any]] = defaultdict(dict)
    for message in petersburg:
        last[message.hex].update(carried(message))
    aircraft = json.loads((shared_data / "raw" / "ulss7_readsb" / "aircraft.json").read_text())["aircraft"]
    assert {one["hex"] for one in aircraft} == set(last)
    compared = 0
    for one in aircraft:
        ours = last[one["hex"]]
        assert ours["flight"] == one["flight"].strip()
        assert distance_nm(ours["lat"], ours["lon"], one["lat"], one["lon"]) * METRES_PER_NM < 1
        for name in ("gs", "track", "squawk", "category", "nic", "rc", "alt_geom", "emergency", "nav_altitude_mcp",
                     "nav_qnh", "nav_heading"):  # fmt: skip
            # readsb also guesses at registers 4,0, 5,0 and 6,0, which we leave alone.
            if name in one and name in ours:
                assert ours[name] == pytest.approx(one[name], abs=0.06) if name != "squawk" else ours[name] == one[name]
                compared += 1
        if one["version"] == 2:
            for name in ("version", "nac_p", "nac_v", "sil", "sil_type", "gva", "sda", "nic_baro"):
                assert ours[name] == one[name]
                compared += 1
    assert compared > 90


def test_from_taxiing_in_toulouse_to_the_gate_in_london(shared_data, expected):
    messages = decode(shared_data / "raw" / "ezy_toulouse_london_138min.beast.gz", TOULOUSE, max_range_nm=700)
    key = expected["ezy_toulouse_london_138min"]
    assert said(messages, "hex") == set(key["aircraft_with_crc"])
    # The key's callsigns include one with characters that are none; one more comes, twice, in Comm-B replies.
    assert said(messages, "flight") - {"VIR130C"} == {name for name in key["callsigns"] if "#" not in name}
    assert said(messages, "squawk") == {"2312", "1415"}
    assert len(positions(messages)) >= key["positions_own"]
    flown = [m for m in messages if m.hex == "400f99" and m.lat is not UNSET]
    assert [m.alt_baro == "ground" for m in (flown[0], flown[len(flown) // 2], flown[-1])] == [True, False, True]
    assert distance_nm(flown[0].lat, flown[0].lon, *TOULOUSE) < 2
    assert distance_nm(flown[-1].lat, flown[-1].lon, 51.47, -0.45) < 3
    assert max(m.alt_baro for m in flown if m.alt_baro != "ground") > 30_000
    for before, after in itertools.pairwise(flown):
        moved_nm = distance_nm(before.lat, before.lon, after.lat, after.lon)
        assert moved_nm <= 0.1 + (after.at - before.at) * 600 / 3600


def test_without_a_station_surface_positions_come_once_the_aircraft_has_flown(shared_data):
    messages = decode(shared_data / "raw" / "ezy_toulouse_london_138min.beast.gz")
    found = [m.alt_baro == "ground" for m in messages if m.hex == "400f99" and m.lat is not UNSET]
    assert not found[0]
    assert found[-1]


@pytest.mark.parametrize("size", [pytest.param(1, marks=pytest.mark.deep("costs over a processor second")), 50, 5000])
def test_the_size_of_batches_changes_nothing(shared_data, size):
    path, count = shared_data / "raw" / "ulss7_61s.beast", 1500
    assert decode(path, size=size, count=count) == decode(path, count=count)


def test_small_captures(shared_data):
    assert said(decode(shared_data / "raw" / "toulouse_24s.beast"), "hex") == {"3981e4", "44ce69", "48520a"}
    messages = decode(shared_data / "raw" / "modes1.avr")
    assert said(messages, "hex") == {"4d2023"}
    assert said(messages, "flight") == {"AMC421"}
    assert said(messages, "squawk") == {"0112"}
