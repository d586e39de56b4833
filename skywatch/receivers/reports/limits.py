"""The allowed values of a report, common to all kinds of input.

``WIRE_TYPES`` gives each field of ``Report`` the bounds that msgspec checks while it decodes; ``Wire`` is a report
with these bounds. The bounds are those of the messages (what ADS-B and Mode S can encode, with some room), not of
plausibility, which the picture checks because it has the aircraft's history.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from skywatch.receivers.reports.report import EMERGENCIES, NAV_MODES, SIL_TYPES, SOURCES, Report

# Largest integer that JSON readers represent exactly; sums of a few still fit a 64-bit column.
LARGEST_COUNT = 2**53
ALTITUDE_FT = (-2_000, 200_000)
SPEED_KT = (0.0, 5_000.0)
ANGLE_DEG = (0.0, 360.0)
RATE_FPM = (-65_536, 65_536)
SQUAWKS = frozenset("".join(digits) for digits in product("01234567", repeat=4))
CATEGORIES = tuple(letter + digit for letter, digit in product("ABCD", "01234567"))


# The types are built from tables, which a type checker need not follow.
_list: Any = list
_dict: Any = dict
_tuple: Any = tuple
_checked: Any = Annotated


def _real(bounds: tuple[float, float]) -> Any:
    return Annotated[float, Meta(ge=bounds[0], le=bounds[1])]


def _integer(lowest: int, highest: int) -> Any:
    return Annotated[int, Meta(ge=lowest, le=highest)]


def _one_of(words: Any) -> Any:
    return Literal[tuple(words)]


def _text(longest: int) -> Any:
    return Annotated[str, Meta(max_length=longest)]


_ALTITUDE, _SPEED, _ANGLE, _RATE = _integer(*ALTITUDE_FT), _real(SPEED_KT), _real(ANGLE_DEG), _integer(*RATE_FPM)
# Tuples: an empty one costs nothing, where thousands of empty lists a second keep the garbage collector busy.
_NAMES = _checked[_tuple[_text(32), ...], Meta(max_length=64)]
_ADVISORY = _checked[_dict[_text(32), _text(128) | int | float | bool | None], Meta(max_length=32)]

WIRE_TYPES: dict[str, Any] = {
    "hex": _text(7),
    "type": _one_of(SOURCES),
    "flight": _text(8),
    "r": _text(16),
    "t": _text(4),
    "desc": _text(128),
    "ownOp": _text(128),
    "year": _text(4),
    "dbFlags": _integer(0, 2**31),
    "alt_baro": _ALTITUDE | Literal["ground"],
    "alt_geom": _ALTITUDE,
    "gs": _SPEED,
    "ias": _SPEED,
    "tas": _SPEED,
    "mach": _real((0.0, 10.0)),
    "track": _ANGLE,
    "track_rate": _real((-90.0, 90.0)),
    "roll": _real((-180.0, 180.0)),
    "mag_heading": _ANGLE,
    "true_heading": _ANGLE,
    "baro_rate": _RATE,
    "geom_rate": _RATE,
    "squawk": _one_of(sorted(SQUAWKS)),
    "emergency": _one_of(EMERGENCIES),
    "category": _one_of(CATEGORIES),
    "nav_qnh": _real((600.0, 1_300.0)),
    "nav_altitude_mcp": _ALTITUDE,
    "nav_altitude_fms": _ALTITUDE,
    "nav_heading": _ANGLE,
    "nav_modes": _checked[_list[_one_of(NAV_MODES)], Meta(max_length=16)],
    "lat": _real((-90.0, 90.0)),
    "lon": _real((-180.0, 180.0)),
    "nic": _integer(0, 15),
    "rc": _integer(0, 1_000_000),
    "version": _integer(0, 7),
    "nic_baro": _integer(0, 1),
    "nac_p": _integer(0, 15),
    "nac_v": _integer(0, 7),
    "sil": _integer(0, 3),
    "sil_type": _one_of(SIL_TYPES),
    "gva": _integer(0, 3),
    "sda": _integer(0, 3),
    "alert": _integer(0, 1),
    "spi": _integer(0, 1),
    "mlat": _NAMES,
    "tisb": _NAMES,
    "messages": _integer(0, LARGEST_COUNT),
    "rssi": _real((-200.0, 100.0)),
    "wd": _ANGLE,
    "ws": _real((0.0, 1_000.0)),
    "oat": _real((-150.0, 150.0)),
    "tat": _real((-150.0, 300.0)),
    "acas_ra": _ADVISORY,
    "seen": _real((0.0, 1e9)),
    "seen_pos": _real((0.0, 1e9)),
}
# Internal fields; an input with such keys must not set them.
INTERNAL = ("at", "position_at", "snapshot")


def _wire_fields() -> list[Any]:
    fields: list[Any] = [("hex", WIRE_TYPES["hex"])]
    for field in msgspec.structs.fields(Report):
        if field.name in INTERNAL:
            fields.append((field.name, field.type, field.default))
        elif field.name != "hex":
            fields.append((field.name, WIRE_TYPES[field.name] | UnsetType, UNSET))
    return fields


Wire = cast(
    type[Report],
    msgspec.defstruct(
        "Wire", _wire_fields(), bases=(Report,), gc=False, rename={name: f"({name})" for name in INTERNAL}
    ),
)

# A report in a line of its own has the time among its fields.
WireLine = cast(
    type[Report],
    msgspec.defstruct("WireLine", [("now", float | UnsetType, UNSET)], bases=(Wire,), gc=False),
)

# Fields of dump1090-mutability that have other names; the rest of its fields are readsb's.
MUTABILITY_TYPES: dict[str, Any] = {
    "altitude": WIRE_TYPES["alt_baro"],
    "speed": WIRE_TYPES["gs"],
    "vert_rate": WIRE_TYPES["baro_rate"],
    "nucp": _integer(0, 9),
}
WireMutability = cast(
    type[Report],
    msgspec.defstruct(
        "WireMutability",
        [(name, kind | UnsetType, UNSET) for name, kind in MUTABILITY_TYPES.items()],
        bases=(Wire,),
        gc=False,
    ),
)

_ADDRESS = re.compile(r"~?[0-9a-fA-F]{6}", re.ASCII)
# Aircraft transmit only letters and digits; ground stations that relay others write hyphens of registrations.
_CALLSIGN = re.compile(r"[A-Z0-9-]{1,8}", re.ASCII)
# All zeros and all ones are not addresses (ICAO Annex 10, volume III, 9.2).
_NO_ADDRESSES = ("000000", "ffffff")


def clean_address(text: str) -> str:
    """An address in lower case, or an empty text if it is invalid."""
    if not _ADDRESS.fullmatch(text):
        return ""
    address = text.lower()
    return "" if address in _NO_ADDRESSES else address


def clean_callsign(text: str) -> str | None:
    """A callsign without padding (empty if there is only padding), or None if it is invalid."""
    callsign = text.strip(" @_\0").upper()
    return callsign if not callsign or _CALLSIGN.fullmatch(callsign) else None
