"""Encodes Mode S frames, for simulated traffic, tests and benchmarks."""

from __future__ import annotations

from skywatch.receivers.framing.frames import LONG_BYTES
from skywatch.receivers.mode_s.frames.parity import with_parity
from skywatch.receivers.mode_s.position.cpr import encode
from skywatch.receivers.mode_s.values import CHARACTERS

_PARITY = bytes(3)
AIRBORNE = 5  # capability: in the air


def squitter(address: int, me: int, df: int = 17, capability: int = AIRBORNE) -> bytes:
    """DF17, or DF18 with a control field as ``capability``, around a 56-bit message."""
    first = df << 3 | capability
    return with_parity(bytes([first]) + address.to_bytes(3, "big") + me.to_bytes(7, "big") + _PARITY)


def all_call(address: int, interrogator: int = 0, capability: int = AIRBORNE) -> bytes:
    """DF11 in answer to an interrogator's code, 0 for none."""
    return with_parity(bytes([11 << 3 | capability]) + address.to_bytes(3, "big") + _PARITY, interrogator)


def reply(df: int, address: int, code: int, status: int = 0, register: int | None = None) -> bytes:
    """DF0, 4, 5, 16, 20 or 21 with a 13-bit altitude or identity code; long ones with a 56-bit ``register``."""
    head = df << 27 | status << 24 | code
    content = b"" if df < 16 else (register or 0).to_bytes(7, "big")
    return with_parity(head.to_bytes(4, "big") + content + _PARITY, address)


def altitude_code(altitude_ft: int) -> int:
    """The 12-bit code of an altitude in 25 ft steps, -1,000 to 50,175 ft (Q bit set)."""
    steps = (altitude_ft + 1000) // 25
    return (steps & 0x7F0) << 1 | 0x10 | steps & 0xF


def reply_altitude_code(altitude_ft: int) -> int:
    """The 13-bit code of an altitude in 25 ft steps: the 12 bits with M = 0 between them."""
    code = altitude_code(altitude_ft)
    return (code & 0xFC0) << 1 | code & 0x3F


def airborne_position(lat: float, lon: float, odd: int, altitude_ft: int = 30_000, type_code: int = 11) -> int:
    """The message of an airborne position."""
    lat_code, lon_code = encode(lat, lon, odd)
    return type_code << 51 | altitude_code(altitude_ft) << 36 | odd << 34 | lat_code << 17 | lon_code


def surface_position(lat: float, lon: float, odd: int, movement: int = 1, track_deg: float | None = None) -> int:
    """The message of a surface position; ``movement`` is the 7-bit code."""
    lat_code, lon_code = encode(lat, lon, odd, 90.0)
    track = 0 if track_deg is None else 1 << 7 | round(track_deg / 360 * 128) % 128
    return 7 << 51 | movement << 44 | track << 36 | odd << 34 | lat_code << 17 | lon_code


def callsign_code(callsign: str) -> int:
    """The 48 bits of up to eight characters."""
    code = 0
    for character in callsign.ljust(8):
        code = code << 6 | CHARACTERS.index(character)
    return code


def identification(callsign: str, category: int = 0xA3) -> int:
    """The message of a callsign and category."""
    return (0x0E - (category >> 4)) << 51 | (category & 7) << 48 | callsign_code(callsign)


def velocity(east_kt: int, north_kt: int, rate_fpm: int = 0, difference_ft: int | None = None) -> int:
    """The message of a ground velocity below 1,022 kt each way, with barometric vertical rate."""
    east = (east_kt < 0) << 10 | abs(east_kt) + 1
    north = (north_kt < 0) << 10 | abs(north_kt) + 1
    rate = 1 << 10 | (rate_fpm < 0) << 9 | abs(rate_fpm) // 64 + 1
    difference = 0 if difference_ft is None else (difference_ft < 0) << 7 | abs(difference_ft) // 25 + 1
    return 19 << 51 | 1 << 48 | east << 32 | north << 21 | rate << 10 | difference


def beast(frame: bytes, ticks: int, signal: int = 128) -> bytes:
    """A frame as Beast sends it."""
    kind = b"3" if len(frame) == LONG_BYTES else b"2"
    content = ticks.to_bytes(6, "big") + bytes([signal]) + frame
    return b"\x1a" + kind + content.replace(b"\x1a", b"\x1a\x1a")
