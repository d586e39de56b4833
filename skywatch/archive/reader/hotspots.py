"""Near misses by cell, from the results of the job ``hotspots``, which are small: each is hashed and read whole."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import parquet as pq

from skywatch.archive.contents.results import evaluated_days, read_file, read_result, results_of
from skywatch.archive.errors import DayError
from skywatch.archive.reader.questions import HotspotsQuestion
from skywatch.archive.storage import ArchiveStorage

JOB = "hotspots"
COUNTS = ("info", "warning", "critical")
CELL = ("lat_cell", "lon_cell")
# Cells have a tenth of a degree.
CELLS_A_DEGREE = 10
# How often a result is read that is being replaced.
TRIES = 3


def hotspots(reader: Any, question: HotspotsQuestion) -> dict[str, Any]:
    """``cells``: latitude and longitude of the centre, info, warning, critical; ``days``: those that have a result."""
    storage = results_of(reader.settings, JOB)
    first = datetime.fromtimestamp(question.begin, UTC).date()
    last = datetime.fromtimestamp(question.end, UTC).date()
    days, tables = [], []
    for day in evaluated_days(storage):
        if first <= day <= last and (data := _read(storage, day)) is not None:
            days.append(day.isoformat())
            if data:
                tables.append(_of_span(data, day, question))
    cells = _cells(pa.concat_tables(tables), question) if tables else []
    return {"days": days, "cells": cells}


def _read(storage: ArchiveStorage, day: date) -> bytes | None:
    """The file of a day's result, None where there is none; raises DayError."""
    for attempt in range(1, TRIES + 1):
        manifest = read_result(storage, JOB, day)
        try:
            return None if manifest is None else read_file(storage, day, manifest)
        except DayError:
            if attempt == TRIES:
                raise
    return None


def _of_span(data: bytes, day: date, question: HotspotsQuestion) -> Any:
    """Cells and counts of the hours of the span."""
    counts = COUNTS if question.military else tuple(f"{name}_civil" for name in COUNTS)
    try:
        table = pq.read_table(pa.BufferReader(data), columns=["hour", *CELL, *counts], use_threads=False)
    except (pa.ArrowException, OSError):
        raise DayError(day, f"has a damaged result of {JOB}: its file cannot be read") from None
    hour = pc.cast(table["hour"], pa.int64())
    is_within = pc.and_(pc.greater_equal(hour, question.begin * 1000), pc.less(hour, question.end * 1000))
    return table.filter(is_within).drop_columns(["hour"]).rename_columns([*CELL, *COUNTS])


def _cells(table: Any, question: HotspotsQuestion) -> list[list[float]]:
    from skywatch.core import geo

    sums = table.group_by(list(CELL), use_threads=False).aggregate([(name, "sum") for name in COUNTS])
    lat, lon = ((sums[name].to_numpy() + 0.5) / CELLS_A_DEGREE for name in CELL)
    counts = [sums[f"{name}_sum"].to_numpy() for name in COUNTS]
    is_shown = sum(counts) > 0
    if question.box is not None:
        is_shown &= geo.inside_box(lat, lon, *question.box)
    columns = [values[is_shown].tolist() for values in (lat.round(6), lon.round(6), *counts)]
    return [list(cell) for cell in zip(*columns, strict=True)]
