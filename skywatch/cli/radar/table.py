"""The screen of the radar: list, details and key hints; what came over the air is shown as plain text only."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from skywatch.cli.radar.columns import (
    COLUMNS,
    EMERGENCIES,
    FALLING,
    RISING,
    UNITS,
    Trends,
    Units,
    cell,
    colour,
    is_emergency,
    measure,
    number,
    plain,
)
from skywatch.cli.radar.scope import scope
from skywatch.cli.radar.view import Screen

# What a narrow terminal does without, in this order: a callsign cut short says nothing, a missing column little.
DISPENSABLE = ("track", "seen", "climb", "registration", "route", "squawk", "type", "speed")
# Lines and blanks between two columns.
BETWEEN = 3
# Lines of the screen in addition to the rows: title, heads and rule, what is below, keys.
AROUND = 5
DETAIL_LINES = 12
# A screen of fewer lines shows details alone.
FEW_LINES = 24
# The scope stands beside the list where the list keeps so many characters, and the scope gets so many at least.
LIST_WIDTH, SCOPE_WIDTH = 62, 36
DETAILS_WIDTH = 84
KEYS = "↑↓ select  ⏎ details  s sort  r reverse  / filter  o scope  +- range  u units  ? help  q quit"
HELP = """\
↑ ↓ PgUp PgDn Home End   select an aircraft, scroll
Enter                    details of the selected aircraft, and back
Esc                      leave details, selection, filter
s  S                     sort by the next, the previous column
r                        reverse the order
/                        filter: words of callsign, address, registration, type, owner, squawk;
                         military and emergency are words too. Enter keeps it, Esc clears it
o                        list and scope, the scope alone, the list alone
+ -                      a smaller, a larger range of the scope
u                        ft kt nm, m km/h km, ft mph mi
q  Ctrl-C                quit

Colours are altitudes: orange low, green, blue, violet high, grey on the ground; red is an emergency.
Arrows: climbing or descending; coming nearer (↓) or going away (↑)."""


def table(
    aircraft: list[dict[str, Any]],
    width: int | None,
    units: Units = UNITS["aviation"],
    trends: Trends | None = None,
    selected: str | None = None,
    sort: str = "distance",
    descending: bool = False,
) -> Table:
    """These aircraft, with as many columns as ``width`` characters hold."""
    trends = trends or Trends()
    rows = [{name: cell(column, entry, units, trends) for name, column in COLUMNS.items()} for entry in aircraft]
    chosen = _columns(rows, width)
    rendered = Table(box=box.SIMPLE_HEAD, expand=False, pad_edge=False, show_edge=False)
    for name in chosen:
        column = COLUMNS[name]
        title = f"{column.title}{('▼' if descending else '▲') if name == sort else ''}"
        rendered.add_column(title, justify=column.justify, no_wrap=True)
    for entry, row in zip(aircraft, rows, strict=True):
        style = "bold red" if is_emergency(entry) else ""
        if selected is not None and entry.get("hex") == selected:
            style = f"{style} reverse".strip()
        rendered.add_row(*(row[name] for name in chosen), style=style)
    return rendered


def _columns(rows: list[dict[str, Text]], width: int | None) -> list[str]:
    """Which columns there is room for."""
    widths = {
        # A head may have the arrow of the order.
        name: max(map(cell_len, (f"{column.title}▲", *(row[name].plain for row in rows))))
        for name, column in COLUMNS.items()
    }
    chosen = list(COLUMNS)
    for name in DISPENSABLE:
        if width is None or sum(widths[column] + BETWEEN for column in chosen) - BETWEEN <= width:
            break
        chosen.remove(name)
    return chosen


def whole(aircraft: list[dict[str, Any]], source: str, view: Screen, width: int) -> RenderableType:
    """The whole table, for output that does not scroll."""
    shown = view.arrange(aircraft, len(aircraft) + 1)
    rows = table(shown, width, view.units, sort=view.sort, descending=view.descending)
    return Group(_title(aircraft, source, view), rows)


def screen(
    aircraft: list[dict[str, Any]], source: str, view: Screen, trends: Trends, width: int, height: int
) -> RenderableType:
    """One screen: the list, the details of the selected aircraft, and beside them the scope where there is room."""
    if view.help:
        return Group(_title(aircraft, source, view), Panel(Text(HELP), title="keys", expand=False))
    lines = max(1, height - 2)
    parts: list[RenderableType]
    if view.layout == "scope":
        view.arrange(aircraft, height - AROUND)
        parts = [_scope(view, width, lines)]
    else:
        wide = min(2 * lines, width - (DETAILS_WIDTH if view.details else LIST_WIDTH)) if view.layout == "both" else 0
        parts = [_list(aircraft, view, trends, width - wide - 2 if wide >= SCOPE_WIDTH else width, height)]
        if wide >= SCOPE_WIDTH:
            beside = Table.grid(padding=(0, 2, 0, 0))
            beside.add_column(width=width - wide - 2, no_wrap=True)
            beside.add_column(width=wide, no_wrap=True)
            beside.add_row(parts[0], _scope(view, wide, lines))
            parts = [beside]
    return Group(_title(aircraft, source, view), *parts, _keys(view))


def _scope(view: Screen, columns: int, rows: int) -> Text:
    return scope(view.listed, view.units, view.selected, view.scope_range(), columns, rows)


def _list(aircraft: list[dict[str, Any]], view: Screen, trends: Trends, width: int, height: int) -> RenderableType:
    """The part of the list that fits, and the details of the selected aircraft."""
    room = height - AROUND
    details_only = view.details and height < FEW_LINES
    rows = room if details_only or not view.details else room - DETAIL_LINES
    shown = view.arrange(aircraft, rows)
    # A selected aircraft that has gone takes its details with it.
    chosen = view.chosen() if view.details else None
    parts: list[RenderableType] = []
    if chosen is None or not details_only:
        parts += [
            table(shown, width, view.units, trends, view.selected, view.sort, view.descending),
            Text(_more(view), style="dim"),
        ]
    if chosen is not None:
        parts.append(_details(chosen, view.units, trends))
    return Group(*parts)


def _keys(view: Screen) -> Text:
    return Text(f"filter: {plain(view.filter)}▏" if view.typing else KEYS, style="dim", no_wrap=True)


def _title(aircraft: list[dict[str, Any]], source: str, view: Screen) -> Text:
    count = f"{len(aircraft)} aircraft ({source})"
    if view.filter:
        count += f" · {len(view.listed)} match “{plain(view.filter)}”"
    return Text(count, style="bold", no_wrap=True, overflow="ellipsis")


def _more(view: Screen) -> str:
    parts = [f"{RISING} {view.above} more"] if view.above else []
    parts += [f"{FALLING} {view.below} more"] if view.below else []
    return "   ".join(parts)


def _details(aircraft: dict[str, Any], units: Units, trends: Trends) -> Panel:
    squawk = plain(aircraft.get("squawk"))
    position = [number(aircraft.get(name)) for name in ("lat", "lon")]
    bearing, track = number(aircraft.get("bearing")), number(aircraft.get("track"))
    distance = COLUMNS["distance"].cell(aircraft, units, trends).strip()
    facts = {
        "Callsign": plain(aircraft.get("flight")),
        "Address": plain(aircraft.get("hex")),
        "Registration": plain(aircraft.get("r")),
        "Type": " ".join(filter(None, (plain(aircraft.get("t")), plain(aircraft.get("desc"))))),
        "Route": plain(aircraft.get("route")),
        "Owner": plain(aircraft.get("ownOp")),
        "Military": "yes" if aircraft.get("military") else "",
        "Squawk": f"{squawk} {EMERGENCIES.get(squawk, '')}".strip(),
        "Not confirmed": "heard by one feeder only" if aircraft.get("single_source") else "",
        "Category": plain(aircraft.get("category")),
        "Altitude": COLUMNS["altitude"].cell(aircraft, units, trends).strip(),
        "Geometric": measure(number(aircraft.get("alt_geom")), units.altitude),
        "Selected": measure(number(aircraft.get("nav_altitude_mcp")), units.altitude),
        "Climb": COLUMNS["climb"].cell(aircraft, units, trends),
        "Speed": COLUMNS["speed"].cell(aircraft, units, trends),
        "Track": f"{track:.0f}°" if track is not None else "",
        "Distance": f"{distance} at {bearing:.0f}°" if distance and bearing is not None else distance,
        "Position": "" if None in position else f"{position[0]:.4f}, {position[1]:.4f}",
        "Source": plain(aircraft.get("type")),
        "Receiver": plain(aircraft.get("receiver")),
        "Messages": measure(number(aircraft.get("messages")), (1, "")).strip(),
        "Signal": measure(number(aircraft.get("rssi")), (1, "dBFS"), ".1f"),
        "Seen": measure(number(aircraft.get("seen")), (1, "s ago"), ".1f"),
    }
    lines = [(name, text) for name, text in facts.items() if text]
    half = (len(lines) + 1) // 2
    grid = Table.grid(padding=(0, 2))
    for left, right in zip(lines[:half], [*lines[half:], ("", "")], strict=False):
        grid.add_row(Text(left[0], style="dim"), Text(left[1]), Text(right[0], style="dim"), Text(right[1]))
    return Panel(grid, title=plain(aircraft.get("flight") or aircraft.get("hex")), border_style=colour(aircraft))
