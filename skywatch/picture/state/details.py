"""Airframes in the picture: adds the database's data of an aircraft to the received data.

Members that need ``aircraft.view_details`` (registration, owner, operator, year) are a separate fragment of JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import is_not
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from skywatch.airframes.military import is_military_address
from skywatch.airframes.models import INTERESTING, MILITARY
from skywatch.airframes.service import Airframe
from skywatch.core.arrays import Array
from skywatch.picture.state.row_map import RowMap, texts
from skywatch.picture.state.sky import COLUMNS

# Number of names beyond those possible in the sky, twice over, above which the index of names is rebuilt.
SPARE = 1000
Text = str | UnsetType
NO_AIRFRAME = Airframe("")
# By row: the airframe, and registration, owner and year as received.
Sources = tuple[Any, ...]


class Details(msgspec.Struct):
    """The members that need a permission, by readsb's names and ``operator``."""

    r: str | UnsetType = UNSET
    ownOp: str | UnsetType = UNSET  # noqa: N815
    operator: str | UnsetType = UNSET
    year: str | UnsetType = UNSET


class Addition(msgspec.Struct, gc=False):
    """The additions to one aircraft."""

    fragment: bytes
    registration: str | None
    operator: int
    owner: int
    type_code: Text
    type_name: Text
    flags: int
    # Somebody has set whether it is military: what receivers report of that does not count.
    decided: bool


@dataclass(frozen=True)
class Added:
    """The data of the airframes of one tick.

    ``details`` are JSON members without braces (empty if there are none); ``columns`` those of registration,
    operator and owner, and which of these may have changed; ``names`` is what operator and owner are indexes into.
    ``changed`` are the rows whose ``additions`` are new.
    """

    details: list[bytes]
    columns: dict[str, Array]
    names: tuple[str, ...]
    additions: list[Addition]
    changed: list[int]


class Names:
    """Each name once, with its index; index 0 is the empty name."""

    def __init__(self) -> None:
        self._index = {"": 0}
        self._all: tuple[str, ...] = ("",)

    def __len__(self) -> int:
        return len(self._index)

    def index(self, name: Text) -> int:
        """The index of a name, which is added if it is new."""
        return self._index.setdefault(name, len(self._index)) if isinstance(name, str) else 0

    @property
    def all(self) -> tuple[str, ...]:
        """The names by index; the same object until a name is added."""
        if len(self._all) < len(self._index):
            self._all = tuple(self._index)
        return self._all


class DetailsWriter:
    """Adds the data of its airframe to every aircraft; unchanged additions are reused."""

    def __init__(self) -> None:
        self._encoder = msgspec.json.Encoder()
        self._names = Names()
        self._additions: list[Addition] = []
        self._sources: Sources = ([], [], [], [])
        self._columns = {name: np.empty(0, COLUMNS[name]) for name in ("registration", "operator", "owner")}

    def complete(self, hexes: list[str], sources: Sources, rows: RowMap, said_again: list[int]) -> Added:
        """The data of the airframes of a tick.

        ``sources`` are the airframes, and registration, owner and year as received: of the latter only the rows
        ``said_again`` may differ from the tick before.
        """
        changed = self._changed(sources, rows, said_again)
        additions = rows.listed(self._additions)
        for row in changed:
            additions[row] = self._make(hexes[row], *(values[row] for values in sources))
        self._additions, self._sources = additions, sources
        self._columns = {name: rows.column(column) for name, column in self._columns.items()}
        if changed:
            new = [additions[row] for row in changed]
            self._columns["registration"][changed] = texts([k.registration for k in new], COLUMNS["registration"])
            self._columns["operator"][changed] = [k.operator for k in new]
            self._columns["owner"][changed] = [k.owner for k in new]
        is_changed = np.zeros(len(rows), "?")
        is_changed[changed] = True
        columns = self._columns | {"airframe_changed": is_changed}
        return Added([k.fragment for k in additions], columns, self._names.all, additions, changed)

    def _changed(self, sources: Sources, rows: RowMap, said_again: list[int]) -> list[int]:
        """The rows whose additions changed; all of them if most names belong to aircraft that have left."""
        if len(self._names) > 4 * len(rows) + SPARE:
            self._names = Names()
            return list(range(len(rows)))
        changed: set[int] = set(rows.changed(sources[0], self._sources[0], is_not))
        for row in said_again:
            before = int(rows.previous[row])
            if before >= 0 and any(
                now[row] != then[before] for now, then in zip(sources[1:], self._sources[1:], strict=True)
            ):
                changed.add(row)
        return sorted(changed)

    def _make(self, address: str, airframe: Airframe | None, registration: Text, owner: Text, year: Text) -> Addition:
        database = airframe or NO_AIRFRAME
        details = Details(
            r=_either(registration, database.registration),
            ownOp=_either(owner, database.owner),
            operator=_either(UNSET, database.operator),
            year=_either(year, str(database.year) if database.year else None),
        )
        # The database may not have answered yet; the address range is known at once.
        military = MILITARY if not database.decided and is_military_address(address) else 0
        return Addition(
            self._encoder.encode(details)[1:-1],
            details.r if isinstance(details.r, str) else None,
            self._names.index(details.operator),
            self._names.index(details.ownOp),
            database.type_code or UNSET,
            database.type_name or UNSET,
            database.flags | military,
            database.decided,
        )


def interesting(flags: list[Any]) -> list[bool]:
    """Whether the airframes mark the aircraft as interesting, by dbFlags."""
    return [bool(value and value & INTERESTING) for value in flags]


def _either(received: Text, stored: str | None) -> Text:
    if received is not UNSET and received != "":
        return received
    return stored or UNSET
