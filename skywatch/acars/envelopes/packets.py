"""Packets and lines as JSON objects: several in one packet or on one line, with commas and white space between."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from skywatch.acars.envelopes.burst import Burst, FramePosition
from skywatch.acars.envelopes.forms import Unrecognised, recognise

LONGEST_PACKET = 65_536
MOST_OBJECTS = 256
_json = msgspec.json.Decoder(dict[str, Any])
_scanner = json.JSONDecoder()


def read(data: bytes, counts: Counter[str]) -> list[Burst | FramePosition]:
    """What one packet or line holds.

    ``counts`` grows by what holds no message: ``too_long``, ``json`` (not JSON), ``other`` (JSON of another program),
    ``frame`` (a frame without ACARS or position).
    """
    found: list[Burst | FramePosition] = []
    if len(data) > LONGEST_PACKET:
        counts["too_long"] += 1
        return found
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
                found.append(content)
    return found


def _objects(data: bytes, counts: Counter[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a packet, in order; what is none is counted once a packet."""
    data = data.strip(b" \t\r\n,\0")
    if not data:
        return
    try:
        yield _json.decode(data)
        return
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass  # Several objects, or none.
    text = data.decode("utf-8", "replace")
    start, objects = 0, 0
    while start < len(text) and objects < MOST_OBJECTS:
        try:
            value, start = _scanner.raw_decode(text, start)
        except (ValueError, RecursionError):
            counts["json"] += 1
            return
        objects += 1
        if isinstance(value, dict):
            yield value
        else:
            counts["other"] += 1
        while start < len(text) and text[start] in " \t\r\n,\0":
            start += 1
