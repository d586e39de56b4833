"""Operational status, target state and aircraft status in every version, and what follows from them for positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from skywatch.receivers.mode_s.content.velocity import OVERFLOW_7_BITS, OVERFLOW_9_BITS, OVERFLOW_10_BITS
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.encoder import airborne_position, squitter, surface_position
from skywatch.receivers.mode_s.position.integrity import integrity
from tests.unit.receivers.mode_s.helpers import ADDRESS, carried, decode_frames


def put(*fields: tuple[int, int, int]) -> int:
    """A 56-bit message from (first bit, last bit, value)."""
    me = 0
    for first, last, value in fields:
        assert 0 <= value < 1 << (last - first + 1)
        me |= value << (56 - last)
    return me


def say(me: int, df: int = 17, capability: int = 5) -> dict[str, Any]:
    (message,) = decode_frames([(1.0, squitter(ADDRESS, me, df, capability))])
    return carried(message)


def operational(version: int, *more: tuple[int, int, int], subtype: int = 0) -> int:
    return put((1, 5, 31), (6, 8, subtype), (41, 43, version), *more)


def test_version_0_says_its_version_only():
    fields = say(operational(0, (45, 48, 9), (51, 52, 3)))
    assert fields["version"] == 0
    assert not {"nac_p", "sil", "sil_type", "gva", "sda", "nic_baro"} & set(fields)


def test_version_1():
    fields = say(operational(1, (45, 48, 8), (51, 52, 2), (53, 53, 1), (49, 50, 3)))
    expected = {"version": 1, "nac_p": 8, "sil": 2, "sil_type": "unknown", "nic_baro": 1}
    assert {name: fields[name] for name in expected} == expected
    assert not {"gva", "sda"} & set(fields)


def test_version_2_on_the_surface():
    fields = say(operational(2, (45, 48, 10), (51, 52, 3), (55, 55, 1), (17, 19, 4), (31, 32, 2), subtype=1))
    expected = {"version": 2, "nac_p": 10, "sil": 3, "sil_type": "persample", "nac_v": 4, "sda": 2}
    assert {name: fields[name] for name in expected} == expected
    assert not {"gva", "nic_baro"} & set(fields)


def test_reserved_subtypes_say_nothing():
    assert "version" not in say(operational(2, subtype=5))
    assert "gs" not in say(put((1, 5, 19), (6, 8, 6), (15, 24, 100), (26, 35, 100)))
    assert "nav_altitude_mcp" not in say(put((1, 5, 29), (6, 7, 2), (10, 20, 500)))
    assert "squawk" not in say(put((1, 5, 28), (6, 8, 3), (12, 24, 100)))


@pytest.mark.parametrize(
    ("version", "type_code", "a", "b", "c", "nic", "rc_m"),
    [
        (0, 9, 0, 0, 0, 11, 8), (0, 11, 0, 0, 0, 8, 186), (0, 13, 0, 0, 0, 6, 926), (0, 16, 0, 0, 0, 1, 18520),
        (0, 17, 0, 0, 0, 1, 37040), (0, 18, 0, 0, 0, 0, 0), (0, 8, 0, 0, 0, 0, 0), (0, 7, 0, 0, 0, 8, 186),
        (1, 11, 0, 0, 0, 8, 186), (1, 11, 1, 0, 0, 9, 75), (1, 13, 1, 0, 0, 6, 1112), (1, 13, 0, 0, 0, 6, 926),
        (1, 16, 1, 0, 0, 3, 7408), (1, 16, 0, 0, 0, 2, 14816), (1, 7, 1, 0, 0, 9, 75), (1, 8, 0, 0, 0, 0, 0),
        (2, 11, 1, 1, 0, 9, 75), (2, 11, 0, 0, 0, 8, 186), (2, 13, 0, 1, 0, 6, 556), (2, 13, 0, 0, 0, 6, 926),
        (2, 13, 1, 1, 0, 6, 1112), (2, 16, 1, 1, 0, 3, 7408), (2, 16, 0, 0, 0, 2, 14816), (2, 7, 1, 0, 0, 9, 75),
        (2, 7, 0, 0, 0, 8, 186), (2, 8, 1, 0, 1, 7, 371), (2, 8, 1, 0, 0, 6, 556), (2, 8, 0, 0, 1, 6, 1112),
        (2, 8, 0, 0, 0, 0, 0), (2, 12, 0, 0, 0, 7, 371), (2, 14, 0, 0, 0, 5, 1852), (2, 15, 0, 0, 0, 4, 3704),
        (2, 20, 0, 0, 0, 11, 8), (2, 21, 0, 0, 0, 10, 25), (2, 22, 0, 0, 0, 0, 0), (2, 10, 0, 0, 0, 10, 25),
    ],
)  # fmt: skip
def test_integrity_by_version(version, type_code, a, b, c, nic, rc_m):
    # "The 1090 Megahertz Riddle", chapter "Uncertainties in ADS-B": tables for versions 0, 1 and 2.
    columns = [np.array([value]) for value in (version, type_code, a, b, c)]
    assert [int(column[0]) for column in integrity(*columns)] == [nic, rc_m]


def test_a_position_is_read_by_the_status_that_came_before_it():
    def position(odd: int) -> bytes:
        return squitter(ADDRESS, airborne_position(50.0, 8.0, odd) | 1 << 48)  # NIC supplement B

    status = squitter(ADDRESS, operational(2, (44, 44, 1)))  # NIC supplement A
    frames = [(0.0, position(0)), (0.5, position(1)), (1.0, status), (1.5, position(0))]
    for size in (1, 2, 4):
        found = [carried(m).get("nic") for m in decode_frames(frames, batch_size=size)]
        assert found == [None, 8, None, 9]


def test_supplement_b_of_a_rebroadcast_is_another_bit():
    frames = [(0.0, squitter(ADDRESS, operational(2, (44, 44, 1)), 18, 6))]
    frames += [(1.0 + odd, squitter(ADDRESS, airborne_position(50.0, 8.0, odd), 18, 6)) for odd in (0, 1)]
    fields = carried(decode_frames(frames)[-1])
    assert (fields["hex"], fields["type"], fields["nic"]) == (f"{ADDRESS:06x}", "adsr_icao", 8)


@pytest.mark.parametrize(
    ("tah", "hrd", "name"),
    [(0, 0, "track"), (0, 1, "track"), (1, 0, "true_heading"), (1, 1, "mag_heading")],
)
def test_the_direction_on_the_surface_is_what_the_status_says(tah, hrd, name):
    status = squitter(ADDRESS, operational(2, (53, 53, tah), (54, 54, hrd), subtype=1))
    surface = squitter(ADDRESS, surface_position(50.0, 8.0, 0, 20, 90.0), capability=4)
    for size in (1, 2):
        fields = carried(decode_frames([(0.0, status), (0.5, surface)], batch_size=size)[-1])
        assert fields[name] == 90.0
        assert len({"track", "true_heading", "mag_heading"} & set(fields)) == 1


def test_the_heading_in_the_air_is_true_where_the_status_says_so():
    airspeed = squitter(ADDRESS, put((1, 5, 19), (6, 8, 3), (14, 14, 1), (15, 24, 256), (26, 35, 251)))
    assert carried(decode_frames([(0.0, airspeed)])[0])["mag_heading"] == 90.0
    status = squitter(ADDRESS, operational(2, (54, 54, 0)))
    fields = carried(decode_frames([(0.0, status), (0.5, airspeed)])[1])
    assert (fields["true_heading"], fields["ias"]) == (90.0, 250)


@pytest.mark.parametrize(
    ("code", "speed_kt"),
    [(0, None), (1, 0.0), (2, 0.1), (8, 0.9), (9, 1.0), (12, 1.8), (13, 2.0), (38, 14.5), (39, 15.0), (93, 69.0),
     (94, 70.0), (108, 98.0), (109, 100.0), (123, 170.0), (124, 175.0), (125, None), (127, None)],
)  # fmt: skip
def test_movement(code, speed_kt):
    assert say(surface_position(50.0, 8.0, 0, code)).get("gs") == speed_kt


def test_supersonic_velocity_has_steps_of_four_knots():
    fields = say(put((1, 5, 19), (6, 8, 2), (15, 24, 251), (25, 25, 1), (26, 35, 1), (36, 36, 1), (38, 46, 11)))
    assert (fields["gs"], fields["track"], fields["baro_rate"]) == (1000.0, 90.0, 640)
    fields = say(put((1, 5, 19), (6, 8, 4), (14, 14, 1), (15, 24, 512), (25, 25, 1), (26, 35, 251)))
    assert (fields["tas"], fields["mag_heading"]) == (1000, 180.0)


def test_values_beyond_the_scale_and_absent_ones_are_left_out():
    beyond = put(
        (1, 5, 19), (6, 8, 1), (15, 24, OVERFLOW_10_BITS), (26, 35, 100), (38, 46, OVERFLOW_9_BITS),
        (50, 56, OVERFLOW_7_BITS),
    )  # fmt: skip
    absent = put((1, 5, 19), (6, 8, 1))
    for me in (beyond, absent):
        assert not {"gs", "track", "baro_rate", "geom_rate", "alt_geom"} & set(say(me))
    assert "ias" not in say(put((1, 5, 19), (6, 8, 3), (26, 35, OVERFLOW_10_BITS)))


def test_a_standing_helicopter_has_no_track():
    fields = say(put((1, 5, 19), (6, 8, 1), (15, 24, 1), (26, 35, 1)))
    assert fields["gs"] == 0.0
    assert "track" not in fields


def test_target_state_of_version_1():
    me = put(
        (1, 5, 29), (8, 9, 1), (14, 15, 2), (16, 25, 360), (26, 27, 1), (28, 36, 270), (38, 39, 1), (40, 43, 9),
        (44, 44, 1), (45, 46, 2), (52, 53, 2), (54, 56, 1),
    )  # fmt: skip
    expected = {
        "nav_altitude_mcp": 35_000, "nav_heading": 270.0, "nav_modes": ["autopilot", "tcas"], "nac_p": 9, "nic_baro": 1,
        "sil": 2, "sil_type": "unknown", "emergency": "general",
    }  # fmt: skip
    fields = say(me)
    assert {name: fields.get(name) for name in expected} == expected


def test_target_state_of_version_1_from_the_flight_management_system():
    me = put((1, 5, 29), (8, 9, 3), (14, 15, 1), (16, 25, 110), (26, 27, 3), (28, 36, 90), (37, 37, 1), (38, 39, 2))
    fields = say(me)
    assert fields["nav_altitude_fms"] == 10_000
    assert fields["nav_modes"] == ["vnav", "lnav"]
    assert "nav_heading" not in fields  # it is a track


def test_target_state_of_version_2_without_its_parts():
    fields = say(put((1, 5, 29), (6, 7, 1), (9, 9, 1), (10, 20, 313), (40, 43, 8)))
    assert fields["nav_altitude_fms"] == 9984
    assert not {"nav_altitude_mcp", "nav_qnh", "nav_heading", "nav_modes"} & set(fields)


@pytest.mark.parametrize(
    ("code", "word"),
    list(enumerate(["none", "general", "lifeguard", "minfuel", "nordo", "unlawful", "downed", "reserved"])),
)
def test_emergencies(code, word):
    assert say(put((1, 5, 28), (6, 8, 1), (9, 11, code)))["emergency"] == word


def test_the_squawk_of_a_test_message():
    identity = 0b0101010101010  # A1 A2 A4 B1 B2 B4: 7700
    assert say(put((1, 5, 23), (6, 8, 7), (9, 21, identity)))["squawk"] == "7700"
    assert "squawk" not in say(put((1, 5, 23), (6, 8, 0), (9, 21, identity)))


@pytest.mark.parametrize(("status", "alert", "spi"), [(0, 0, 0), (1, 1, None), (2, 1, None), (3, 0, 1)])
def test_surveillance_status_of_positions(status, alert, spi):
    fields = say(airborne_position(50.0, 8.0, 0) | status << 49)
    assert (fields["alert"], fields.get("spi")) == (alert, spi)


def test_height_from_satellites_is_the_geometric_altitude():
    fields = say(airborne_position(50.0, 8.0, 0, 12_000, type_code=20))
    assert fields["alt_geom"] == 12_000
    assert "alt_baro" not in fields


def test_callsigns_with_characters_that_are_none_are_left_out():
    decoder = Decoder()
    for code in (0, 27, 63, 35):
        message = decode_frames([(1.0, squitter(ADDRESS, 4 << 51 | 0x20C3_1CB3_DF00 | code))], decoder)[0]
        assert "flight" not in carried(message)
        assert carried(message)["category"] == "A0"
    blank = int("100000" * 8, 2)
    assert "flight" not in carried(decode_frames([(1.0, squitter(ADDRESS, 4 << 51 | blank))], decoder)[0])
