"""Decodes the JSON of readsb, dump1090-fa and dump1090-mutability to reports: whole documents and single aircraft.

A document is decoded at once with every value checked by msgspec. Only if it contains an invalid value is it decoded
aircraft by aircraft and then field by field, so that an invalid field drops only itself. Damaged JSON is read as far as
it can be (``core.text.lenient_json``). No input raises anything but DocumentError, for bytes that are not a document.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from skywatch.core.text.lenient_json import read_object, records
from skywatch.core.text.numbers import number_of
from skywatch.receivers.reports.limits import (
    ALL_FIELDS,
    FIELDS,
    Wire,
    WireLine,
    WireMutability,
    parse,
)
from skywatch.receivers.reports.report import Report

# Exceptions of msgspec for unexpected input; RecursionError for very deep nesting.
BAD_JSON = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
# Unix seconds have 10 digits until the year 2286; larger numbers are milliseconds.
MIN_MILLISECONDS = 1e11
MUTABILITY_MARKS = (b'"altitude"', b'"vert_rate"', b'"nucp"')
DIALECT_SAMPLE = 1 << 16
# The objects of so many bytes fit into a processor's second-level cache.
BLOCK_BYTES = 50_000
_OBJECT = b'{"hex":'
# It stands for all aircraft while it is seen whether they are those of the document.
_PLACE = b'{"hex":""}'
# NUCp (DO-260, version 0) -> NIC and radius of containment (m), as dump1090 and readsb take them.
NIC_OF_NUCP = (0, 1, 2, 4, 5, 6, 7, 8, 10, 11)
RC_OF_NUCP = (0, 37_040, 18_520, 3_704, 1_852, 926, 371, 186, 25, 8)

# Fields whose texts may have any characters; addresses and callsigns are cleaned by ``finish``.
TEXTS = ("r", "t", "desc", "ownOp", "year", "mlat", "tisb", "acas_ra")


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
_wires = msgspec.json.Decoder(list[Wire])  # type: ignore[valid-type]
_list = msgspec.json.Decoder(list[msgspec.Raw])
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_aircraft: dict[bool, msgspec.json.Decoder[Any]] = {
    False: msgspec.json.Decoder(Wire),
    True: msgspec.json.Decoder(WireMutability),
}
_value_of = msgspec.json.Decoder()
_whole = json.JSONDecoder(strict=False, parse_constant=str)
_LIST = re.compile(r'"(?:aircraft|ac)"[\s\0]*:')
_TEXT_NOW = re.compile(r'"now"[\s\0]*:[\s\0]*"?([0-9.eE+-]{1,32})')


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
            if not _is_printable(body):
                _clear_texts(aircraft, invalid)
            return Document(_seconds(document.now), document.messages, aircraft)
    except BAD_JSON:
        pass
    return _decode_parts(body, mutability, invalid)


def read_blocks(body: bytes, invalid: Counter[str]) -> tuple[Document, Iterator[list[Report]]] | None:
    """A document without its aircraft, and these in blocks of some ``BLOCK_BYTES``, each decoded when it is asked for.

    None where it is not cut: where objects do not begin with their address, or in the dialect of mutability. Where
    ``BAD_JSON`` is raised, here or between blocks, it is for ``read_document``. Together blocks are all of the list.
    """
    first, end = body.find(_OBJECT), body.rfind(b"]")
    head = body[: max(first, 0)].rstrip()
    if not head.endswith(b"[") or end < first or _is_mutability(body):
        return None
    document: Any = _readsb.decode(head + _PLACE + body[end:])
    listed = document.aircraft if document.ac is None else document.ac if document.aircraft is None else None
    if listed is None or [report.hex for report in listed] != [""]:
        return None
    return Document(_seconds(document.now), document.messages, []), _blocks(body, first, end, invalid)


def _blocks(body: bytes, start: int, end: int, invalid: Counter[str]) -> Iterator[list[Report]]:
    """The objects between two places. What begins one stands in no text, where its quotes would be escaped."""
    is_printable = _is_printable(body)
    # A comma between two blocks ends the one, then it begins the other.
    buffer = bytearray(body)
    view = memoryview(buffer)
    while start < end:
        following = body.find(_OBJECT, start + BLOCK_BYTES, end)
        cut = end if following < 0 else body.rfind(b",", start, following)
        if cut < 0:
            raise msgspec.DecodeError("no comma between objects")
        buffer[start - 1], buffer[cut] = b"[]"
        aircraft = _wires.decode(view[start - 1 : cut + 1])
        if not is_printable:
            _clear_texts(aircraft, invalid)
        yield aircraft
        start = cut + 1


def read_line(body: bytes, invalid: Counter[str]) -> tuple[Report | None, float | None]:
    """Decode a single aircraft, and the ``now`` (unix seconds) among its fields if there is one.

    None if it is not an aircraft (counted as ``line`` or ``hex``).
    """
    try:
        line: Any = _line.decode(body)
        if not _is_printable(body):
            _clear_texts([line], invalid)
        return line, _seconds(None if line.now is UNSET else line.now)
    except BAD_JSON:
        pass
    report, members = _one(body, _is_mutability(body), invalid, "line")
    return report, _seconds(number_of(_decoded(members.get("now"))))


def _is_printable(body: bytes) -> bool:
    """Whether no text of a document can have a character that is not printable: usually none is escaped or not ASCII.

    JSON has control characters as escapes alone. Asking each text would cost a hundredth of a tick.
    """
    return b"\\" not in body and b"\x7f" not in body and body.isascii()


def _clear_texts(aircraft: Sequence[Report], invalid: Counter[str]) -> None:
    """Clear the texts with characters that are not printable, in place; of several texts only those go."""
    for report in aircraft:
        for name in TEXTS:
            value = getattr(report, name)
            if value is not UNSET and (printable := _printable(value)) != value:
                setattr(report, name, printable)
                invalid[name] += 1


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isprintable() else UNSET
    if isinstance(value, tuple):
        return tuple(filter(str.isprintable, value))
    if isinstance(value, dict):
        return {key: one for key, one in value.items() if key.isprintable() and _printable(one) is not UNSET}
    return value


def _is_mutability(body: bytes) -> bool:
    sample = body[:DIALECT_SAMPLE]
    return any(mark in sample for mark in MUTABILITY_MARKS)


def _seconds(now: float | None) -> float | None:
    if now is None or not 0 < now < 1e15:
        return None
    return now / 1000 if now > MIN_MILLISECONDS else now


def _decode_parts(body: bytes, mutability: bool, invalid: Counter[str]) -> Document:
    now, messages, parts = _parts_of(body, invalid)
    seconds = _seconds(number_of(now))
    if seconds is None and now is not None:
        invalid["now"] += 1
    aircraft = [entry for part in parts if (entry := _one(part, mutability, invalid)[0]) is not None]
    count = number_of(messages)
    return Document(seconds, int(count) if count == count else None, aircraft)


def _parts_of(body: bytes, invalid: Counter[str]) -> tuple[Any, Any, Sequence[bytes | msgspec.Raw]]:
    """``now``, ``messages`` and each aircraft; raises DocumentError."""
    try:
        return _parts(body)
    except BAD_JSON:
        pass
    parts: tuple[Any, Any, Sequence[bytes | msgspec.Raw]]
    try:
        whole, rest = repaired(body)
        is_all = not rest
        # A bracket too many ends the document early: its aircraft go on behind it.
        parts = _damaged_parts(body) if '"hex"' in rest else _parts(whole)
    except DocumentError:
        raise
    except (*BAD_JSON, ValueError):
        is_all, parts = False, _damaged_parts(body)
    if not is_all:
        invalid["document"] += 1
    return parts


def _parts(body: bytes) -> tuple[Any, Any, Sequence[msgspec.Raw]]:
    loose = _loose.decode(body)
    listed = loose.aircraft if bytes(loose.aircraft) not in (b"", b"null") or not bytes(loose.ac) else loose.ac
    if not len(memoryview(listed)):
        raise DocumentError("has no list of aircraft")
    try:
        # A service without aircraft writes null.
        aircraft = _list.decode(listed) if bytes(listed) != b"null" else []
    except msgspec.ValidationError:
        raise DocumentError("has no list of aircraft") from None
    return _decoded(loose.now), _decoded(loose.messages), aircraft


def _damaged_parts(body: bytes) -> tuple[Any, Any, Sequence[bytes]]:
    """The aircraft of a document that is not JSON, or not all of it, as far as they can be read."""
    text = body.decode("utf-8-sig", "replace")
    listed = _LIST.search(text)
    start = listed.end() if listed is not None else 0
    aircraft = [one for one in records(text[start:]) if isinstance(one, dict) and "hex" in one]
    # Where the list has lost its name, a single aircraft may be a line of its own.
    if len(aircraft) < (1 if listed is not None else 2):
        raise DocumentError("is not JSON, or not all of it")
    now = _TEXT_NOW.search(text)
    return now[1] if now is not None else None, None, [encoded(one) for one in aircraft]


def repaired(body: bytes) -> tuple[bytes, str]:
    """Valid JSON in place of what some programs write, and what follows the value.

    NaN becomes a text and undecodable bytes question marks, a byte order mark is left out, texts may have control
    characters. Raises ValueError or RecursionError if the result is not JSON either.
    """
    text = body.decode("utf-8-sig", "replace").strip(" \t\r\n\0")
    document, end = _whole.raw_decode(text)
    return encoded(document), text[end:]


def encoded(value: Any) -> bytes:
    """A value as JSON; raises RecursionError."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _decoded(raw: msgspec.Raw | None) -> Any:
    """The value of a member, None where it is missing; invalid ones are texts."""
    if raw is None or not len(memoryview(raw)):
        return None
    try:
        return _value_of.decode(raw)
    except BAD_JSON:
        return bytes(raw).decode("utf-8", "replace")


def _one(
    raw: bytes | msgspec.Raw, mutability: bool, invalid: Counter[str], reason: str = "aircraft"
) -> tuple[Report | None, dict[str, msgspec.Raw]]:
    """A single aircraft and its members; None (and counted) where it is none."""
    try:
        report_whole: Report = _aircraft[mutability].decode(raw)
        if mutability:
            _normalise([report_whole])
        _clear_texts([report_whole], invalid)
        return report_whole, _members.decode(raw) if reason == "line" else {}
    except BAD_JSON:
        pass
    try:
        members = _members_of(raw)
    except (*BAD_JSON, ValueError):
        invalid[reason] += 1
        return None, {}
    values = {}
    for name, member in members.items():
        if name in (ALL_FIELDS if mutability else FIELDS):
            value = _valid(name, member, invalid)
            if value is UNSET:
                invalid[name] += 1
            elif value is not None:
                values[name] = value
    if "hex" not in values:
        # An invalid hex was counted with its field.
        invalid["hex"] += "hex" not in members or _decoded(members["hex"]) in (None, "")
        return None, members
    report = WireMutability(**values) if mutability else Wire(**values)
    if mutability:
        _normalise([report])
    _clear_texts([report], invalid)
    return report, members


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
        pass
    try:
        return _members.decode(repaired(bytes(raw))[0])
    except msgspec.ValidationError:
        raise
    except (*BAD_JSON, ValueError):
        members = read_object(bytes(raw).decode("utf-8-sig", "replace"))
    if "hex" not in members:
        raise ValueError("is no aircraft")
    return {name: msgspec.Raw(encoded(value)) for name, value in members.items()}


def _valid(name: str, member: msgspec.Raw, invalid: Counter[str]) -> Any:
    """The value of one field, None where it says nothing, UNSET if it is invalid; counts entries that are left out."""
    value = _decoded(member)
    valid = parse(name, value)
    if isinstance(value, list | dict) and valid is not UNSET and len(valid) < len(value):
        invalid[name] += 1
    return valid
