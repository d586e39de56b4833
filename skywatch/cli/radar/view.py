"""What the radar shows, and how keys change that: order, filter, selection, scrolling, units, details, scope."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from skywatch.cli.radar.columns import COLUMNS, UNITS, Units, matching, number, ordered
from skywatch.cli.radar.scope import auto_range, next_range

# Sorted by these, the highest come first until the order is reversed.
DESCENDING = frozenset({"altitude", "speed", "climb"})
SORTS = tuple(COLUMNS)
# The list with the scope beside it where there is room, the scope alone, the list alone.
LAYOUTS = ("both", "scope", "list")


@dataclass
class Screen:
    """The state of the screen; ``press`` takes the names of keys that ``radar_keys`` gives."""

    sort: str = "distance"
    reversed: bool = False
    filter: str = ""
    units_name: str = "aviation"
    selected: str | None = None
    top: int = 0
    rows: int = 1
    typing: bool = False
    details: bool = False
    help: bool = False
    ended: bool = False
    layout: str = "both"
    reach: int = 0
    zoom: int = 0
    listed: list[dict[str, Any]] = field(default_factory=list)

    @property
    def units(self) -> Units:
        """The chosen ones in order."""
        return UNITS[self.units_name]

    @property
    def descending(self) -> bool:
        """Whether the highest comes first."""
        return (self.sort in DESCENDING) != self.reversed

    def arrange(self, aircraft: list[dict[str, Any]], rows: int) -> list[dict[str, Any]]:
        """The aircraft in the ``rows`` lines of the screen; a selected one is kept among them."""
        self.listed = ordered(matching(aircraft, self.filter), self.sort, self.descending)
        self.rows = max(1, rows)
        index = self._index()
        if index is None:
            self.selected, self.details = None, False
        else:
            self.top = min(max(self.top, index - self.rows + 1), index)
        self.top = max(0, min(self.top, len(self.listed) - self.rows))
        return self.listed[self.top : self.top + self.rows]

    def scope_range(self) -> int:
        """The range of the scope for the listed aircraft, in the unit of distance."""
        distances = (number(entry.get("distance_nm")) for entry in self.listed)
        wanted = auto_range(distance * self.units.distance[0] for distance in distances if distance is not None)
        # It follows the aircraft only where they leave it, or half of it would do: rings that leap cannot be read.
        if not self.reach or wanted > self.reach or 2 * wanted < self.reach:
            self.reach = wanted
        return next_range(self.reach, self.zoom)

    @property
    def above(self) -> int:
        """How many of the list are above the screen."""
        return self.top

    @property
    def below(self) -> int:
        """How many of the list are below the screen."""
        return max(0, len(self.listed) - self.top - self.rows)

    def chosen(self) -> dict[str, Any] | None:
        """The selected aircraft."""
        index = self._index()
        return None if index is None else self.listed[index]

    def press(self, key: str) -> None:
        """Do what a key stands for; others are ignored."""
        if self.typing:
            self._type(key)
        elif key in ("up", "down", "page_up", "page_down", "home", "end"):
            self._move(key)
        elif key == "enter":
            self._open()
        elif key == "escape":
            self._leave()
        elif key == "/":
            self.typing = True
        elif key in ("s", "S"):
            step = 1 if key == "s" else -1
            self.sort, self.reversed = SORTS[(SORTS.index(self.sort) + step) % len(SORTS)], False
        elif key == "r":
            self.reversed = not self.reversed
        elif key == "u":
            names = tuple(UNITS)
            self.units_name, self.reach = names[(names.index(self.units_name) + 1) % len(names)], 0
        elif key == "o":
            self.layout = LAYOUTS[(LAYOUTS.index(self.layout) + 1) % len(LAYOUTS)]
        elif key in ("+", "-"):
            self._zoom(1 if key == "-" else -1)
        elif key in ("?", "h"):
            self.help = not self.help
        elif key == "q":
            self.ended = True

    def _type(self, key: str) -> None:
        if key == "enter":
            self.typing = False
        elif key == "escape":
            self.typing, self.filter = False, ""
        elif key == "backspace":
            self.filter = self.filter[:-1]
        elif len(key) == 1 and key.isprintable():
            self.filter += key
        self.top = 0

    def _move(self, key: str) -> None:
        if not self.listed:
            return
        index, last = self._index(), len(self.listed) - 1
        if index is None:
            # The first key chooses what is at the top of the screen, or goes to the ends.
            index = {"home": 0, "end": last}.get(key, min(self.top, last))
        else:
            page = max(1, self.rows - 1)
            steps = {"up": -1, "down": 1, "page_up": -page, "page_down": page, "home": -last, "end": last}
            index = min(max(index + steps[key], 0), last)
        self.selected = str(self.listed[index].get("hex"))

    def _open(self) -> None:
        if self.selected is None:
            self._move("down")
        self.details = self.selected is not None and not self.details

    def _zoom(self, step: int) -> None:
        # At the ends of the ranges a key does nothing.
        if self.reach and next_range(self.reach, self.zoom + step) != next_range(self.reach, self.zoom):
            self.zoom += step

    def _leave(self) -> None:
        if self.help:
            self.help = False
        elif self.details:
            self.details = False
        elif self.selected is not None:
            self.selected = None
        else:
            self.filter = ""

    def _index(self) -> int | None:
        if self.selected is None:
            return None
        return next((i for i, entry in enumerate(self.listed) if entry.get("hex") == self.selected), None)
