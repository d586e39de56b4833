"""The list of aircraft as a table for a terminal; what came over the air is shown as plain text and nothing else."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

EMERGENCIES = frozenset({"7500", "7600", "7700"})
COLUMNS = ("Callsign", "Address", "Reg.", "Type", "Altitude", "Speed", "Track", "Climb", "Distance", "Squawk", "Seen")
# What a narrow terminal does without, in this order: a callsign cut short says nothing, a missing column little.
DISPENSABLE = ("Track", "Seen", "Climb", "Reg.", "Squawk", "Type", "Speed")
# Lines and blanks between two columns, and at both edges together.
BETWEEN, EDGES = 3, 2


def table(aircraft: list[dict[str, Any]], source: str, rows: int | None, width: int | None = None) -> Table:
    """At most ``rows`` aircraft, the nearest first and those without a distance last; as many columns as ``width``
    characters hold."""
    ordered = sorted(aircraft, key=_order)
    cells = [_cells(entry) for entry in (ordered if rows is None else ordered[:rows])]
    chosen = _columns(cells, width)
    found = Table(title=f"{len(aircraft)} aircraft ({source})", expand=False, pad_edge=False)
    for index in chosen:
        found.add_column(COLUMNS[index], justify="left" if index < 4 else "right", no_wrap=True)
    for entry, row in zip(ordered, cells, strict=False):
        style = "bold red" if entry.get("squawk") in EMERGENCIES else None
        found.add_row(*(Text(row[index]) for index in chosen), style=style)
    return found


def _columns(cells: list[list[str]], width: int | None) -> list[int]:
    """Which columns there is room for."""
    widths = [max(map(cell_len, (name, *(row[index] for row in cells)))) for index, name in enumerate(COLUMNS)]
    chosen = list(range(len(COLUMNS)))
    for name in DISPENSABLE:
        if width is None or sum(widths[index] + BETWEEN for index in chosen) - BETWEEN + EDGES <= width:
            break
        chosen.remove(COLUMNS.index(name))
    return chosen


def _order(aircraft: dict[str, Any]) -> tuple[float, str]:
    distance = aircraft.get("distance_nm")
    near = float(distance) if isinstance(distance, int | float) else float("inf")
    return near, str(aircraft.get("hex"))


def _cells(aircraft: dict[str, Any]) -> list[str]:
    altitude = aircraft.get("alt_baro")
    return [
        plain(aircraft.get("flight")),
        plain(aircraft.get("hex")),
        plain(aircraft.get("r")),
        plain(aircraft.get("t")),
        "ground" if altitude == "ground" else _number(altitude, " ft", ","),
        _number(aircraft.get("gs"), " kt"),
        _number(aircraft.get("track"), "°"),
        _number(aircraft.get("baro_rate"), " ft/min", "+,"),
        _number(aircraft.get("distance_nm"), " nm", ".1"),
        plain(aircraft.get("squawk")),
        _number(aircraft.get("seen"), " s"),
    ]


def plain(value: Any) -> str:
    """A text without anything that a terminal would obey."""
    return "".join(c for c in str(value).strip() if c.isprintable()) if value is not None else ""


def _number(value: Any, unit: str, form: str = "") -> str:
    if not isinstance(value, int | float):
        return ""
    return f"{value:{form}f}{unit}" if form.startswith(".") else f"{round(value):{form}}{unit}"
