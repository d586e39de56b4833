"""The radar's scope: range rings around the station and each aircraft by bearing and distance, for a terminal.

A character holds two by four dots of braille, which are as far apart across as down. Rings are drawn in dots; an
aircraft is an arrow along its track in the colour of its altitude, with its callsign where there is room.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rich.text import Text

from skywatch.cli.radar.columns import Units, colour, is_emergency, number, plain

# Ranges that the scope can have, and how far apart their rings are, in the unit of the reader.
RANGES = {
    2: 1, 5: 1, 10: 2, 20: 5, 40: 10, 60: 20, 80: 20, 100: 25, 150: 50, 200: 50, 250: 50, 300: 100, 400: 100, 500: 100,
}  # fmt: skip
# The few that are farther away than this share of all do not make the others small.
SHARE = 0.95
BRAILLE = 0x2800
# The dot of a character in each column and row.
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
ARROWS = "↑↗→↘↓↙←↖"
# Room for the letters of the points of the compass, in dots.
MARGIN_X, MARGIN_Y = 4, 4


def auto_range(distances: Iterable[float]) -> int:
    """The least range that shows nearly all of these distances (in its unit)."""
    ordered = sorted(distances)
    far = ordered[min(len(ordered) - 1, int(SHARE * len(ordered)))] if ordered else 0.0
    return next((reach for reach in RANGES if reach >= far), max(RANGES))


def next_range(reach: int, zoom: int) -> int:
    """The range so many steps wider (or narrower, below 0)."""
    steps = list(RANGES)
    return steps[max(0, min(len(steps) - 1, steps.index(reach) + zoom))]


def scope(
    aircraft: list[dict[str, Any]], units: Units, selected: str | None, reach: int, columns: int, rows: int
) -> Text:
    """The scope in so many characters; ``reach`` is its range in the unit of distance."""
    canvas = _Canvas(columns, rows)
    for ring in range(RANGES[reach], reach + 1, RANGES[reach]):
        canvas.ring(ring / reach)
    for ring in range(RANGES[reach], reach + 1, RANGES[reach]):
        canvas.write_at(ring / reach, 0.0, f"{ring} {units.distance[1]}" if ring == reach else str(ring))
    canvas.compass()
    plotted = []
    for entry in aircraft:
        distance, bearing = number(entry.get("distance_nm")), number(entry.get("bearing"))
        if distance is None or bearing is None or distance * units.distance[0] > reach:
            continue
        is_chosen = selected is not None and entry.get("hex") == selected
        plotted.append((not is_chosen, not is_emergency(entry), distance, bearing, entry))
    plotted.sort(key=lambda one: one[:3])
    # What matters most is drawn last, over what is in its place, and named first.
    places = []
    for is_other, is_calm, distance, bearing, entry in reversed(plotted):
        style = f"bold {colour(entry) if is_calm else 'red'}{'' if is_other else ' reverse'}"
        places.append((canvas.plot(distance * units.distance[0] / reach, bearing, _glyph(entry), style), entry, style))
    for place, entry, style in reversed(places):
        canvas.name(place, plain(entry.get("flight") or entry.get("hex")), style.removesuffix(" reverse"))
    return canvas.text()


def _glyph(entry: dict[str, Any]) -> str:
    track = number(entry.get("track"))
    return "•" if track is None else ARROWS[round(track % 360 / 45) % 8]


class _Canvas:
    """Dots and characters; places are (row, column) of characters."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.dots = [[0] * columns for _ in range(rows)]
        self.characters: dict[tuple[int, int], tuple[str, str]] = {}
        self.taken: set[tuple[int, int]] = set()
        self.centre = columns - 0.5, 2 * rows - 0.5
        self.radius = max(1.0, min(columns - MARGIN_X, 2 * rows - MARGIN_Y))

    def _dot(self, share: float, bearing: float) -> tuple[float, float]:
        radians = math.radians(bearing)
        x, y = self.centre
        return x + self.radius * share * math.sin(radians), y - self.radius * share * math.cos(radians)

    def _place(self, share: float, bearing: float) -> tuple[int, int]:
        x, y = self._dot(share, bearing)
        return min(self.rows - 1, max(0, round(y) // 4)), min(self.columns - 1, max(0, round(x) // 2))

    def ring(self, share: float) -> None:
        # A dot for every second step along the circle: it is seen, and leaves room for what is on it.
        steps = max(8, round(math.pi * self.radius * share))
        for step in range(steps):
            x, y = (round(part) for part in self._dot(share, 360 * step / steps))
            if 0 <= x < 2 * self.columns and 0 <= y < 4 * self.rows:
                self.dots[y // 4][x // 2] |= DOTS[x % 2][y % 4]

    def write_at(self, share: float, bearing: float, text: str, style: str = "dim") -> None:
        row, column = self._place(share, bearing)
        begin = max(0, min(self.columns - len(text), column - len(text) // 2))
        for shift, character in enumerate(text):
            self.characters[row, begin + shift] = character, style

    def compass(self) -> None:
        middle = self.rows // 2
        self.characters[middle, self.columns // 2] = "+", "dim"
        half = round(self.radius / 2)
        for place, letter in (
            ((max(0, self._place(1.0, 0.0)[0] - 1), self.columns // 2), "N"),
            ((min(self.rows - 1, self._place(1.0, 180.0)[0] + 1), self.columns // 2), "S"),
            ((middle, min(self.columns - 1, self.columns // 2 + half + 1)), "E"),
            ((middle, max(0, self.columns // 2 - half - 1)), "W"),
        ):
            self.characters[place] = letter, "bold"

    def plot(self, share: float, bearing: float, glyph: str, style: str) -> tuple[int, int]:
        place = self._place(share, bearing)
        self.characters[place] = glyph, style
        self.taken.add(place)
        return place

    def name(self, place: tuple[int, int], name: str, style: str) -> None:
        """Write a name to the right of its aircraft, else to the left, else not at all."""
        row, column = place
        for begin in (column + 1, column - len(name)):
            cells = {(row, at) for at in range(begin, begin + len(name))}
            if begin >= 0 and begin + len(name) <= self.columns and not cells & self.taken:
                for at, character in enumerate(name):
                    self.characters[row, begin + at] = character, style.replace("bold ", "")
                self.taken |= cells
                return

    def text(self) -> Text:
        text = Text(no_wrap=True, overflow="crop")
        for row, dots in enumerate(self.dots):
            for column, bits in enumerate(dots):
                character, style = self.characters.get((row, column), (chr(BRAILLE + bits) if bits else " ", "dim"))
                text.append(character, style)
            text.append("\n" if row < self.rows - 1 else "")
        return text
