"""Aircraft as binCraft, rows of fixed width that tar1090 and other Skywatches read (``receivers.reports.bincraft``).

It is written in the version of readsb 3.14, which every reader knows. A position that was computed from arrival times
makes the whole row one of MLAT, since a row has one source for everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET

from skywatch.core.arrays import Array
from skywatch.picture.state.sky import Sky
from skywatch.readsb.bodies import padded
from skywatch.receivers.reports.bincraft import (
    AGES_OF_32_BITS,
    ALERT,
    ALT_BARO,
    ALTITUDE_STEP_FT,
    CALLSIGN,
    DEGREE_STEPS,
    FAINTEST,
    HEAD,
    NIC_BARO,
    NO_VERSION,
    NON_ICAO,
    ON_GROUND,
    PACKED,
    POSITION,
    ROW,
    SCALED,
    SIL_TYPES,
    SPI,
    TYPES,
    UNKNOWN_TYPE,
    VALID_ALERT,
    VALID_EMERGENCY,
    VALID_NAV_MODES,
    VALID_NIC_BARO,
    VALID_SPI,
    VALID_SQUAWK,
    WHOLE,
    WIDTH,
)
from skywatch.receivers.reports.report import EMERGENCIES, NAV_MODES, Report
from skywatch.receivers.reports.report_columns import GROUND, NAN, fields_of, floats
from skywatch.security.visibility import Visibility

BINARY, PACKED_BINARY = "application/octet-stream", "application/zstd"
IN_THE_AIR = 2
# What readsb writes where there are no parts of the world by number.
WHOLE_WORLD = 314_159
WORLD = (-90, -180, 90, 180)
_BITS = 40
_reports = msgspec.json.Decoder(list[Report])


def encode_rows(sky: Sky, rows: Sequence[int], visibility: Visibility, box: Sequence[float] = WORLD) -> bytes:
    """The head and these aircraft; ``box`` (south, west, north, east) is what was asked for."""
    aircraft = _reports.decode(sky.bodies(rows, visibility.details))
    head = np.zeros(1, HEAD)
    head["now_ms"], head["width"], head["index"], head["version"] = (
        round(sky.now * 1000),
        WIDTH,
        WHOLE_WORLD,
        AGES_OF_32_BITS,
    )
    has_position = ~np.isnan(sky.column("lat"))
    head["with_position"] = np.count_nonzero(
        has_position if visibility.military else has_position & ~sky.column("military")
    )
    head["messages"] = sky.messages & 0xFFFFFFFF
    head["box"] = np.rint(box)
    if sky.station is not None:
        head["lat"], head["lon"] = np.rint(np.array(sky.station) * DEGREE_STEPS)
    return head.tobytes().ljust(WIDTH, b"\0") + _rows_of(aircraft).tobytes()


def packed(body: bytes) -> bytes:
    """A body as zstd."""
    # Imported here: who is asked for JSON alone needs no memory for it.
    import zstandard

    return zstandard.ZstdCompressor(level=1).compress(body)


def _rows_of(aircraft: list[Report]) -> Array:
    values = fields_of(aircraft)
    rows, valid = np.zeros(len(aircraft), ROW), np.ones((_BITS, len(aircraft)), "?")

    def put(name: str, numbers: Array, steps: float, bit: int) -> None:
        known = ~np.isnan(numbers)
        # Of two numbers with one bit both are known, or neither.
        valid[bit] &= known
        limits = np.iinfo(rows[name].dtype)
        rows[name] = np.rint(np.where(known, numbers, 0) * steps).clip(limits.min, limits.max)

    rows["address"] = [int(name.lstrip("~"), 16) | (NON_ICAO if name[0] == "~" else 0) for name in values["hex"]]
    for name, (bit, step) in WHOLE.items():
        put(name, floats(values[name]), 1 / step, bit)
    for name, scaled in SCALED.items():
        numbers = floats(values[name]) if name != "seen_pos" else _filled(values[name], 0.0)
        put(name, numbers, scaled.steps, scaled.bit)
    altitudes = floats(values["alt_baro"])
    is_ground = altitudes == GROUND
    put("alt_baro", np.where(is_ground, NAN, altitudes), 1 / ALTITUDE_STEP_FT, ALT_BARO)
    rows["altitude_source_ground"] = np.where(is_ground, ON_GROUND, np.where(valid[ALT_BARO], IN_THE_AIR, 0))
    for name, packed_number in PACKED.items():
        numbers = floats(values[name])
        if packed_number.bit != POSITION:
            valid[packed_number.bit] &= ~np.isnan(numbers)
        known = np.where(np.isnan(numbers), 0, numbers).astype("u1") & packed_number.mask
        rows[packed_number.byte] |= (known << packed_number.shift).astype("u1")
    rows["rc"] = _filled(values["rc"], 0).clip(max=0xFFFF)
    rows["seen"] = np.rint(_filled(values["seen"], 0.0) * 10)
    rows["messages"] = _filled(values["messages"], 0).astype("i8") & 0xFFFF
    rows["dbFlags"] = _filled(values["dbFlags"], 0).astype("i8") & 0xFFFF
    for number, (value, valid_bit) in enumerate(((NIC_BARO, VALID_NIC_BARO), (ALERT, VALID_ALERT), (SPI, VALID_SPI))):
        flags = floats(values[("nic_baro", "alert", "spi")[number]])
        valid[value], valid[valid_bit] = flags == 1, ~np.isnan(flags)
    _put_words(rows, valid, values)
    rows["valid"] = np.packbits(valid.T, axis=1, bitorder="little")
    return rows


def _put_words(rows: Array, valid: Array, values: dict[str, list[Any]]) -> None:
    """Set what is no number: names, codes and the signal."""
    for name in ("t", "r"):
        rows[name] = [(value or "").encode() for value in values[name]]
    rows["flight"] = [padded(value).encode() if value else b"" for value in values["flight"]]
    valid[CALLSIGN] = rows["flight"] != b""
    rows["squawk"] = [int(value or "0", 16) for value in values["squawk"]]
    valid[VALID_SQUAWK] = _has(values["squawk"])
    emergencies = [EMERGENCIES.index(value) & 7 if value else 0 for value in values["emergency"]]
    valid[VALID_EMERGENCY] = [bool(value) and value != EMERGENCIES[-1] for value in values["emergency"]]
    types = [
        "mlat" if mlat and "lat" in mlat else name for name, mlat in zip(values["type"], values["mlat"], strict=True)
    ]
    codes = [TYPES.index(name) if name in TYPES else UNKNOWN_TYPE for name in types]
    rows["type_emergency"] = np.array(codes, "u1") << 4 | np.array(emergencies, "u1")
    rows["category"] = [int(value or "0", 16) for value in values["category"]]
    rows["nav_modes"] = [
        sum(1 << NAV_MODES.index(mode) for mode in modes) if modes else 0 for modes in values["nav_modes"]
    ]
    valid[VALID_NAV_MODES] = _has(values["nav_modes"])
    versions = _filled(values["version"], NO_VERSION).astype("u1")
    sil_types = [SIL_TYPES.index(name) for name in values["sil_type"]]
    rows["version_sil_type"] = versions << 4 | np.array(sil_types, "u1")
    rows["other_versions"] = NO_VERSION << 4 | NO_VERSION
    signal = floats(values["rssi"])
    strength = np.sqrt(np.maximum(10 ** (signal / 10) - FAINTEST, 0)) * 255
    rows["signal"] = np.rint(np.where(np.isnan(signal), 0, strength)).clip(0, 255)


def _filled(values: list[Any], missing: float) -> Array:
    numbers = floats(values)
    return np.where(np.isnan(numbers), missing, numbers)


def _has(values: list[Any]) -> list[bool]:
    return [value is not UNSET for value in values]
