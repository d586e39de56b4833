"""What the child process is asked and what it answers, as MessagePack (``skywatch.core.process.children``)."""

from __future__ import annotations

from typing import Any

import msgspec

# Stands for an unknown altitude in columns that go between the processes.
NO_ALTITUDE = -(2**31)
UNKNOWN = -1


class Opening(msgspec.Struct):
    """The first frame: the storage and its settings, and the memory of a query (MB)."""

    url: str
    endpoint: str
    region: str
    access_key: str
    secret_key: str
    memory_mb: int


class PositionsQuestion(msgspec.Struct, tag="positions"):
    """Points of ``files`` (paths below the storage) with ``begin_cs <= at_cs <= end_cs``, of one aircraft or all.

    ``box`` is west, south, east and north in 0.00001 degrees; points just outside it may be in the answer.
    """

    files: list[str]
    begin_cs: int
    end_cs: int
    icao: int | None = None
    box: list[int] | None = None


class FileQuestion(msgspec.Struct, tag="file"):
    """The bytes of a small file, the only one of ``files``."""

    files: list[str]
    most: int


class HashQuestion(msgspec.Struct, tag="hash"):
    """What the files are: time of change and size of each, and its hash where these are not those of ``known``.

    The answer has (time of change in ns, size, SHA-256 or None) for each file.
    """

    files: list[str]
    known: list[tuple[int, int] | None]


class SlicesQuestion(msgspec.Struct, tag="slices"):
    """In which slices of ``slice_cs`` there are points, as their begins in 10 ms."""

    files: list[str]
    begin_cs: int
    end_cs: int
    slice_cs: int


class Condition(msgspec.Struct):
    """A condition on flights: column, operator (one of ``OPERATORS``) and value."""

    column: str
    operator: str
    value: Any


class KnownMilitary(msgspec.Struct, frozen=True):
    """Aircraft that are military, and that are not, whatever archived rows say: addresses with spaces between them."""

    military: str = ""
    civil: str = ""


class FlightsQuestion(msgspec.Struct, tag="flights"):
    """Flights of ``files`` and ``extra`` that meet the conditions, the newest first, and how many there are.

    ``columns`` are those of the answer; moments are microseconds since 1970. ``extra`` are rows (all ``columns``) that
    take the place of archived ones with the same ``id``. ``before`` is (first_seen_at, id) of the last row of the page
    before. ``known`` corrects the column ``military``.
    """

    files: list[str]
    columns: list[str]
    conditions: list[Condition]
    limit: int
    counted: bool
    before: tuple[int, int] | None = None
    extra: list[list[Any]] = []
    known: KnownMilitary = KnownMilitary()


class StatisticsQuestion(msgspec.Struct, tag="statistics"):
    """Flights of ``files`` and ``extra`` that meet the conditions, counted by day, aircraft, type and operator."""

    files: list[str]
    columns: list[str]
    conditions: list[Condition]
    extra: list[list[Any]] = []
    known: KnownMilitary = KnownMilitary()


class HotspotsQuestion(msgspec.Struct, tag="hotspots"):
    """Near misses by cell of the hours that begin in a span (unix seconds), from the results of the job of that name.

    ``files`` is the folder of the results, ``box`` (west, south, east, north) restricts to cells whose centre is in it.
    """

    files: list[str]
    begin: float
    end: float
    military: bool
    box: tuple[float, float, float, float] | None = None


Question = (
    FileQuestion
    | HashQuestion
    | PositionsQuestion
    | SlicesQuestion
    | FlightsQuestion
    | StatisticsQuestion
    | HotspotsQuestion
)


class Answer(msgspec.Struct):
    """``value`` is the answer; ``fault`` says why there is none: ``damaged``, ``storage``, ``memory``, ``fault``, or
    ``day`` for a day that ``detail`` names.
    """

    value: Any = None
    fault: str = ""
    detail: str = ""
    file: str = ""
