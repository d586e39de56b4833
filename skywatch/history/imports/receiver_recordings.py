"""Recordings of receivers (SBS, Beast, AVR, JSON Lines) as positions: each with what was last heard of its aircraft."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.history.imports.imported_points import EARLIEST, MILITARY, ON_GROUND, ROW, Rows, source_code
from skywatch.history.storage.points import address_code
from skywatch.inputs.options import Station
from skywatch.receivers import recordings
from skywatch.receivers.recordings import Kind, RecordingError
from skywatch.receivers.reports.report import Report, source_of_position

ROWS_AT_ONCE = 50_000
# Frames received within this time (s) are decoded together.
SLICE_S = 0.5
# A value is that of a position for so long (s).
VALID_S = 60.0
# Aircraft of which the last values are remembered; those heard longest ago go first.
MAX_AIRCRAFT = 50_000
_TEXTS = {"callsign": "flight", "squawk": "squawk", "category": "category", "registration": "r", "type": "t"}
_MILITARY = 1


class _Aircraft:
    """What was last heard of one aircraft; numbers with the time that they came (unix s)."""

    __slots__ = ("alt", "alt_at", "flags", "gs", "gs_at", "texts", "track", "track_at")

    def __init__(self) -> None:
        self.alt = self.gs = self.track = np.nan
        self.alt_at = self.gs_at = self.track_at = 0.0
        self.flags = 0
        self.texts = dict.fromkeys(_TEXTS, b"")

    def update(self, report: Report, at: float) -> None:
        if report.alt_baro == "ground":
            self.flags |= ON_GROUND
        elif isinstance(report.alt_baro, int | float):
            self.flags &= ~ON_GROUND
            self.alt, self.alt_at = report.alt_baro, at
        if report.gs is not UNSET:
            self.gs, self.gs_at = report.gs, at
        if report.track is not UNSET:
            self.track, self.track_at = report.track, at
        if isinstance(report.dbFlags, int) and report.dbFlags & _MILITARY:
            self.flags |= MILITARY
        for name, field in _TEXTS.items():
            value = getattr(report, field)
            if value is not UNSET and (text := value.strip()) and text.isascii():
                self.texts[name] = text.encode()

    def row(self, code: int, at: float, report: Report) -> tuple[Any, ...]:
        """The values of the row of a position."""
        alt, gs, track = (
            value if at - since <= VALID_S else np.nan
            for value, since in ((self.alt, self.alt_at), (self.gs, self.gs_at), (self.track, self.track_at))
        )
        return (
            code, at, report.lat, report.lon, alt, gs, track, self.flags, source_code(source_of_position(report)),
            *self.texts.values(), _number(report.alt_geom), _number(report.nav_qnh),
        )  # fmt: skip


def _number(value: Any) -> float:
    """A number of a report, 0 where it is not sent."""
    return 0.0 if value is UNSET or value is None else float(value)


def read(
    path: str,
    kind: Kind,
    station: Station,
    range_nm: float,
    start: float | None,
    skipped: Counter[str],
    on_read: Callable[[int], object],
) -> Iterator[Rows]:
    """The positions of a recording, some at a time; ``start`` is the time of the first that has no date.

    Raises RecordingError where the file is damaged, or has no dates and ``start`` is None.
    """
    aircraft: dict[str, _Aircraft] = {}
    rows: list[tuple[Any, ...]] = []
    shift, undated, dated = None, 0, 0
    for moment in recordings.moments(path, kind, station, skipped, slice_s=SLICE_S, on_read=on_read, range_nm=range_nm):
        if moment.at < EARLIEST and start is not None and shift is None:
            shift = start - moment.at
        for report in moment.batch.reports:
            state = aircraft.pop(report.hex, None) or _Aircraft()
            aircraft[report.hex] = state
            at = report.at or moment.at
            state.update(report, at)
            if report.lat is UNSET or report.lon is UNSET:
                continue
            position_at = report.position_at or at
            is_dated = position_at >= EARLIEST
            dated, undated = dated + is_dated, undated + (not is_dated)
            if is_dated or shift is not None:
                row = state.row(address_code(report.hex), position_at, report)
                rows.append(row if is_dated else (row[0], position_at + (shift or 0.0), *row[2:]))
        while len(aircraft) > MAX_AIRCRAFT:
            del aircraft[next(iter(aircraft))]
        if len(rows) >= ROWS_AT_ONCE:
            yield np.array(rows, ROW)
            rows = []
    if undated and not dated and start is None:
        raise RecordingError("has no dates: say with --start when it begins, such as --start 2026-11-24T08:00:00Z")
    skipped["date"] += undated if shift is None else 0
    if rows:
        yield np.array(rows, ROW)
