"""What a feature declares of its work over archived days (``BatchJobs``), and what such work is given of a day."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

from skywatch.core.feature import FeatureSet, by_name
from skywatch.core.hooks import Hook

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from skywatch.settings import Settings

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
        """The picture every ``step_s`` as encoded JSON (``{now, aircraft}``), as ``PastPictures`` yields.

        Two hours after the last aircraft has left there are none until the next one comes.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class BatchJob:
    """Work over archived days, a day a task.

    ``run(day, options)`` yields the rows of a day's result in an order that depends on the day alone; ``columns`` are
    their names and types: ``int``, ``float``, ``text``, ``bool`` or ``moment`` (unix seconds).
    ``prepare(session, settings)`` returns the ``Options`` of all days.
    ``before`` and ``after``: the work reads from the day before and the day after. ``needs_station``: without the
    station's position there is no result. ``note`` is told with each run.
    """

    name: str
    columns: Mapping[str, str]
    run: Callable[[Any, bytes], Iterator[tuple[Any, ...]]]
    prepare: Callable[[Session, Settings], Options] | None = None
    before: bool = False
    after: bool = False
    needs_station: bool = False
    note: str = ""


@dataclass(frozen=True)
class Options:
    """What all days of a job have in common; ``notes`` are lines for the administrator."""

    data: bytes = b""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class BatchJobs(Hook):
    """Work over archived days."""

    jobs: Callable[[], Sequence[BatchJob]]


def batch_jobs(features: FeatureSet) -> dict[str, BatchJob]:
    """The work over archived days that the features of the installation have, by name."""
    jobs = (job for hook in features.provided(BatchJobs) for job in hook.jobs())
    return dict(sorted(by_name(jobs, "batch job").items()))
