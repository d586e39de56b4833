"""Noise whose parity gives a known address says nothing; true changes are believed when they are repeated."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.encoder import (
    airborne_position,
    all_call,
    callsign_code,
    identification,
    reply,
    reply_altitude_code,
    squitter,
)
from tests.unit.receivers.mode_s.helpers import ADDRESS, decode_frames
from tests.unit.receivers.mode_s.test_codes import mode_c

SIZES = (1, 3, None)


def altitudes(*replies: tuple[float, int], size: int | None, squitted_ft: int | None = None) -> list[int]:
    frames = [(0.0, all_call(ADDRESS))]
    if squitted_ft is not None:
        frames.append((0.0, squitter(ADDRESS, airborne_position(50.0, 8.0, 0, squitted_ft))))
    frames += [(t, reply(4, ADDRESS, reply_altitude_code(altitude_ft))) for t, altitude_ft in replies]
    return [m.alt_baro for m in decode_frames(frames, batch_size=size) if m.df == 4]


@pytest.mark.parametrize("size", SIZES)
def test_an_altitude_out_of_reach_is_not_believed(size):
    assert altitudes((1, 35_000), (2, 12_000), (3, 12_000), size=size) == [35_000, 12_000]
    assert altitudes((1, 12_000), (2, 12_000), squitted_ft=35_000, size=size) == [12_000]
    assert altitudes((1, 35_000), (2, 200), (3, 35_000), squitted_ft=35_000, size=size) == [35_000, 35_000]


@pytest.mark.parametrize("size", SIZES)
def test_climbing_and_a_long_silence_are_believed(size):
    assert altitudes((1, 10_000), (5, 11_000), (30, 16_000), size=size) == [10_000, 11_000, 16_000]
    assert altitudes((1, 10_000), (40, 10_000), (59, 35_000), size=size) == [10_000, 10_000]
    assert len(altitudes((1, 10_000), (50, 10_000), size=size)) == 2


def squawks(*codes: str, size: int | None) -> list[str]:
    frames = [(0.0, all_call(ADDRESS))]
    frames += [(1.0 + place, reply(5, ADDRESS, mode_c(code))) for place, code in enumerate(codes)]
    return [m.squawk for m in decode_frames(frames, batch_size=size) if m.squawk is not UNSET]


@pytest.mark.parametrize("size", SIZES)
def test_a_changed_squawk_is_believed_when_it_is_repeated(size):
    assert squawks("1000", "1000", "7700", "7700", size=size) == ["1000", "1000", "7700"]
    assert squawks("1000", "1000", "7511", "1000", "1000", size=size) == ["1000", "1000", "1000"]
    assert squawks("0000", "1000", size=size) == ["1000"]


@pytest.mark.parametrize("status", [6, 7])
def test_codes_that_are_not_assigned_are_noise(status):
    frames = [(0.0, all_call(ADDRESS)), (1.0, reply(5, ADDRESS, mode_c("1000"), status))]
    decoder = Decoder()
    assert len(decode_frames(frames, decoder)) == 1
    assert decoder.statistics.doubtful == 1
    downlink_request_12 = reply(5, ADDRESS, 12 << 19 | mode_c("1000"))
    assert len(decode_frames([(0.0, all_call(ADDRESS)), (1.0, downlink_request_12)])) == 1


def register_2_0(callsign: str) -> int:
    return 0x20 << 48 | callsign_code(callsign)


def flights(*frames: bytes, size: int | None) -> list[str]:
    timed = [(0.0, all_call(ADDRESS)), *((1.0 + place, frame) for place, frame in enumerate(frames))]
    return [m.flight for m in decode_frames(timed, batch_size=size) if m.df == 20 and m.flight is not UNSET]


def comm_b(content: int) -> bytes:
    return reply(20, ADDRESS, reply_altitude_code(30_000), register=content)


@pytest.mark.parametrize("size", SIZES)
def test_a_callsign_in_a_reply_needs_a_second_witness(size):
    named = comm_b(register_2_0("DLH123"))
    said = squitter(ADDRESS, identification("DLH123"))
    other = squitter(ADDRESS, identification("DLH456"))
    assert flights(named, size=size) == []
    assert flights(named, named, size=size) == ["DLH123"]
    assert flights(said, named, size=size) == ["DLH123"]
    assert flights(named, said, size=size) == []
    assert flights(other, named, size=size) == []


@pytest.mark.parametrize(
    "content",
    [
        register_2_0("DLH 123"),
        register_2_0("AB"),
        register_2_0(""),
        register_2_0(" DLH123"),
        0x20 << 48 | 0x1234_5678_9ABC,
        0x10 << 48 | callsign_code("DLH123"),
        0,
    ],
)
def test_registers_that_hold_no_callsign(content):
    assert flights(comm_b(content), comm_b(content), size=None) == []


def on_ground(*statuses: int, df: int = 4, size: int | None) -> list[bool]:
    """Whether replies with these flight statuses (of DF0: vertical statuses) put an aircraft at FL300 on the ground."""
    frames = [(0.0, all_call(ADDRESS))]
    for place, status in enumerate(statuses):
        head = status << 2 if df == 0 else status
        frames.append((1.0 + place, reply(df, ADDRESS, reply_altitude_code(30_000), head)))
    return [m.on_ground is True for m in decode_frames(frames, batch_size=size) if m.df == df]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("df", [0, 4])
def test_one_reply_on_the_ground_is_not_believed(size, df):
    assert on_ground(0, 1, 0, 1, 0, df=df, size=size) == [False] * 5
    assert on_ground(1, 0, 0, df=df, size=size) == [False] * 3
    assert on_ground(0, 1, 1, 1, 0, df=df, size=size) == [False, False, True, True, False]


@pytest.mark.parametrize("size", SIZES)
def test_one_reply_with_an_alert_or_identification_is_not_believed(size):
    frames = [(0.0, all_call(ADDRESS))]
    code = reply_altitude_code(30_000)
    frames += [(1.0 + place, reply(4, ADDRESS, code, status)) for place, status in enumerate((0, 4, 0, 5, 5, 2, 2, 0))]
    replies = [m for m in decode_frames(frames, batch_size=size) if m.df == 4]
    assert [m.spi for m in replies] == [0, UNSET, 0, UNSET, 1, 0, 0, 0]
    assert [m.alert for m in replies] == [0, UNSET, 0, 0, 0, UNSET, 1, 0]


def test_a_recording_with_one_reply_on_the_ground_stays_in_the_air(shared_data):
    frames = [
        bytes.fromhex(line[1:-1])
        for line in (shared_data / "reports/17-one-reply-on-the-ground.avr").read_text().split()
    ]
    replies = [m for m in decode_frames([(n * 1.0, frame) for n, frame in enumerate(frames)]) if m.df == 4]
    assert {m.alt_baro for m in replies} == {30_000}
    assert not any(m.on_ground is True for m in replies)
