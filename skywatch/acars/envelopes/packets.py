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

LONGEST_PACKET = 65_536
MOST_OBJECTS = 256
# No envelope is deeper; what lies below is left out.
MAXIMUM_DEPTH = 100
_json = msgspec.json.Decoder(dict[str, Any])
_scanner = json.JSONDecoder()
_BETWEEN = " \t\r\n,\0"
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
    if len(data) > LONGEST_PACKET:
        counts["too_long"] += 1
        return items
    for envelope in _objects(data, counts):
        try:
            content = recognise(envelope)
        except Unrecognised:
            counts["other"] += 1
        except (ValueError, TypeError, RecursionError, OverflowError):
            # A known program's envelope with values no program writes.
            counts["invalid"] += 1
        else:
            if content is None:
                counts["frame"] += 1
            else:
                items.append(content)
    return items


def _objects(data: bytes, counts: Counter[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a packet, in order; what is none is counted and passed over up to the next object."""
    data = data.strip(b" \t\r\n,\0")
    if not data:
        return
    try:
        whole = _json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass  # Several objects, or none.
    else:
        yield storable(whole) if _SUSPICIOUS.search(data) else whole
        return
    text = data.decode("utf-8", "replace")
    start, objects = 0, 0
    while start < len(text) and objects < MOST_OBJECTS:
        objects += 1
        try:
            value, start = _scanner.raw_decode(text, start)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield storable(value)
        else:
            counts["json" if value is None else "other"] += 1
            following = _NEXT_OBJECT.search(text, start)
            if following is None:
                return
            start = following.end()
        while start < len(text) and text[start] in _BETWEEN:
            start += 1


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
