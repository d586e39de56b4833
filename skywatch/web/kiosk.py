"""The views of the kiosk, as ``kiosk_views`` has them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from skywatch.core.text.names import all_shown

MAX_VIEWS, MAX_NAME = 20, 40
_ENTRY = re.compile(r"(?P<name>\S.*?)\s+(?P<numbers>[^\s,]+(?:\s*,\s*[^\s,]+)*)")
# What each number is, and its least and greatest value. Beyond 85 degrees the map has no places.
BOUNDS = {"lat": (-85.0, 85.0), "lon": (-180.0, 180.0), "zoom": (2.0, 17.0), "seconds": (5.0, 3600.0)}


@dataclass(frozen=True)
class KioskView:
    """A place that the map shows for so many seconds."""

    name: str
    lat: float
    lon: float
    zoom: float
    seconds: float


def parse_kiosk_views(text: str) -> list[KioskView]:
    """The views in their order; raises ValueError with the entry that is wrong."""
    views = [_view(entry.strip()) for entry in text.split(";") if entry.strip()]
    if len(views) > MAX_VIEWS:
        raise ValueError(f"has {len(views)} views; at most {MAX_VIEWS} are allowed")
    return views


def _view(entry: str) -> KioskView:
    match = _ENTRY.fullmatch(entry)
    numbers = [part.strip() for part in match["numbers"].split(",")] if match else []
    if match is None or len(numbers) != len(BOUNDS):
        raise ValueError(f"{entry[:60]!r}: expected NAME lat,lon,zoom,seconds, such as Zurich 47.46,8.55,9,30")
    name = match["name"]
    if len(name) > MAX_NAME or not all_shown(name):
        raise ValueError(f"{entry[:60]!r}: the name must have at most {MAX_NAME} printable characters")
    values = {}
    for (member, (least, most)), number in zip(BOUNDS.items(), numbers, strict=True):
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise ValueError(f"{name}: {member} must be a number from {least:g} to {most:g}, not {number[:20]!r}")
        values[member] = value
    return KioskView(name, **values)
