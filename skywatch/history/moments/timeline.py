"""When something was recorded: how many aircraft there were along a span, and the first moment that shows one."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import hidden_from
from skywatch.core.arrays import distinct
from skywatch.core.clock import to_datetime
from skywatch.history.flights.filter import FlightFilter
from skywatch.history.flights.service import flight_times
from skywatch.history.models import Chunk
from skywatch.history.moments.interpolation import sweep
from skywatch.history.storage.archived_points import slices_with_points
from skywatch.history.storage.points import AT_S, SEGMENT_S, SLICE_S
from skywatch.history.storage.reader import Span, read, read_slices
from skywatch.history.storage.shards import slice_of, slices
from skywatch.history.storage.tail import read_tail
from skywatch.security.visibility import Visibility

Counts = npt.NDArray[np.int64]


def timeline(session: Session, begin: datetime, end: datetime, bins: int, visibility: Visibility) -> dict[str, Any]:
    """Flights under way in each of ``bins`` equal parts of the span, and when the replay of it first shows aircraft.

    Flights outlive their tracks: parts of which no track is stored count nothing.
    """
    first, last = _flights(session, begin, end, visibility)
    span = Span(begin.timestamp(), end.timestamp(), hidden=hidden_from(visibility, session))
    step_s = (span.end - span.begin) / bins
    counts = overlaps(first, last, span.begin, step_s, bins)
    counts[~_is_recorded(session, span, step_s, bins)] = 0
    first_at = _first_moment(session, span, float(first.min())) if len(first) else None
    return {
        "from": begin,
        "to": end,
        "step_s": step_s,
        "first_at": None if first_at is None else to_datetime(first_at),
        "aircraft": counts.tolist(),
    }


def overlaps(first: npt.NDArray[Any], last: npt.NDArray[Any], begin: float, step_s: float, bins: int) -> Counts:
    """How many intervals from ``first`` to ``last`` touch each of ``bins`` parts of ``step_s`` from ``begin`` on."""
    edges = np.zeros(bins + 1, np.int64)
    if len(first) and step_s > 0:
        np.add.at(edges, np.clip((first - begin) // step_s, 0, bins - 1).astype(np.int64), 1)
        np.add.at(edges, np.clip((last - begin) // step_s, 0, bins - 1).astype(np.int64) + 1, -1)
    return np.cumsum(edges)[:bins]


def _flights(
    session: Session, begin: datetime, end: datetime, visibility: Visibility
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """First and last times (unix seconds) of the flights with positions that the caller may see."""
    spans = flight_times(session, FlightFilter(begin=begin, end=end), visibility, with_positions=True)
    times = [(first.timestamp(), last.timestamp()) for first, last in spans]
    columns = np.array(times, np.float64).reshape(len(times), 2)
    return columns[:, 0], columns[:, 1]


def _is_recorded(session: Session, span: Span, step_s: float, bins: int) -> npt.NDArray[np.bool_]:
    """Which parts of the span touch a slice of which points are stored."""
    within = Chunk.slice_at.between(slice_of(span.begin), slice_of(span.end))
    begins = set(session.scalars(sa.select(Chunk.slice_at).where(within).distinct()))
    begins |= set(slices_with_points(session, span))
    stored = np.array(sorted(begins | set(distinct(slices(read_tail(session))).tolist())), np.float64)
    parts = span.begin + step_s * np.arange(bins)
    before, after = np.searchsorted(stored, parts - SLICE_S, "right"), np.searchsorted(stored, parts + step_s, "right")
    return after > before


def _first_moment(session: Session, span: Span, first_flight: float) -> float | None:
    """The first moment (unix seconds) of the span with an aircraft that the caller may see."""
    points = read(session, replace(span, begin=span.begin - SEGMENT_S, end=span.begin + SEGMENT_S))
    if any(batch.counts.sum() for batch in sweep(points, np.array([round(span.begin * 1000)]))):
        return span.begin
    for _, in_slice in read_slices(session, replace(span, begin=max(span.begin, first_flight))):
        within = span.within(in_slice)
        if len(within):
            return float(within["at"].min() * AT_S)
    return None
