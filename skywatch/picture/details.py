"""Airframes in the picture: what the database adds to what an aircraft's receiver says of it.

What needs ``aircraft.view_details`` (registration, owner, operator, year) becomes a fragment of JSON of its own.
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
from skywatch.picture.positions import Array
from skywatch.picture.rows import RowMap, texts
from skywatch.picture.sky import COLUMNS

# So many names more than there can be in the sky twice over are kept before they are counted anew.
SPARE = 1000
Said = str | UnsetType
NOTHING_KNOWN = Airframe("")


class Details(msgspec.Struct):
    """The members that need a permission, by readsb's names and ``operator``."""

    r: str | UnsetType = UNSET
    ownOp: str | UnsetType = UNSET  # noqa: N815
    operator: str | UnsetType = UNSET
    year: str | UnsetType = UNSET


class _Known(msgspec.Struct, gc=False):
    """What is added to one aircraft."""

    fragment: bytes
    registration: str | None
    operator: int
    owner: int
    type_code: Said
    type_name: Said
    flags: int


@dataclass(frozen=True)
class Added:
    """What is known of the airframes of one tick.

    ``details`` are JSON members without braces (empty where nothing is known); ``columns`` those of registration,
    operator and owner, and which of these may have changed; ``names`` is what operator and owner are indexes into.
    """

    details: list[bytes]
    columns: dict[str, Array]
    names: tuple[str, ...]


class Names:
    """Each name once, with its index; index 0 is the empty name."""

    def __init__(self) -> None:
        self._index = {"": 0}
        self._all: tuple[str, ...] = ("",)

    def __len__(self) -> int:
        return len(self._index)

    def index(self, name: Said) -> int:
        """The index of a name, which is added where it is new."""
        return self._index.setdefault(name, len(self._index)) if isinstance(name, str) else 0

    @property
    def all(self) -> tuple[str, ...]:
        """The names by index; the same object until a name is added."""
        if len(self._all) < len(self._index):
            self._all = tuple(self._index)
        return self._all


class DetailsWriter:
    """Adds to every aircraft what is known of its airframe; what was added last tick is not made again."""

    def __init__(self) -> None:
        self._encoder = msgspec.json.Encoder()
        self._names = Names()
        self._known: list[_Known] = []
        # What that was made of: the airframe, and registration, owner and year as received.
        self._sources: tuple[list[Any], ...] = ([], [], [], [])
        self._columns = {name: np.empty(0, COLUMNS[name]) for name in ("registration", "operator", "owner")}

    def complete(
        self, members: dict[str, list[Any]], said: dict[str, list[Any]], airframes: list[Airframe | None], rows: RowMap
    ) -> Added:
        """Fill ``t``, ``desc``, ``dbFlags`` and ``military`` of the members in; see ``wire.encode``."""
        sources = (airframes, said["r"], said["ownOp"], said["year"])
        changed = self._changed(sources, rows)
        known = rows.listed(self._known)
        for row in changed:
            known[row] = self._make(
                members["hex"][row], airframes[row], said["r"][row], said["ownOp"][row], said["year"][row]
            )
        self._known, self._sources = known, sources
        self._columns = {name: rows.column(column) for name, column in self._columns.items()}
        if changed:
            made = [known[row] for row in changed]
            self._columns["registration"][changed] = texts([k.registration for k in made], COLUMNS["registration"])
            self._columns["operator"][changed] = [k.operator for k in made]
            self._columns["owner"][changed] = [k.owner for k in made]
        is_changed = np.zeros(len(rows), "?")
        is_changed[changed] = True
        self._fill(members, known)
        columns = self._columns | {"airframe_changed": is_changed}
        return Added([k.fragment for k in known], columns, self._names.all)

    def _changed(self, sources: tuple[list[Any], ...], rows: RowMap) -> list[int]:
        """The rows to be made anew; all of them where most names belong to aircraft that have left."""
        if len(self._names) > 4 * len(rows) + SPARE:
            self._names = Names()
            return list(range(len(rows)))
        changed: set[int] = set(rows.changed(sources[0], self._sources[0], is_not))
        for values, before in zip(sources[1:], self._sources[1:], strict=True):
            changed.update(rows.changed(values, before))
        return sorted(changed)

    @staticmethod
    def _fill(members: dict[str, list[Any]], added: list[_Known]) -> None:
        members["t"] = [
            known.type_code if value is UNSET else value for value, known in zip(members["t"], added, strict=True)
        ]
        members["desc"] = [
            known.type_name if value is UNSET else value for value, known in zip(members["desc"], added, strict=True)
        ]
        flags = members["dbFlags"] = [
            (value or 0) | known.flags if known.flags else value
            for value, known in zip(members["dbFlags"], added, strict=True)
        ]
        members["military"] = [bool(value and value & MILITARY) for value in flags]

    def _make(self, address: str, airframe: Airframe | None, registration: Said, owner: Said, year: Said) -> _Known:
        known = airframe or NOTHING_KNOWN
        details = Details(
            r=_either(registration, known.registration),
            ownOp=_either(owner, known.owner),
            operator=_either(UNSET, known.operator),
            year=_either(year, str(known.year) if known.year else None),
        )
        # The database may not have answered yet; the address alone tells at once.
        by_address = MILITARY if airframe is None and is_military_address(address) else 0
        return _Known(
            self._encoder.encode(details)[1:-1],
            details.r if isinstance(details.r, str) else None,
            self._names.index(details.operator),
            self._names.index(details.ownOp),
            known.type_code or UNSET,
            known.type_name or UNSET,
            known.flags | by_address,
        )


def interesting(flags: list[Any]) -> list[bool]:
    """Whether somebody has marked the aircraft as interesting, by dbFlags."""
    return [bool(value and value & INTERESTING) for value in flags]


def _either(said: Said, known: str | None) -> Said:
    if said is not UNSET and said != "":
        return said
    return known or UNSET
