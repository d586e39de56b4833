"""What a day of history is read from: the rows of the archive as points and flights."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple, Protocol

import numpy as np

from skywatch.airframes.military import MilitaryAircraft
from skywatch.archive.batch.archived_rows import ArchivedRows
from skywatch.history.storage.points import MILITARY, Points, identity, in_order, no_points


class FlightFacts(NamedTuple):
    """What is read of a flight."""

    id: int
    icao_hex: str
    callsign: str | None
    registration: str | None
    aircraft_type: str | None
    category: str | None
    squawk: str | None
    military: bool
    last_seen_at: float


class Rows(Protocol):
    """Points and flights of some days, wherever they come from; times are unix seconds."""

    def points(self, hour: int) -> Points:
        """The points of the hour that begins at ``hour``, in order."""
        ...

    def flights(self, day: date) -> list[FlightFacts]:
        """The flights that began on a day, by ``id``."""
        ...

    def has(self, day: date) -> bool:
        """Whether there may be rows of a day."""
        ...


class RowsOfArchive:
    """The rows of the archive; ``military`` says of some aircraft what is known by now."""

    def __init__(self, archived: ArchivedRows, military: MilitaryAircraft) -> None:
        self._archived = archived
        self._military = military

    def points(self, hour: int) -> Points:
        """As ``Rows``; raises DayError and ArchiveStorageError."""
        from skywatch.history.storage.archive_columns import points_of

        table = self._archived.positions(hour)
        if table is None:
            return no_points()
        points = points_of(table)
        is_military = self._military.mask(identity(points), points["aircraft"] & MILITARY > 0)
        points["aircraft"] = np.where(is_military, points["aircraft"] | MILITARY, identity(points))
        return in_order(points)

    def flights(self, day: date) -> list[FlightFacts]:
        """As ``Rows``; raises DayError and ArchiveStorageError."""
        table = self._archived.flights(day, list(FlightFacts._fields))
        if table is None:
            return []
        columns: dict[str, list[Any]] = {name: table[name].to_pylist() for name in FlightFacts._fields}
        marked = zip(columns["icao_hex"], columns["military"], strict=True)
        columns["military"] = [self._military.includes(address, was_marked=mark) for address, mark in marked]
        columns["last_seen_at"] = [at.timestamp() for at in columns["last_seen_at"]]
        return sorted(FlightFacts(*values) for values in zip(*columns.values(), strict=True))

    def has(self, day: date) -> bool:
        """As ``Rows``."""
        return self._archived.has(day)
