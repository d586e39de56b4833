"""The aircraft of interest in the picture, by the known list, their operator, their callsign or letters of an agency.

Works on columns: only new or changed callsigns and registrations are looked up one by one, and each operator's name
once. Patterns are the part of `watch`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.cannonball.identification.agencies import enforces_law
from skywatch.cannonball.identification.callsigns import agency_of_callsign, has_agency_initials, is_agency_registration
from skywatch.cannonball.tracker.interests.known_table import EMPTY, KnownTable
from skywatch.cannonball.vocabulary import Identification
from skywatch.picture.state.sky import Sky

NO_ADDRESS = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Interest:
    """The reason why an aircraft is of interest."""

    identification: Identification
    agency_name: str = ""
    verified: bool = False
    known_id: int | None = None
    military: bool = False


@lru_cache(maxsize=65536)
def _is_agency(name: str) -> bool:
    return bool(name) and enforces_law(name)


class InterestTable:
    """The aircraft of interest at each tick; ``table`` may be replaced at any time."""

    def __init__(self) -> None:
        self.table: KnownTable = EMPTY
        self._used: KnownTable = EMPTY
        # By the position on the list in use.
        self._interests: dict[int, Interest] = {}
        self._last: tuple[str, int] = ("", -1)
        self._addresses = np.empty(0, dtype=np.uint32)
        self._positions = np.empty(0, dtype=np.int64)
        self._flights = np.empty(0, dtype="S8")
        self._types = np.empty(0, dtype="S4")
        self._categories = np.empty(0, dtype="S2")
        self._callsigns: dict[str, str] = {}
        # Addresses of callsigns and registrations with an agency's letters.
        self._initials: set[str] = set()
        self._registrations: set[str] = set()
        self._names: tuple[str, ...] = ()
        self._is_agency = np.empty(0, dtype=np.bool_)  # of each name
        self._by_agency = np.empty(0, dtype=np.bool_)  # of each row: operated or owned by an agency

    def update(self, sky: Sky) -> None:
        """Update with the sky of a tick."""
        follows = self._last == (sky.epoch, sky.seq - 1)
        previous = sky.column("previous_row") if follows else np.full(len(sky), -1, dtype=np.int32)
        self._last = (sky.epoch, sky.seq)
        new = previous < 0
        self._look_up(sky, previous, new)
        self._read_callsigns(sky, previous, new)
        self._read_registrations(sky, previous, new)
        self._read_operators(sky)
        for address in sky.left:
            self._callsigns.pop(address, None)
        self._initials.difference_update(sky.left)
        self._registrations.difference_update(sky.left)

    @property
    def known_rows(self) -> npt.NDArray[np.intp]:
        """Rows of the last tick with an entry on the list."""
        return np.flatnonzero(self._positions >= 0)

    def rows(self, sky: Sky) -> set[int]:
        """Rows of the last tick that are of interest."""
        named = (sky.index.get(a) for a in (*self._callsigns, *self._initials, *self._registrations))
        listed = np.flatnonzero((self._positions >= 0) | self._by_agency)
        return {*listed.tolist(), *(row for row in named if row is not None)}

    def interests(self, sky: Sky, rows: npt.NDArray[np.intp]) -> list[Interest | None]:
        """For each of the rows what ``interest`` says."""
        places = zip(rows.tolist(), self._positions[rows].tolist(), strict=True)
        return [self._known(position) if position >= 0 else self.interest(sky, row) for row, position in places]

    def interest(self, sky: Sky, row: int) -> Interest | None:
        """The strongest reason why the aircraft of a row is of interest, or None."""
        position = int(self._positions[row])
        if position >= 0:
            return self._known(position)
        address = sky.hexes[row]
        if self._by_agency[row]:
            names = (sky.name("operator", row), sky.name("owner", row))
            return Interest(Identification.OPERATOR, next(name for name in names if _is_agency(name)))
        if address in self._callsigns:
            return Interest(Identification.CALLSIGN, self._callsigns[address])
        if address in self._initials or address in self._registrations:
            return Interest(Identification.SUFFIX)
        return None

    def _known(self, position: int) -> Interest:
        """The interest in an aircraft on the list, by its position there."""
        interest = self._interests.get(position)
        if interest is None:
            facts = self._used.facts(position)
            interest = self._interests[position] = Interest(
                Identification.KNOWN, facts.agency_name, facts.verified, facts.known_id, military=facts.military
            )
        return interest

    def known_ids(self, rows: npt.NDArray[np.intp]) -> list[int]:
        """The ids of the entries of rows among ``known_rows``."""
        ids: list[int] = self._used.ids[self._positions[rows]].tolist()
        return ids

    def _look_up(self, sky: Sky, previous: npt.NDArray[Any], new: npt.NDArray[np.bool_]) -> None:
        addresses = np.full(len(sky), NO_ADDRESS, dtype=np.uint32)
        positions = np.full(len(sky), -1, dtype=np.int64)
        addresses[~new] = self._addresses[previous[~new]]
        positions[~new] = self._positions[previous[~new]]
        for row in np.flatnonzero(new).tolist():
            address = sky.hexes[row]
            if not address.startswith("~"):
                addresses[row] = int(address, 16)
        table = self.table
        if table is not self._used:
            self._interests = {}
            positions = table.positions(addresses)
        else:
            positions[new] = table.positions(addresses[new])
        self._used, self._addresses, self._positions = table, addresses, positions

    def _read_callsigns(self, sky: Sky, previous: npt.NDArray[Any], new: npt.NDArray[np.bool_]) -> None:
        flights = sky.column("flight")
        before = np.zeros(len(sky), dtype="S8")
        before[~new] = self._flights[previous[~new]]
        self._flights = flights
        for row in np.flatnonzero(flights != before).tolist():
            address, callsign = sky.hexes[row], flights[row].decode("ascii", "replace")
            agency = agency_of_callsign(callsign)
            if agency is not None:
                self._callsigns[address] = agency
            else:
                self._callsigns.pop(address, None)
            _keep(self._initials, address, has_agency_initials(callsign))

    def _read_registrations(self, sky: Sky, previous: npt.NDArray[Any], new: npt.NDArray[np.bool_]) -> None:
        registrations, types, categories = (sky.column(name) for name in ("registration", "type", "category"))
        changed = new | sky.column("airframe_changed")
        changed[~new] |= types[~new] != self._types[previous[~new]]
        changed[~new] |= categories[~new] != self._categories[previous[~new]]
        self._types, self._categories = types, categories
        for row in np.flatnonzero(changed & (registrations != b"")).tolist():
            texts = (column[row].decode("ascii", "replace") for column in (registrations, types, categories))
            _keep(self._registrations, sky.hexes[row], is_agency_registration(*texts))

    def _read_operators(self, sky: Sky) -> None:
        if sky.names is not self._names:
            self._names = sky.names
            self._is_agency = np.fromiter(map(_is_agency, sky.names), dtype=np.bool_, count=len(sky.names))
        self._by_agency = self._is_agency[sky.column("operator")] | self._is_agency[sky.column("owner")]


def _keep(addresses: set[str], address: str, is_member: bool) -> None:
    if is_member:
        addresses.add(address)
    else:
        addresses.discard(address)
