"""``SteadyMembers``: the members and columns of the sky that seldom change, made again only for rows that did.

Of forty things that an aircraft says a second, thirty are what it said the second before. A tick compares them as one
tuple an aircraft; what is the same keeps its JSON and its values in the columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET

from skywatch.airframes.models import MILITARY
from skywatch.airframes.service import Airframe
from skywatch.core.arrays import Array
from skywatch.core.clock import unix_to_iso
from skywatch.picture.merging.values import ReportValues, SteadyColumn
from skywatch.picture.state.aircraft_json import STEADY_MEMBERS, encode
from skywatch.picture.state.details import Addition, DetailsWriter, interesting
from skywatch.picture.state.row_map import RowMap, texts
from skywatch.picture.state.sky import COLUMNS
from skywatch.receivers.reports.report import SOURCE_INDEX
from skywatch.receivers.reports.report_columns import STEADY, STEADY_AT

Values = dict[str, list[Any]]
# Members that are made of several fields or of the airframe; the others stand as reported.
_MADE = frozenset(("hex", "flight", "t", "desc", "dbFlags", "military", "first_seen"))
# column -> member it holds
TEXTS = {"flight": "flight", "type": "t", "squawk": "squawk", "category": "category"}
COUNTS = ("nic", "nac_p", "sil")
EMERGENCY_SQUAWKS = frozenset(("7500", "7600", "7700"))
UNKNOWN_SOURCE = SOURCE_INDEX["unknown"]
_COLUMNS = (*TEXTS, *COUNTS, "military", "interesting", "emergency", "source")
# An encoded object begins with this, and ends with a brace.
_OPENING = len(b'{"hex":')


@dataclass(frozen=True)
class Steady:
    """``openings`` are what an object has as value of ``hex``: the address and the members that follow it.

    ``details`` and ``names`` as for ``details.Added``, whose columns are among these.
    """

    openings: list[msgspec.Raw]
    columns: dict[str, Array]
    details: list[bytes]
    names: tuple[str, ...]


class SteadyMembers:
    """Follows the rows of consecutive ticks."""

    def __init__(self) -> None:
        self._details = DetailsWriter()
        self._steady: list[tuple[Any, ...]] = []
        self._openings: list[msgspec.Raw] = []
        self._first_seen: Array = np.empty(0)
        self._columns = {name: np.empty(0, COLUMNS[name]) for name in _COLUMNS}
        # Aircraft whose members were made again, since the start.
        self.made = 0
        # Aircraft that receivers have reported as military, since this was emptied last.
        self.reported_military: set[str] = set()

    def follow(
        self, hexes: list[str], values: ReportValues, airframes: list[Airframe | None], first_seen: Array, rows: RowMap
    ) -> Steady:
        """What stands at the beginning of each object of this tick, and the columns; ``first_seen`` in unix s."""
        steady = values.steady
        changed_rows = rows.changed(steady, self._steady)
        sources = (airframes, *(SteadyColumn(steady, name) for name in ("r", "ownOp", "year")))
        added = self._details.complete(hexes, sources, rows, changed_rows)
        seen_anew = np.flatnonzero(rows.column(self._first_seen) != first_seen).tolist()
        changed = sorted({*changed_rows, *added.changed, *seen_anew})
        openings = rows.listed(self._openings)
        columns = {name: rows.column(column) for name, column in self._columns.items()}
        if changed:
            members = _members(hexes, steady, added.additions, first_seen, changed)
            self.reported_military.update(
                hexes[row] for row in changed if _is_military(steady[row][STEADY_AT["dbFlags"]])
            )
            for row, text in zip(changed, encode(members, STEADY_MEMBERS), strict=True):
                openings[row] = msgspec.Raw(text[_OPENING:-1])
            at = np.array(changed)
            for name, column in _columns(members).items():
                columns[name][at] = column
        self._steady, self._openings, self._columns, self._first_seen = steady, openings, columns, first_seen
        self.made += len(changed)
        return Steady(openings, columns | added.columns, added.details, added.names)


def _is_military(flags: Any) -> bool:
    return bool(flags and flags & MILITARY)


def _members(
    hexes: list[str], steady: list[tuple[Any, ...]], additions: list[Addition], first_seen: Array, changed: list[int]
) -> Values:
    """The members of the rows that changed."""
    values = dict(zip(STEADY, map(list, zip(*[steady[row] for row in changed], strict=True)), strict=True))

    def of(listed: list[Any]) -> list[Any]:
        return [listed[row] for row in changed]

    added = of(additions)
    members = {name: values[name] for name in STEADY_MEMBERS if name not in _MADE}
    flags = list(map(_flags, values["dbFlags"], added))
    return members | {
        "hex": of(hexes),
        "flight": [value.rstrip() or UNSET if value else UNSET for value in values["flight"]],
        "t": [
            addition.type_code if value is UNSET else value for value, addition in zip(values["t"], added, strict=True)
        ],
        "desc": [
            addition.type_name if value is UNSET else value
            for value, addition in zip(values["desc"], added, strict=True)
        ],
        "dbFlags": flags,
        "military": list(map(_is_military, flags)),
        "first_seen": list(map(unix_to_iso, first_seen[changed].tolist())),
    }


def _flags(received: Any, addition: Addition) -> Any:
    """readsb's dbFlags: those received and those of the airframe; UNSET where neither has any."""
    if addition.decided and received:
        received = received & ~MILITARY
    return (received or 0) | addition.flags if addition.flags else received


def _columns(members: Values) -> dict[str, Array]:
    """The columns of the rows that changed."""
    columns = {name: texts(members[member], COLUMNS[name]) for name, member in TEXTS.items()}
    for name in COUNTS:
        columns[name] = np.array([-1 if value is UNSET else value for value in members[name]], COLUMNS[name])
    columns["military"] = np.array(members["military"], "?")
    columns["interesting"] = np.array(interesting(members["dbFlags"]), "?")
    columns["emergency"] = np.array(
        [
            squawk in EMERGENCY_SQUAWKS or bool(state and state != "none")
            for squawk, state in zip(members["squawk"], members["emergency"], strict=True)
        ],
        "?",
    )
    sources = map(SOURCE_INDEX.get, members["type"], repeat(UNKNOWN_SOURCE))
    columns["source"] = np.fromiter(sources, "u1", len(members["type"]))
    return columns
