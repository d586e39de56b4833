"""Frames as Beast and raw (AVR) bytes, aircraft as SBS (BaseStation) and JSON lines: the forms of readsb's ports."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from skywatch.picture.state.doubt import sure_emergencies
from skywatch.picture.state.sky import Sky
from skywatch.readsb.bodies import bodies
from skywatch.receivers.framing.beast import ESCAPE
from skywatch.receivers.framing.clock import TICKS_PER_S
from skywatch.receivers.framing.frames import SHORT_BYTES, FrameBatch
from skywatch.security.visibility import EVERYTHING

Rows = npt.NDArray[np.intp]

_ESCAPE = bytes([ESCAPE])
_SHORT, _LONG = b"2", b"3"
_TICKS = (1 << 48) - 1
# Sent while there is nothing else, so that both ends see that the connection is alive.
HEARTBEATS = {
    "beast": _ESCAPE + b"1" + bytes(9),
    "raw": b"*0000;\n",
    "sbs": b"\r\n",
    "json-lines": b"\n",
}
# Session, aircraft and flight numbers of BaseStation, which programs ignore.
_SBS_HEAD = "MSG,{kind},1,1,{hex},1,{at},{at},"
# The group of fields that a kind of message carries -> when it was last heard.
_HEARD_AT = {1: "callsign_at", 3: "position_at", 4: "velocity_at", 5: "altitude_at", 6: "squawk_at"}


def beast(frames: FrameBatch) -> bytes:
    """Frames as Beast messages; a frame whose receiver counts no 12 MHz ticks has those of its time."""
    pieces = []
    columns = (frames.time.tolist(), frames.ticks.tolist(), frames.rssi.tolist())
    for row, (at, ticks, rssi) in enumerate(zip(*columns, strict=True)):
        frame = frames.frame(row)
        if ticks < 0:
            ticks = int(at * TICKS_PER_S) if math.isfinite(at) else 0
        head = (ticks & _TICKS).to_bytes(6, "big") + bytes([_signal(rssi)])
        kind = _SHORT if len(frame) == SHORT_BYTES else _LONG
        pieces.append(_ESCAPE + kind + (head + frame).replace(_ESCAPE, _ESCAPE * 2))
    return b"".join(pieces)


def raw(frames: FrameBatch) -> bytes:
    """Frames as lines of hexadecimal."""
    return b"".join([b"*%b;\n" % frames.frame(row).hex().upper().encode() for row in range(len(frames))])


def json_lines(sky: Sky, rows: Rows) -> bytes:
    """Aircraft as readsb's JSON port writes them: one object a line, each with its own ``now``."""
    head = b'{"now":%.3f,' % sky.now
    return b"".join([head + body[1:] + b"\n" for body in bodies(sky, rows.tolist(), EVERYTHING)])


def sbs(sky: Sky, rows: Rows, since: float) -> bytes:
    """Aircraft as BaseStation lines: what was heard of each since a time (unix seconds), times in UTC.

    A group of fields is a message of its own, as BaseStation has them: callsign (1), position on the ground (2) or in
    the air (3), velocity (4), altitude (5), squawk (6); an aircraft of which nothing but the address is new (8). An
    emergency in doubt has its squawk and no flag.
    """
    lines: list[str] = []
    emergencies = sure_emergencies(sky)
    for row in rows.tolist():
        lines += _sbs_of(sky, row, since, is_emergency=bool(emergencies[row]))
    return "".join([line + "\r\n" for line in lines]).encode("ascii", "replace")


def _sbs_of(sky: Sky, row: int, since: float, *, is_emergency: bool) -> Iterator[str]:
    columns = sky.columns
    heard = {kind: float(columns[name][row]) for kind, name in _HEARD_AT.items()}
    fresh = {kind for kind, at in heard.items() if at > since}
    on_ground = bool(columns["on_ground"][row])
    altitude = "" if on_ground else _whole(columns["alt_baro_ft"][row])
    speed, track = _tenths(columns["gs_kt"][row]), _tenths(columns["track_deg"][row])
    position = f"{columns['lat'][row]:.6f},{columns['lon'][row]:.6f}" if 3 in fresh else ","
    emergency = "-1" if is_emergency else "0"
    flags = f"0,{emergency},0,{'-1' if on_ground else '0'}"

    def line(kind: int, at: float, middle: str) -> str:
        return _SBS_HEAD.format(kind=kind, hex=sky.hexes[row].upper(), at=_stamp(at)) + middle

    if 1 in fresh:
        yield line(1, heard[1], f"{columns['flight'][row].decode().ljust(8)},,,,,,,,,,,{'-1' if on_ground else '0'}")
    if on_ground and fresh & {3, 4}:
        yield line(2, max(heard[kind] for kind in fresh & {3, 4}), f",,{speed},{track},{position},,,{flags}")
    elif 3 in fresh:
        yield line(3, heard[3], f",{altitude},,,{position},,,{flags}")
    if 4 in fresh and not on_ground:
        rate = _whole(columns["baro_rate_fpm"][row]) or _whole(columns["geom_rate_fpm"][row])
        yield line(4, heard[4], f",,{speed},{track},,,{rate},,,,,0")
    if 5 in fresh and 3 not in fresh:
        yield line(5, heard[5], f",{altitude},,,,,,,{flags}")
    if 6 in fresh:
        yield line(6, heard[6], f",{altitude},,,,,,{columns['squawk'][row].decode()},{flags}")
    if not fresh:
        yield line(8, float(columns["seen_at"][row]), f",,,,,,,,,,,{'-1' if on_ground else '0'}")


def _signal(rssi_db: float) -> int:
    """dBFS as Beast's signal byte; 0 where it was not measured."""
    if math.isnan(rssi_db):
        return 0
    return max(1, min(255, round(255 * 10 ** (min(rssi_db, 0.0) / 20))))


def _whole(value: float) -> str:
    return "" if math.isnan(value) else str(round(float(value)))


def _tenths(value: float) -> str:
    return "" if math.isnan(value) else f"{float(value):.1f}"


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y/%m/%d,%H:%M:%S.%f")[:-3]
