"""What a day of history is read from: the rows of the archive as points and flights."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple, Protocol

from skywatch.archive.batch.rows import ArchivedRows
from skywatch.history.storage.points import Points, in_order, no_points


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
    """The rows of the archive."""

    def __init__(self, archived: ArchivedRows) -> None:
        self._archived = archived

    def points(self, hour: int) -> Points:
        """As ``Rows``; raises DayError and PlaceError."""
        from skywatch.history.archiving.columns import points_of

        table = self._archived.positions(hour)
        return no_points() if table is None else in_order(points_of(table))

    def flights(self, day: date) -> list[FlightFacts]:
        """As ``Rows``; raises DayError and PlaceError."""
        table = self._archived.flights(day, list(FlightFacts._fields))
        if table is None:
            return []
        columns: dict[str, list[Any]] = {name: table[name].to_pylist() for name in FlightFacts._fields}
        columns["last_seen_at"] = [at.timestamp() for at in columns["last_seen_at"]]
        return sorted(FlightFacts(*values) for values in zip(*columns.values(), strict=True))

    def has(self, day: date) -> bool:
        """As ``Rows``."""
        return self._archived.has(day)
