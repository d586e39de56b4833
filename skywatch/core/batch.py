"""What a feature declares of its work over archived days (``Feature.batch``), and what such work is given of a day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

# One point of a track: unix s, latitude, longitude, altitude (ft), speed (kt), track (degrees), on the ground, a gap
# before it; None where unknown.
TrackPoint = tuple[float, float, float, float | None, float | None, float | None, bool, bool]


@dataclass(frozen=True, slots=True)
class PastFlight:
    """An archived flight."""

    id: int
    icao_hex: str
    callsign: str | None
    military: bool


@dataclass(frozen=True, slots=True)
class TrackPart:
    """Points of a flight in order of time; ``is_last``: the flight has no more (it may have none here)."""

    flight: PastFlight
    points: Iterable[TrackPoint]
    is_last: bool


class PastDay(Protocol):
    """A day (UTC) of the past, with the days around it as far as they are there; times are unix seconds."""

    @property
    def day(self) -> date:
        """The day."""
        ...

    @property
    def begin(self) -> float:
        """Its begin."""
        ...

    @property
    def end(self) -> float:
        """Its end."""
        ...

    @property
    def station(self) -> tuple[float, float] | None:
        """Where the receiver was."""
        ...

    def tracks(self) -> Iterator[TrackPart]:
        """The tracks of the flights that began on the day, to their ends, in pieces; those of a flight in order."""
        ...

    def skies(self, begin: float, end: float, step_s: float) -> Iterator[Any]:
        """The picture (``skywatch.picture.state.sky.Sky``) every ``step_s``, positions brought to each moment.

        It has what stored points and flights have; positions count as the aircraft's own. Five minutes after the last
        aircraft has left there are none until the next one comes.
        """
        ...

    def moments(self, begin: float, end: float, step_s: float) -> Iterator[bytes]:
        """The picture every ``step_s`` as encoded JSON (``{now, aircraft}``), as ``Feature.past_pictures`` yields.

        Two hours after the last aircraft has left there are none until the next one comes.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class BatchJob:
    """Work over archived days, a day a task.

    ``run`` is ``module:function(day, options)``, which yields the rows of a day's result in an order that depends on
    the day alone; ``columns`` are their names and types: ``int``, ``float``, ``text``, ``bool`` or ``moment`` (unix
    seconds). ``prepare`` is ``module:function(session, settings)``, which returns the ``Options`` of all days.
    ``before`` and ``after``: the work reads from the day before and the day after. ``needs_station``: without the
    station's position there is no result. ``note`` is told with each run.
    """

    name: str
    columns: Mapping[str, str]
    run: str
    prepare: str = ""
    before: bool = False
    after: bool = False
    needs_station: bool = False
    note: str = ""


@dataclass(frozen=True)
class Options:
    """What all days of a job have in common; ``notes`` are lines for the administrator."""

    data: bytes = b""
    notes: tuple[str, ...] = ()
