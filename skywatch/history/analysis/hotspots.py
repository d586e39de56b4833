"""Near misses by cell, of archived days that ``skywatch batch FILE.ini hotspots`` has evaluated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from skywatch.archive.batch.results import FOLDER
from skywatch.archive.reading.questions import HotspotsQuestion
from skywatch.archive.reading.reader import reach_of
from skywatch.core.problems import Problem

JOB = "hotspots"
MAX_CELLS = 20_000
CELL_DEG = 0.1
_DAY = timedelta(days=1)


def hotspots(
    session: Session, begin: datetime, end: datetime, box: tuple[float, float, float, float] | None, military: bool
) -> dict[str, Any]:
    """The cells with near misses, those with the most critical ones first, and the days without a result.

    Raises Problem (503) where there is no archive or it cannot be read.
    """
    reach = reach_of(session)
    if reach is None:
        raise Problem("unavailable", "This installation has no archive (archive_url), from which near misses come.")
    question = HotspotsQuestion(
        files=[f"{FOLDER}/{JOB}"], begin=begin.timestamp(), end=end.timestamp(), military=military, box=box
    )
    found = reach.ask(question)
    cells = sorted(found["cells"], key=lambda cell: (-cell[4], -cell[3], -cell[2], cell[0], cell[1]))
    evaluated, day, missing = set(found["days"]), begin.astimezone(UTC).date(), []
    while datetime(day.year, day.month, day.day, tzinfo=UTC) < end:
        if day.isoformat() not in evaluated:
            missing.append(day.isoformat())
        day += _DAY
    names = ("lat", "lon", "info", "warning", "critical")
    return {
        "cell_deg": CELL_DEG,
        "count": len(cells),
        "truncated": len(cells) > MAX_CELLS,
        "missing_days": missing,
        "cells": [dict(zip(names, cell, strict=True)) for cell in cells[:MAX_CELLS]],
    }
