"""Reports for the picture from columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from skywatch.receivers.feeder_streams.reducer.columns import FIELDS, FIRST_LANE, ReducedColumns, address_of
from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.acas import describe_ra
from skywatch.receivers.mode_s.values import WRITE
from skywatch.receivers.reports.receiver_names import FEEDERS, TRUSTED_FEEDERS
from skywatch.receivers.reports.report import SOURCES, ReducedReport

# The receivers of what independent strangers agree on, which the sky shows for every feeder, and of what ours do.
AGREED_RECEIVER, TRUSTED_RECEIVER = FEEDERS, TRUSTED_FEEDERS
_INTEGERS = frozenset(FIELDS) - {"lat", "lon", "gs", "track", "mag_heading", "true_heading", "nav_heading", "nav_qnh"}


def reports_of(columns: ReducedColumns) -> list[ReducedReport]:
    """One report for each row, in the order of rows."""
    reports = [
        ReducedReport(
            hex=name,
            at=at,
            position_at=position_at,
            type=SOURCES[source],
            messages=messages,
            voices=voices,
            is_divided=is_divided,
        )
        for name, at, position_at, source, messages, voices, is_divided in zip(
            map(address_of, columns.address.tolist()),
            columns.at.tolist(),
            columns.position_at.tolist(),
            columns.source.tolist(),
            columns.messages.tolist(),
            columns.voices.tolist(),
            (columns.is_dissent & (columns.lane < FIRST_LANE)).tolist(),
            strict=True,
        )
    ]
    for place, name in enumerate(FIELDS):
        values = columns.values[:, place]
        rows = np.flatnonzero(~np.isnan(values))
        if len(rows):
            _set(reports, name, rows, _written(name, values[rows]))
    measured = np.flatnonzero(~np.isnan(columns.rssi))
    _set(reports, "rssi", measured, np.round(columns.rssi[measured].astype(np.float64), 1).tolist())
    for row in np.flatnonzero(columns.acas_ra).tolist():
        reports[row].acas_ra = describe_ra(int(columns.acas_ra[row]))
        reports[row].acas_ra_frames = int(columns.acas_ra_frames[row])
    return reports


def by_lane(columns: ReducedColumns) -> Iterator[tuple[int, list[ReducedReport], int]]:
    """Lane, reports and messages of each lane: what is agreed first."""
    if not len(columns):
        return
    lanes = columns.lane
    order = np.argsort(lanes, kind="stable")
    reports = reports_of(columns[order])
    starts = np.flatnonzero(np.diff(lanes[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    messages = columns.messages[order]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        yield int(lanes[order[start]]), reports[start:end], int(messages[start:end].sum())


def _written(name: str, values: Column) -> list[object]:
    if name in _INTEGERS:
        values = values.astype(np.int64)
    result: list[object] = WRITE.get(name, np.ndarray.tolist)(values)
    return result


def _set(reports: list[ReducedReport], name: str, rows: Column, values: list[object]) -> None:
    setter = getattr(ReducedReport, name).__set__
    for row, value in zip(rows.tolist(), values, strict=True):
        setter(reports[row], value)
