"""The columns of the radar: what a cell shows, in which units and colours, and by what the list is sorted."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rich.text import Text

Aircraft = Mapping[str, Any]
EMERGENCIES = {"7500": "unlawful interference", "7600": "radio failure", "7700": "emergency"}
# Slower changes than this are level flight (ft/min).
LEVEL_FPM = 250
# Distances must change by this much within the seconds of the trend to count (nm).
MOVED_NM = 0.05
RISING, FALLING = "↑", "↓"


@dataclass(frozen=True)
class Units:
    """Factors from ft, kt, nm and ft/min, and their names."""

    altitude: tuple[float, str]
    speed: tuple[float, str]
    distance: tuple[float, str]
    rate: tuple[float, str]


UNITS: dict[str, Units] = {
    "aviation": Units((1, "ft"), (1, "kt"), (1, "nm"), (1, "ft/min")),
    "metric": Units((0.3048, "m"), (1.852, "km/h"), (1.852, "km"), (0.00508, "m/s")),
    "imperial": Units((1, "ft"), (1.150779, "mph"), (1.150779, "mi"), (1, "ft/min")),
}


@dataclass
class Trends:
    """What became of an aircraft's distance: nearer, farther, or neither."""

    span_s: float = 10.0
    _before: dict[str, tuple[float, float, str]] = field(default_factory=dict)

    def update(self, aircraft: list[dict[str, Any]], now_s: float) -> None:
        """Take the list of this moment (monotonic seconds)."""
        distances: dict[str, tuple[float, float, str]] = {}
        for entry in aircraft:
            distance, address = number(entry.get("distance_nm")), str(entry.get("hex"))
            if distance is None:
                continue
            at, before, arrow = self._before.get(address, (now_s, distance, ""))
            if now_s - at >= self.span_s:
                moved = distance - before
                arrow = "" if abs(moved) < MOVED_NM else RISING if moved > 0 else FALLING
                at, before = now_s, distance
            distances[address] = (at, before, arrow)
        self._before = distances

    def distance(self, address: str) -> str:
        """The arrow of its distance."""
        return self._before.get(address, (0.0, 0.0, ""))[2]


Cell = Callable[[Aircraft, Units, Trends], str]
Key = Callable[[Aircraft], float | str | None]


@dataclass(frozen=True)
class Column:
    """One column; ``key`` is what the list is sorted by, None where the value is not known."""

    title: str
    cell: Cell
    key: Key
    justify: Literal["left", "right"] = "right"
    coloured: bool = False


def plain(value: Any) -> str:
    """A text without anything that a terminal would obey."""
    return "".join(c for c in str(value).strip() if c.isprintable()) if value is not None else ""


def number(value: Any) -> float | None:
    """A number, or None."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def altitude_ft(aircraft: Aircraft) -> float | None:
    """Barometric, else geometric altitude; 0 on the ground."""
    if aircraft.get("alt_baro") == "ground":
        return 0.0
    barometric = number(aircraft.get("alt_baro"))
    return barometric if barometric is not None else number(aircraft.get("alt_geom"))


def rate_fpm(aircraft: Aircraft) -> float | None:
    """Barometric, else geometric vertical rate."""
    barometric = number(aircraft.get("baro_rate"))
    return barometric if barometric is not None else number(aircraft.get("geom_rate"))


def colour(aircraft: Aircraft) -> str:
    """By altitude: grey on the ground, then orange, yellow, green, blue and violet up to 40,000 ft and above."""
    altitude = altitude_ft(aircraft)
    if altitude is None:
        return "default"
    if aircraft.get("alt_baro") == "ground":
        return "grey62"
    hue = 0.06 + 0.76 * min(max(altitude, 0.0), 40_000.0) / 40_000.0
    red, green, blue = (round(part * 255) for part in colorsys.hls_to_rgb(hue, 0.62, 0.85))
    return f"#{red:02x}{green:02x}{blue:02x}"


def measure(value: float | None, unit: tuple[float, str], form: str = ",.0f") -> str:
    """A value in a unit, or nothing."""
    return "" if value is None else f"{value * unit[0]:{form}} {unit[1]}"


def _text(name: str) -> tuple[Cell, Key]:
    return (lambda a, units, trends: plain(a.get(name))), (lambda a: plain(a.get(name)).lower() or None)


def _altitude(aircraft: Aircraft, units: Units, trends: Trends) -> str:
    if aircraft.get("alt_baro") == "ground":
        return "ground"
    shown, rate = measure(altitude_ft(aircraft), units.altitude), rate_fpm(aircraft)
    if not shown:
        return ""
    return f"{shown} {' ' if rate is None or abs(rate) < LEVEL_FPM else RISING if rate > 0 else FALLING}"


def _climb(aircraft: Aircraft, units: Units, trends: Trends) -> str:
    return measure(rate_fpm(aircraft), units.rate, "+,.1f" if units.rate[0] < 1 else "+,.0f")


def _distance(aircraft: Aircraft, units: Units, trends: Trends) -> str:
    shown = measure(number(aircraft.get("distance_nm")), units.distance, ".1f")
    return f"{shown} {trends.distance(str(aircraft.get('hex'))) or ' '}" if shown else ""


COLUMNS: dict[str, Column] = {
    "callsign": Column("Callsign", *_text("flight"), justify="left", coloured=True),
    "address": Column("Address", *_text("hex"), justify="left"),
    "registration": Column("Reg.", *_text("r"), justify="left"),
    "route": Column("Route", *_text("route"), justify="left"),
    "type": Column("Type", *_text("t"), justify="left"),
    "altitude": Column("Altitude", _altitude, altitude_ft, coloured=True),
    "speed": Column(
        "Speed", lambda a, units, _: measure(number(a.get("gs")), units.speed), lambda a: number(a.get("gs"))
    ),
    "track": Column(
        "Track",
        lambda a, units, _: measure(number(a.get("track")), (1, "°")).replace(" ", ""),
        lambda a: number(a.get("track")),
    ),
    "climb": Column("Climb", _climb, rate_fpm),
    "distance": Column("Distance", _distance, lambda a: number(a.get("distance_nm"))),
    "squawk": Column("Squawk", *_text("squawk")),
    "seen": Column(
        "Seen", lambda a, units, _: measure(number(a.get("seen")), (1, "s")), lambda a: number(a.get("seen"))
    ),
}


def is_emergency(aircraft: Aircraft) -> bool:
    """Whether to sound the alarm: an emergency code that not only one feeder has heard."""
    return aircraft.get("squawk") in EMERGENCIES and not aircraft.get("single_source")


def cell(column: Column, aircraft: Aircraft, units: Units, trends: Trends) -> Text:
    """What a row shows in a column."""
    style = colour(aircraft) if column.coloured and not is_emergency(aircraft) else ""
    return Text(column.cell(aircraft, units, trends), style=style)


def ordered(aircraft: list[dict[str, Any]], sort: str, descending: bool = False) -> list[dict[str, Any]]:
    """Sorted by a column; those whose value is not known come last in both directions."""
    key = COLUMNS[sort].key
    by_address = sorted(aircraft, key=lambda entry: str(entry.get("hex")))
    keyed = [entry for entry in by_address if key(entry) is not None]
    keyed.sort(key=lambda entry: key(entry) or 0, reverse=descending)
    return keyed + [entry for entry in by_address if key(entry) is None]


def matching(aircraft: list[dict[str, Any]], words: str) -> list[dict[str, Any]]:
    """The aircraft that match every word: in callsign, address, registration, type, owner, squawk or receiver;
    ``military`` and ``emergency`` are words too."""
    terms = words.lower().split()
    return [entry for entry in aircraft if all(word in _haystack(entry) for word in terms)] if terms else aircraft


def _haystack(aircraft: Aircraft) -> str:
    names = ("flight", "hex", "r", "t", "desc", "ownOp", "squawk", "receiver")
    words = [plain(aircraft.get(name)) for name in names]
    words.append("military" if aircraft.get("military") else "")
    words.append("emergency" if aircraft.get("squawk") in EMERGENCIES else "")
    return " ".join(words).lower()
