"""Packets and lines as JSON objects: several in one packet or on one line, with commas and white space between."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from skywatch.acars.envelopes.burst import Burst, FramePosition
from skywatch.acars.envelopes.forms import Unrecognised, recognise

MAX_PACKET = 65_536
MAX_OBJECTS = 4_096
# No envelope is deeper; what lies below is left out.
MAXIMUM_DEPTH = 100
_json = msgspec.json.Decoder(dict[str, Any] | list[Any])
_scanner = json.JSONDecoder()
# What stands between objects.
SEPARATORS = " \t\r\n,\0"
# Valid JSON that no database stores as such: NUL, and numbers of more than 64 bits.
_SUSPICIOUS = re.compile(rb"\\u0000|[0-9]{16}")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_NEXT_OBJECT = re.compile(r'\}[ \t\r\n,\0]*(?=\{[ \t\r\n]*")')


def read(data: bytes, counts: Counter[str]) -> list[Burst | FramePosition]:
    """The messages of one packet or line.

    ``counts`` counts data without a message: ``too_long``, ``json`` (not JSON), ``other`` (JSON of another program),
    ``frame`` (a frame without ACARS or position).
    """
    items: list[Burst | FramePosition] = []
    if len(data) > MAX_PACKET:
        counts["too_long"] += 1
        return items
    for envelope in _objects(data, counts):
        try:
            contents = recognise(envelope)
        except Unrecognised:
            counts["other"] += 1
        except (ValueError, TypeError, RecursionError, OverflowError):
            # A known program's envelope with values no program writes.
            counts["invalid"] += 1
        else:
            for content in contents:
                if content is None:
                    counts["frame"] += 1
                else:
                    items.append(content)
    return items


def complete_length(data: bytes) -> int:
    """The length of the complete objects that the bytes begin with."""
    # One character for each byte: what JSON is made of is ASCII.
    text, end = data.decode("latin-1"), 0
    while end < len(text):
        try:
            _, following = _scanner.raw_decode(text, end)
        except (ValueError, RecursionError):
            break
        end = _next_after(text, following)
    return end


def _objects(data: bytes, counts: Counter[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a packet, in order, those of lists too.

    What is none is counted and passed over up to the next object.
    """
    data = data.strip(SEPARATORS.encode())
    if not data:
        return
    try:
        whole = _json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass  # Several objects, or none.
    else:
        yield from _members(storable(whole) if _SUSPICIOUS.search(data) else whole, counts)
        return
    text = data.decode("utf-8", "replace")
    start, objects = 0, 0
    while start < len(text):
        objects += 1
        if objects > MAX_OBJECTS:
            counts["too_long"] += 1
            return
        try:
            value, start = _scanner.raw_decode(text, start)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict | list):
            yield from _members(storable(value), counts)
        else:
            counts["json" if value is None else "other"] += 1
            following = _NEXT_OBJECT.search(text, start)
            if following is None:
                return
            start = following.end()
        start = _next_after(text, start)


def _next_after(text: str, end: int) -> int:
    """Where the next object begins behind one that ends there."""
    while end < len(text) and text[end] in SEPARATORS:
        end += 1
    return end


def _members(value: dict[str, Any] | list[Any], counts: Counter[str]) -> Iterator[dict[str, Any]]:
    """An object, or the objects of a list."""
    members = [value] if isinstance(value, dict) else [member for member in value if isinstance(member, dict)]
    if len(members) > MAX_OBJECTS:
        counts["too_long"] += 1
    if not members:
        counts["other"] += 1
    yield from members[:MAX_OBJECTS]


def storable(value: Any, depth: int = 0) -> Any:
    """A JSON value as every database stores it: no NUL, no lone surrogates, finite numbers of 64 bits at most."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else None
    if depth >= MAXIMUM_DEPTH:
        return None
    if isinstance(value, dict):
        return {_UNSTORABLE.sub("", key): storable(child, depth + 1) for key, child in value.items()}
    return [storable(child, depth + 1) for child in value] if isinstance(value, list) else value
