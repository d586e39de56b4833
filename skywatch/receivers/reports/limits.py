"""The allowed values of a report, common to all kinds of input.

``FIELDS`` gives each field of ``Report`` the type that msgspec checks while it decodes and the parser of what other
programs write for the same value: numbers as text, codes as numbers, fractions, padding. Every input takes its values
through one of the two (``parse``); ``Wire`` is a report with these types. The bounds are those of the messages (what
ADS-B and Mode S can encode, with some room), not of plausibility, which the picture checks because it has the
aircraft's history.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import product
from typing import Annotated, Any, Literal, NamedTuple, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from skywatch.core.text.numbers import PADDING, number_of
from skywatch.receivers.reports.report import EMERGENCIES, NAV_MODES, SIL_TYPES, SOURCES, Report

# Largest integer that JSON readers represent exactly; sums of a few still fit a 64-bit column.
MAX_COUNT = 2**53
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


class Field(NamedTuple):
    """The type of a field as msgspec checks it, and its parser: the valid value, None for what says nothing (padding),
    UNSET for what is invalid."""

    wire: Any
    parse: Callable[[Any], Any]


def parse(name: str, value: Any) -> Any:
    """The valid value of a field of ``FIELDS``; None where ``value`` says nothing, UNSET where it is invalid.

    ``value`` is of any type: JSON's, or the text between two commas.
    """
    if value is None or (isinstance(value, str) and not value.strip(PADDING)):
        return None
    return ALL_FIELDS[name].parse(value)


def bounded(value: Any, bounds: tuple[float, float]) -> float | UnsetType:
    """A number within bounds, else UNSET."""
    number = number_of(value)
    return number if bounds[0] <= number <= bounds[1] else UNSET


def rounded(value: Any, bounds: tuple[float, float]) -> int | UnsetType:
    """A number within bounds as a whole one, else UNSET."""
    number = bounded(value, bounds)
    return number if isinstance(number, UnsetType) else round(number)


def _real(bounds: tuple[float, float]) -> Field:
    return Field(Annotated[float, Meta(ge=bounds[0], le=bounds[1])], lambda value: bounded(value, bounds))


def _integer(lowest: int, highest: int) -> Field:
    return Field(Annotated[int, Meta(ge=lowest, le=highest)], lambda value: rounded(value, (lowest, highest)))


def _one_of(words: Collection[str]) -> Field:
    by_word = {word.lower(): word for word in words}
    return Field(
        Literal[tuple(words)],
        lambda value: by_word.get(value.strip(PADDING).lower(), UNSET) if isinstance(value, str) else UNSET,
    )


def _text(longest: int) -> Field:
    def parse_text(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return UNSET
        text = str(value).strip(PADDING)
        return text if len(text) <= longest and text.isprintable() else UNSET

    return Field(Annotated[str, Meta(max_length=longest)], parse_text)


def _flag(value: Any) -> Any:
    """0 or 1, from a number, a word, or -1 as BaseStation writes what is set."""
    if isinstance(value, str):
        value = {"true": 1, "false": 0}.get(value.strip(PADDING).lower(), value)
    number = number_of(int(value) if isinstance(value, bool) else value)
    return int(abs(number)) if number in (-1.0, 0.0, 1.0) else UNSET


def _altitude(value: Any) -> Any:
    if isinstance(value, str) and value.strip(PADDING).lower() in ("ground", "grnd"):
        return "ground"
    return rounded(value, ALTITUDE_FT)


def _squawk(value: Any) -> Any:
    """The four digits; a number has lost its leading zeros."""
    number = number_of(value)
    code = f"{int(number):04d}" if number == number and number >= 0 and number == int(number) else ""
    return code if code in SQUAWKS else UNSET


def _year(value: Any) -> Any:
    number = number_of(value)
    if number == 0:
        return None
    return str(int(number)) if number in _YEARS else UNSET


def _callsign(value: Any) -> Any:
    cleaned = clean_callsign(value) if isinstance(value, str) else None
    return UNSET if cleaned is None else cleaned or None


def _valid_entries(
    wire: Any, kind: type[list[Any] | dict[str, Any]], make: Callable[[Any], Any] = lambda entries: entries
) -> Field:
    """A list or object whose invalid entries are left out; invalid where none is valid."""

    def parse_entries(value: Any) -> Any:
        if not isinstance(value, kind):
            return UNSET
        entries = [{key: entry} for key, entry in value.items()] if isinstance(value, dict) else [[e] for e in value]
        valid: list[Any] = []
        for entry in entries[:MAX_ENTRIES]:
            try:
                valid.append(msgspec.convert(entry, wire))
            except msgspec.ValidationError:
                continue
        if entries and not valid:
            return UNSET
        if kind is dict:
            return {key: entry for one in valid for key, entry in one.items()}
        return make(list(dict.fromkeys(entry for one in valid for entry in one)))

    return Field(wire, parse_entries)


MAX_ENTRIES = 64
_YEARS = range(1900, 2100)
_ALTITUDE = _integer(*ALTITUDE_FT)
_SPEED, _ANGLE, _RATE = _real(SPEED_KT), _real(ANGLE_DEG), _integer(*RATE_FPM)
_FLAG = Field(_integer(0, 1).wire, _flag)
# Tuples: an empty one costs nothing, where thousands of empty lists a second keep the garbage collector busy.
_NAMES = _valid_entries(_checked[_tuple[_text(32).wire, ...], Meta(max_length=64)], list, tuple)
_ADVISORY = _valid_entries(
    _checked[_dict[_text(32).wire, _text(128).wire | int | float | bool | None], Meta(max_length=32)], dict
)

FIELDS: dict[str, Field] = {
    "hex": _text(7),
    "type": _one_of(SOURCES),
    "flight": Field(_text(8).wire, _callsign),
    "r": _text(16),
    "t": _text(4),
    "desc": _text(128),
    "ownOp": _text(128),
    "year": Field(_text(4).wire, _year),
    "dbFlags": _integer(0, 2**31),
    "alt_baro": Field(_ALTITUDE.wire | Literal["ground"], _altitude),
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
    "squawk": Field(Literal[tuple(sorted(SQUAWKS))], _squawk),
    "emergency": _one_of(EMERGENCIES),
    "category": _one_of(CATEGORIES),
    "nav_qnh": _real((600.0, 1_300.0)),
    "nav_altitude_mcp": _ALTITUDE,
    "nav_altitude_fms": _ALTITUDE,
    "nav_heading": _ANGLE,
    "nav_modes": _valid_entries(_checked[_list[_one_of(NAV_MODES).wire], Meta(max_length=16)], list),
    "lat": _real((-90.0, 90.0)),
    "lon": _real((-180.0, 180.0)),
    "nic": _integer(0, 15),
    "rc": _integer(0, 1_000_000),
    "version": _integer(0, 7),
    "nic_baro": _FLAG,
    "nac_p": _integer(0, 15),
    "nac_v": _integer(0, 7),
    "sil": _integer(0, 3),
    "sil_type": _one_of(SIL_TYPES),
    "gva": _integer(0, 3),
    "sda": _integer(0, 3),
    "alert": _FLAG,
    "spi": _FLAG,
    "mlat": _NAMES,
    "tisb": _NAMES,
    "messages": _integer(0, MAX_COUNT),
    "rssi": _real((-200.0, 100.0)),
    "wd": _ANGLE,
    "ws": _real((0.0, 1_000.0)),
    "oat": _real((-150.0, 150.0)),
    "tat": _real((-150.0, 300.0)),
    "acas_ra": _ADVISORY,
    "seen": _real((0.0, 1e9)),
    "seen_pos": _real((0.0, 1e9)),
}


def bounds_of(name: str) -> tuple[float, float]:
    """The least and the greatest value of a number."""
    meta: Meta = (_ALTITUDE if name == "alt_baro" else FIELDS[name]).wire.__metadata__[0]
    assert meta.ge is not None, f"{name} has no least value"
    assert meta.le is not None, f"{name} has no greatest value"
    return meta.ge, meta.le


WIRE_TYPES: dict[str, Any] = {name: field.wire for name, field in FIELDS.items()}
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
MUTABILITY_FIELDS: dict[str, Field] = {
    "altitude": FIELDS["alt_baro"],
    "speed": FIELDS["gs"],
    "vert_rate": FIELDS["baro_rate"],
    "nucp": _integer(0, 9),
}
WireMutability = cast(
    type[Report],
    msgspec.defstruct(
        "WireMutability",
        [(name, field.wire | UnsetType, UNSET) for name, field in MUTABILITY_FIELDS.items()],
        bases=(Wire,),
        gc=False,
    ),
)

ALL_FIELDS = FIELDS | MUTABILITY_FIELDS

_ADDRESS = re.compile(r"~?[0-9a-fA-F]{6}", re.ASCII)
# Aircraft transmit letters, digits and spaces, also between them; ground stations that relay others write hyphens of
# registrations.
_CALLSIGN = re.compile(r"[A-Z0-9-](?:[A-Z0-9 -]{0,6}[A-Z0-9-])?", re.ASCII)
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
    callsign = text.strip(PADDING).upper()
    return callsign if not callsign or _CALLSIGN.fullmatch(callsign) else None
