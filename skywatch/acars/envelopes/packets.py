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
from skywatch.core.text.lenient_json import read_object

MAX_PACKET = 65_536
MAX_OBJECTS = 4_096
# No envelope is deeper; what lies below is left out.
MAX_DEPTH = 100
_json = msgspec.json.Decoder(dict[str, Any] | list[Any])
_scanner = json.JSONDecoder(strict=False)
# What stands between objects.
SEPARATORS = " \t\r\n,\0\ufeff"
# Valid JSON that no database stores as such: NUL, and numbers of more than 64 bits.
_SUSPICIOUS = re.compile(rb"\\u0000|[0-9]{16}")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_NEXT_OBJECT = re.compile(r'\}[ \t\r\n,\0]*(?=\{[ \t\r\n]*")')


def read(data: bytes, counts: Counter[str], *, lenient: bool = True) -> list[Burst | FramePosition]:
    """The messages of one packet or line, of damaged objects (``lenient``) what can be read.

    ``counts`` counts data without a message: ``too_long``, ``json`` (not JSON), ``other`` (JSON of another program),
    ``frame`` (a frame without ACARS or position).
    """
    items: list[Burst | FramePosition] = []
    if len(data) > MAX_PACKET:
        counts["too_long"] += 1
        return items
    for envelope, is_damaged in _objects(data, counts, lenient):
        try:
            contents = recognise(envelope)
        except Unrecognised:
            if not is_damaged:
                counts["other"] += 1
        except (ValueError, TypeError, RecursionError, OverflowError):
            # A known program's envelope with values no program writes.
            counts["invalid"] += 1
        else:
            for content in contents:
                if content is None:
                    counts["frame"] += 1
                elif not is_damaged or not isinstance(content, Burst) or content.text:
                    # Of a damaged object without a text it is not known whether there was one.
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


def _objects(data: bytes, counts: Counter[str], lenient: bool) -> Iterator[tuple[dict[str, Any], bool]]:
    """The JSON objects of a packet, in order, those of lists too; whether each is damaged.

    Of one that is damaged what can be read is read, and it is counted.
    """
    data = data.strip(SEPARATORS.encode())
    if not data:
        return
    try:
        whole = _json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass  # Several objects, or none.
    else:
        for member in _members(storable(whole) if _SUSPICIOUS.search(data) else whole, counts):
            yield member, False
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
            for member in _members(storable(value), counts):
                yield member, False
        else:
            # A bare value is a piece of something damaged as well.
            counts["json"] += 1
            following = _NEXT_OBJECT.search(text, start)
            end = len(text) if following is None else following.end()
            if lenient and (damaged := read_object(text[start:end])):
                yield storable(damaged), True
            start = end
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
    if depth >= MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return {_UNSTORABLE.sub("", key): storable(child, depth + 1) for key, child in value.items()}
    return [storable(child, depth + 1) for child in value] if isinstance(value, list) else value
