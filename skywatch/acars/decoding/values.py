"""What decoding yields, and the notations of positions, times and temperatures that many forms share.

Readers of a notation return None where the text is not of that notation or names nothing on the Earth.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import msgspec

MAX_ALTITUDE_FT = 60_000
MAX_ITEM_CHARACTERS = 500


class Item(msgspec.Struct, frozen=True):
    """One value of a message: ``name`` for programs, ``label`` for people."""

    name: str
    label: str
    value: str | int | float


class Position(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the aircraft was: degrees, and feet if the message contains them."""

    lat: float
    lon: float
    altitude_ft: int | None = None


class Decoded(msgspec.Struct, frozen=True):
    """A message that was understood. ``free_text`` marks items that quote what a person wrote."""

    kind: str
    title: str
    items: tuple[Item, ...] = ()
    position: Position | None = None


class Message(NamedTuple):
    """What a form is read from. ``text`` has plain line ends and no trailing white space."""

    label: str
    text: str
    sublabel: str = ""


Form = Callable[[Message], Decoded | None]


class Items:
    """Collects items in reading order; empty values and dashes are left out."""

    def __init__(self) -> None:
        self._items: list[Item] = []

    def add(self, name: str, label: str, value: str | int | float | None) -> Items:
        """Add one value, unless there is none."""
        if isinstance(value, str):
            value = value.strip()[:MAX_ITEM_CHARACTERS]
            if not value.strip("-*.X "):
                return self
        if value is not None:
            self._items.append(Item(name, label, value))
        return self

    def route(self, origin: str | None, destination: str | None) -> Items:
        """Add the airports of departure and arrival."""
        return self.add("origin", "From", origin).add("destination", "To", destination)

    def position(self, position: Position | None) -> Items:
        """Add a position and its altitude."""
        if position is None:
            return self
        self.add("position", "Position", f"{position.lat:.4f}, {position.lon:.4f}")
        return self.add("altitude_ft", "Altitude (ft)", position.altitude_ft)

    def wind(self, direction: str | None, speed: str | None) -> Items:
        """Add a wind from degrees and knots."""
        degrees, knots = whole(direction), whole(speed)
        if degrees is None or knots is None or not 0 <= degrees <= 360 or knots > 400:
            return self
        return self.add("wind", "Wind", f"{degrees:03d}° / {knots} kt")

    def done(self) -> tuple[Item, ...]:
        """What was collected."""
        return tuple(self._items)


def whole(text: str | None) -> int | None:
    """A whole number, perhaps padded with spaces."""
    text = (text or "").strip()
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,9}", text) else None


def number(text: str | None) -> float | None:
    """A decimal number, perhaps padded."""
    text = (text or "").strip()
    return float(text) if re.fullmatch(r"[+-]?[0-9]{0,7}\.?[0-9]{1,6}", text) else None


def position_of(lat: float | None, lon: float | None, altitude_ft: float | None = None) -> Position | None:
    """A position on the Earth, or None; computers send 0/0 before they have a position."""
    if lat is None or lon is None or not (-90 <= lat <= 90 and -180 <= lon <= 180) or (lat == 0 and lon == 0):
        return None
    if altitude_ft is not None and not -1_500 <= altitude_ft <= MAX_ALTITUDE_FT:
        altitude_ft = None
    return Position(round(lat, 5), round(lon, 5), None if altitude_ft is None else round(altitude_ft))


def signed(hemisphere: str, degrees: float) -> float:
    """Degrees with the sign of their hemisphere."""
    return -degrees if hemisphere in "SW" else degrees


def minutes(hemisphere: str, degrees: str, tenths: str) -> float | None:
    """Degrees and minutes, the latter with ``tenths`` as digits such as ``344`` (34.4') or ``34.4``; padding is 0."""
    whole_degrees = whole(degrees.replace(" ", "0"))
    digits = tenths.replace(" ", "0")
    value = number(digits) if "." in digits else _tenths(digits)
    if whole_degrees is None or value is None or not 0 <= value <= 60:
        return None
    return signed(hemisphere, whole_degrees + value / 60)


def _tenths(digits: str) -> float | None:
    if not digits.isdecimal() or not 2 <= len(digits) <= 4:
        return None
    result: float | None = int(digits) / 10 ** (len(digits) - 2)
    return result


def seconds(hemisphere: str, degrees: str, minute: str, second: str) -> float | None:
    """Degrees, minutes and seconds."""
    values = whole(degrees), whole(minute), whole(second)
    if None in values or int(minute) > 59 or int(second) > 59:
        return None
    return signed(hemisphere, int(degrees) + int(minute) / 60 + int(second) / 3600)


def clock(text: str | None) -> str | None:
    """``HHMM`` or ``HHMMSS``, with or without dots, as ``HH:MM[:SS]Z``."""
    digits = (text or "").replace(".", "").replace(":", "").strip()
    if not digits.isdecimal() or len(digits) not in (4, 6):
        return None
    hour, minute, second = int(digits[:2]), int(digits[2:4]), int(digits[4:] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    return f"{hour:02d}:{minute:02d}" + (f":{second:02d}" if len(digits) == 6 else "") + "Z"


def day_clock(text: str | None) -> str | None:
    """``DDHHMM`` as ``day DD, HH:MMZ``."""
    digits = (text or "").strip()
    if not digits.isdecimal() or len(digits) != 6 or not 1 <= int(digits[:2]) <= 31:
        return None
    at = clock(digits[2:])
    return f"day {int(digits[:2])}, {at}" if at else None


def temperature(text: str | None) -> int | float | None:
    """Degrees Celsius with a sign, ``M`` or ``P``; None beyond what there is in the atmosphere."""
    text = (text or "").strip().replace(" ", "").replace("M", "-").replace("P", "+")
    value = number(text)
    if value is None or not -95 <= value <= 60:
        return None
    return int(value) if value == int(value) else value


def level(text: str | None) -> int | None:
    """A flight level as feet."""
    value = whole(text)
    return value * 100 if value is not None and 0 <= value <= 600 else None
