"""Decodes the JSON of readsb, dump1090-fa and dump1090-mutability to reports: whole documents and single aircraft.

A document is decoded at once with every value checked by msgspec. Only if it contains an invalid value is it decoded
aircraft by aircraft and then field by field, so that an invalid field drops only itself. No input raises anything but
DocumentError, for bytes that are not a document.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from skywatch.receivers.reports.limits import (
    MUTABILITY_TYPES,
    WIRE_TYPES,
    Wire,
    WireLine,
    WireMutability,
)
from skywatch.receivers.reports.report import Report

# Exceptions of msgspec for unexpected input; RecursionError for very deep nesting.
BAD_JSON = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
# Unix seconds have 10 digits until the year 2286; larger numbers are milliseconds.
SMALLEST_MILLISECONDS = 1e11
MUTABILITY_MARKS = (b'"altitude"', b'"vert_rate"', b'"nucp"')
DIALECT_SAMPLE = 1 << 16
# NUCp (DO-260, version 0) -> NIC and radius of containment (m), as dump1090 and readsb take them.
NIC_OF_NUCP = (0, 1, 2, 4, 5, 6, 7, 8, 10, 11)
RC_OF_NUCP = (0, 37_040, 18_520, 3_704, 1_852, 926, 371, 186, 25, 8)


class DocumentError(ValueError):
    """The bytes are not a document of aircraft; the text is the reason in one line."""


class Document(msgspec.Struct):
    """A whole document: ``now`` in unix seconds or None, aircraft with their values checked but not yet finished."""

    now: float | None
    messages: int | None
    aircraft: list[Report]


class _Readsb(msgspec.Struct):
    now: float | None = None
    messages: int | None = None
    aircraft: list[Wire] | None = None  # type: ignore[valid-type]
    ac: list[Wire] | None = None  # type: ignore[valid-type]


class _Mutability(msgspec.Struct):
    now: float | None = None
    messages: int | None = None
    aircraft: list[WireMutability] | None = None  # type: ignore[valid-type]


class _Loose(msgspec.Struct):
    now: msgspec.Raw = msgspec.Raw()
    messages: msgspec.Raw = msgspec.Raw()
    aircraft: msgspec.Raw = msgspec.Raw()
    ac: msgspec.Raw = msgspec.Raw()


_readsb = msgspec.json.Decoder(_Readsb)
_mutability = msgspec.json.Decoder(_Mutability)
_loose = msgspec.json.Decoder(_Loose)
_line = msgspec.json.Decoder(WireLine)
_list = msgspec.json.Decoder(list[msgspec.Raw])
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_aircraft: dict[bool, msgspec.json.Decoder[Any]] = {
    False: msgspec.json.Decoder(Wire),
    True: msgspec.json.Decoder(WireMutability),
}
_fields: dict[str, msgspec.json.Decoder[Any]] = {
    name: msgspec.json.Decoder(kind) for name, kind in (WIRE_TYPES | MUTABILITY_TYPES).items()
}
_number = msgspec.json.Decoder(float)


def read_document(body: bytes, invalid: Counter[str]) -> Document:
    """Decode a document (``aircraft`` or, as v2 interfaces name it, ``ac``).

    Invalid values are dropped and counted by field name in ``invalid``. Raises DocumentError if the bytes are not
    JSON, not complete, or have no list of aircraft.
    """
    mutability = _is_mutability(body)
    try:
        document: Any = (_mutability if mutability else _readsb).decode(body)
        aircraft = document.aircraft if document.aircraft is not None or mutability else document.ac
        if aircraft is not None:
            if mutability:
                _normalise(aircraft)
            return Document(_seconds(document.now), document.messages, aircraft)
    except BAD_JSON:
        pass
    return _decode_parts(body, mutability, invalid)


def read_line(body: bytes, invalid: Counter[str]) -> tuple[Report | None, float | None]:
    """Decode a single aircraft, and the ``now`` (unix seconds) among its fields if there is one.

    None if it is not an aircraft (counted as ``line`` or ``hex``).
    """
    try:
        line: Any = _line.decode(body)
        return line, _seconds(None if line.now is UNSET else line.now)
    except BAD_JSON:
        pass
    report = _one(body, _is_mutability(body), invalid, "line")
    return report, _stamp_of(body)


def _is_mutability(body: bytes) -> bool:
    sample = body[:DIALECT_SAMPLE]
    return any(mark in sample for mark in MUTABILITY_MARKS)


def _real(raw: msgspec.Raw) -> float | None:
    try:
        return _number.decode(raw) if len(memoryview(raw)) else None
    except BAD_JSON:
        return None


def _stamp_of(body: bytes) -> float | None:
    try:
        return _seconds(_real(_loose.decode(body).now))
    except BAD_JSON:
        return None


def _seconds(now: float | None) -> float | None:
    if now is None or not 0 < now < 1e15:
        return None
    return now / 1000 if now > SMALLEST_MILLISECONDS else now


def _decode_parts(body: bytes, mutability: bool, invalid: Counter[str]) -> Document:
    try:
        loose, parts = _parts(body)
    except msgspec.ValidationError:
        raise DocumentError("has no list of aircraft") from None
    except BAD_JSON:
        loose, parts = _repaired_parts(body)
    now = _seconds(_real(loose.now))
    if now is None and len(memoryview(loose.now)):
        invalid["now"] += 1
    aircraft = [entry for part in parts if (entry := _one(part, mutability, invalid)) is not None]
    messages = _real(loose.messages)
    return Document(now, None if messages is None else int(messages), aircraft)


def _parts(body: bytes) -> tuple[_Loose, list[msgspec.Raw]]:
    loose = _loose.decode(body)
    return loose, _list.decode(loose.aircraft if len(memoryview(loose.aircraft)) else loose.ac)


def _repaired_parts(body: bytes) -> tuple[_Loose, list[msgspec.Raw]]:
    try:
        return _parts(repaired(body))
    except msgspec.ValidationError:
        raise DocumentError("has no list of aircraft") from None
    except (*BAD_JSON, ValueError):
        raise DocumentError("is not JSON, or not all of it") from None


def repaired(body: bytes) -> bytes:
    """Repair the invalid JSON of some programs: NaN becomes a text, undecodable bytes become question marks.

    A byte order mark is removed. Raises ValueError or RecursionError if the result is not JSON either.
    """
    document = json.loads(body.decode("utf-8-sig", "replace"), parse_constant=str)
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")


def _one(raw: bytes | msgspec.Raw, mutability: bool, invalid: Counter[str], reason: str = "aircraft") -> Report | None:
    try:
        report_whole: Report = _aircraft[mutability].decode(raw)
        if mutability:
            _normalise([report_whole])
        return report_whole
    except BAD_JSON:
        pass
    try:
        members = _members_of(raw)
    except (*BAD_JSON, ValueError):
        invalid[reason] += 1
        return None
    values = {}
    for name, member in members.items():
        if name in _fields and (mutability or name in WIRE_TYPES):
            value = _value(name, member)
            if value is UNSET:
                invalid[name] += 1
            elif value is not None:
                values[name] = value
    if "hex" not in values:
        # An invalid hex was counted with its field.
        invalid["hex"] += "hex" not in members or bytes(members["hex"]) == b"null"
        return None
    if not mutability:
        return Wire(**values)
    report = WireMutability(**values)
    _normalise([report])
    return report


def _normalise(aircraft: Sequence[Any]) -> None:
    """Rename dump1090-mutability's fields to those of readsb, in place."""
    for report in aircraft:
        if report.altitude is not UNSET:
            report.alt_baro = report.altitude
        if report.speed is not UNSET:
            report.gs = report.speed
        if report.vert_rate is not UNSET:
            report.baro_rate = report.vert_rate
        if report.nucp is not UNSET and report.nic is UNSET:
            report.nic = NIC_OF_NUCP[report.nucp]
            report.rc = RC_OF_NUCP[report.nucp]


def _members_of(raw: bytes | msgspec.Raw) -> dict[str, msgspec.Raw]:
    try:
        return _members.decode(raw)
    except msgspec.ValidationError:
        raise
    except BAD_JSON:
        return _members.decode(repaired(bytes(raw)))


def _value(name: str, member: msgspec.Raw) -> Any:
    """The value of one field, None for null, UNSET if it is invalid."""
    try:
        return _fields[name].decode(member)
    except BAD_JSON:
        pass
    if bytes(member) == b"null":
        return None
    # Accepts whole numbers written as 35000.0.
    try:
        number = _number.decode(member)
        if number == int(number):
            return _fields[name].decode(str(int(number)))
    except (*BAD_JSON, ValueError, OverflowError):
        pass
    return UNSET
