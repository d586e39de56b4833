"""Frames whose meaning is published.

Most are worked examples of J. Sun, "The 1090 Megahertz Riddle" (2nd edition, https://mode-s.org); those of type codes
28, 29 and 31 were received from real aircraft and read the same by three independent programs (pyModeS, rs1090 and,
in the case of the aircraft of the recording of St Petersburg, readsb).
"""

from __future__ import annotations

from typing import Any

import pytest

from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.encoder import all_call, squitter
from tests.unit.receivers.mode_s.helpers import carried, decode_hex


def last(*frames: str, **options: Any) -> dict[str, Any]:
    return carried(decode_hex(*frames, **options)[-1])


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ("8D4840D6202CC371C32CE0576098", {"hex": "4840d6", "flight": "KLM1023", "category": "A0", "on_ground": False}),
        ("8D406B902015A678D4D220AA4BDA", {"hex": "406b90", "flight": "EZY85MH", "category": "A0"}),
        (
            "8D485020994409940838175B284F",
            {"hex": "485020", "gs": 159.2, "track": 182.88, "geom_rate": -832, "nac_v": 0, "type": "adsb_icao"},
        ),
        (
            "8DA05F219B06B6AF189400CBC33F",
            {"hex": "a05f21", "tas": 375, "mag_heading": 243.98, "baro_rate": -2304},
        ),
        (
            "8C4841753A9A153237AEF0F275BE",
            {"hex": "484175", "gs": 17.0, "track": 92.81, "alt_baro": "ground", "on_ground": True},
        ),
        ("8DA2C1B6E112B600000000760759", {"hex": "a2c1b6", "squawk": "6513", "emergency": "none"}),
        ("8c3d1a68e10a8000000000ad61a4", {"hex": "3d1a68", "squawk": "7000", "emergency": "none", "on_ground": True}),
        (
            "8DA05629EA21485CBF3F8CADAEEB",
            {
                "hex": "a05629", "nav_altitude_mcp": 16992, "nav_qnh": 1012.8, "nav_heading": 66.8, "nac_p": 9,
                "sil": 3, "nic_baro": 1, "nav_modes": ["autopilot", "vnav", "lnav", "tcas"],
            },
        ),
        (
            "8D400159F82300060049B812CDB4",
            {
                "hex": "400159", "version": 2, "nac_p": 9, "sil": 3, "sil_type": "perhour", "gva": 2, "sda": 2,
                "nic_baro": 1,
            },
        ),
    ],
)  # fmt: skip
def test_squitters(frame: str, expected: dict[str, Any]):
    fields = last(frame)
    assert {name: fields.get(name) for name in expected} == expected
    assert fields["df"] == 17


def test_an_airborne_pair():
    fields = last("8D40621D58C386435CC412692AD6", "8D40621D58C382D690C8AC2863A7")
    assert (fields["lat"], fields["lon"]) == (52.257202, 3.919373)
    assert fields["alt_baro"] == 38_000
    assert (fields["nic"], fields["rc"]) == (8, 186)
    assert fields["position_at"] == fields["at"] == 1000.5


def test_a_surface_pair_needs_to_know_roughly_where():
    pair = ("8C4841753AAB238733C8CD4020B1", "8C4841753A8A35323FAEBDAC702D")
    assert "lat" not in last(*pair)
    fields = last(*pair, decoder=Decoder(station=(51.990, 4.375)))
    assert (fields["lat"], fields["lon"]) == (52.320607, 4.734735)


def test_a_surface_frame_relative_to_the_one_before():
    frames = ("8C4841753AAB238733C8CD4020B1", "8C4841753A8A35323FAEBDAC702D", "8C4841753A9A153237AEF0F275BE")
    fields = last(*frames, decoder=Decoder(station=(51.990, 4.375)))
    assert (fields["lat"], fields["lon"]) == (52.320561, 4.735735)


def test_the_height_above_the_ellipsoid_is_the_sum_of_two_squitters():
    decoder = Decoder()
    velocity = "8D485020994409940838175B284F"  # geometric altitude 550 ft above barometric
    assert "alt_geom" not in last(velocity, decoder=decoder)
    position = squitter(0x485020, 0x58C382D690C8AC)  # 38,000 ft
    decoder.decode([(1001.0, position, None)])
    assert last(velocity, decoder=decoder, start=1003.0)["alt_geom"] == 38_550
    assert "alt_geom" not in last(velocity, decoder=decoder, start=1010.0)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ("2000171806A983", {"df": 4, "alt_baro": 36_000}),
        ("2A00516D492B80", {"df": 5, "squawk": "0356"}),
    ],
)
def test_replies_once_their_address_is_proved(frame: str, expected: dict[str, Any]):
    assert decode_hex(frame) == []
    address = _address_in_parity(frame)
    fields = last(all_call(address).hex(), frame)
    assert {name: fields[name] for name in expected} == expected
    assert fields["hex"] == f"{address:06x}"
    assert fields["type"] == "mode_s"


def test_a_callsign_from_a_comm_b_reply_that_is_repeated():
    # "The 1090 Megahertz Riddle", BDS 2,0: KLM1017.
    frame = "A000083E202CC371C31DE0AA1CCF"
    messages = decode_hex(all_call(_address_in_parity(frame)).hex(), frame, frame)
    assert [carried(message).get("flight") for message in messages] == [None, None, "KLM1017"]


def _address_in_parity(frame: str) -> int:
    number = int(frame, 16)
    for place in range(len(frame) * 4 - 1, 23, -1):
        if number >> place & 1:
            number ^= 0x1FFF409 << (place - 24)
    return number
