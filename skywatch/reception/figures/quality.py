"""The quality of one receiver from its stored hours: range by bearing, signals, and how it went."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.geo import SECTOR_DEG, SECTORS
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.picture.counted import counted
from skywatch.reception.connections.storage import connections
from skywatch.reception.measurement.codec import Detail, is_readable, unpack_detail, unpack_summaries
from skywatch.reception.measurement.hour import (
    BINS,
    HOUR_S,
    MINUTE_S,
    MINUTES,
    RANGE_UNIT_NM,
    SPAN_S,
    SUMS,
    WEAKEST_DBFS,
    Array,
)
from skywatch.reception.models import ReceiverQuality

log = logging.getLogger(__name__)

HISTORY = timedelta(days=30)
# By minute in this time, by hour before it.
BY_MINUTE = timedelta(days=1)
# What counts as now for ranges and signals.
NOW = timedelta(hours=1)
# Places that differ by less are one (degrees): 100 m.
SAME_PLACE_DEG = 0.001

_faults = FaultLog(log, "stored minutes of reception cannot be read", "stored minutes of reception can be read")
_rows: Any = ReceiverQuality.__table__


def quality(session: Session, receiver: str, now: datetime) -> dict[str, Any]:
    """The answer about a receiver by its name in the picture; one that was never heard has no numbers in it."""
    times, summaries, details = _stored(session, receiver, now)
    day_ago = (now - BY_MINUTE).timestamp()
    recent = list(_recent_spans(details, (now - NOW).timestamp()))
    return {
        "range": _range(summaries, recent),
        "signal": _signal(details, recent, (now - NOW).timestamp()),
        "series": list(_series(times, summaries, details, day_ago)),
        "connections": connections(session, receiver, now - HISTORY, now),
    }


def greatest_ranges(session: Session, receiver: str, now: datetime) -> tuple[tuple[float, float], Array, Array] | None:
    """Where a receiver is measured from (degrees), and its greatest ranges by sector (nm): now, and of 30 days.

    None for one that was never heard, or whose place is unknown.
    """
    _, summaries, details = _stored(session, receiver, now)
    if not len(summaries) or np.isnan(summaries["origin"][-1]).any():
        return None
    lat, lon = summaries["origin"][-1].tolist()
    ranges = [spans for spans, _ in _recent_spans(details, (now - NOW).timestamp())]
    newest = np.max([np.zeros(SECTORS), *ranges], axis=0) * RANGE_UNIT_NM
    return (lat, lon), newest, _measured_from_the_newest_place(summaries)["ranges"].max(axis=0) * RANGE_UNIT_NM


def _stored(session: Session, receiver: str, now: datetime) -> tuple[Array, Array, list[tuple[float, Detail]]]:
    """The hours of 30 days: when each began (unix s), its summary, and the minutes of those of the last day."""
    begin = (now - HISTORY).replace(minute=0, second=0, microsecond=0)
    query = (
        sa.select(_rows.c.at, _rows.c.summary, _rows.c.detail)
        .where(_rows.c.receiver == receiver, _rows.c.at >= begin, counted(session, _rows.c.simulated))
        .order_by(_rows.c.at)
    )
    rows = [row for row in session.execute(query) if is_readable(row.summary)]
    times = np.array([row.at.timestamp() for row in rows], "f8")
    day_ago = (now - BY_MINUTE).timestamp()
    details = [
        (at, detail)
        for at, row in zip(times.tolist(), rows, strict=True)
        if at + HOUR_S > day_ago and (detail := _detail(row.detail)) is not None
    ]
    return times, unpack_summaries([row.summary for row in rows]), details


def _detail(packed: bytes | None) -> Detail | None:
    """The minutes of an hour; None where they are gone, or of another release."""
    if packed is None:
        return None
    try:
        return unpack_detail(packed)
    except ValueError as error:
        _faults.failed(str(error))
        return None


def _recent_spans(details: Sequence[tuple[float, Detail]], since: float) -> Iterator[tuple[Array, Array]]:
    """Ranges and signals of the spans of ten minutes that ended after this time."""
    for at, detail in details:
        for number in range(len(detail.ranges)):
            if at + (number + 1) * SPAN_S > since:
                yield detail.ranges[number], detail.signals[number]


def _range(summaries: Array, recent: Sequence[tuple[Array, Array]]) -> list[dict[str, Any]]:
    """The greatest distance of each sector: now, and over the hours that were measured from the same place."""
    hours = _measured_from_the_newest_place(summaries)["ranges"].reshape(-1, SECTORS).astype("f8") * RANGE_UNIT_NM
    hours[hours == 0] = np.nan
    now = np.zeros(SECTORS)
    for ranges, _ in recent:
        now = np.maximum(now, ranges)
    result = []
    for sector in range(SECTORS):
        heard = hours[:, sector][~np.isnan(hours[:, sector])]
        result.append(
            {
                "bearing": sector * SECTOR_DEG,
                "now_nm": round(float(now[sector]) * RANGE_UNIT_NM, 1) if now[sector] else None,
                "p50_30d_nm": round(float(np.median(heard)), 1) if len(heard) else None,
                "max_30d_nm": round(float(heard.max()), 1) if len(heard) else None,
            }
        )
    return result


def _measured_from_the_newest_place(summaries: Array) -> Array:
    if not len(summaries):
        return summaries
    apart = np.abs(summaries["origin"] - summaries["origin"][-1]).max(axis=1)
    same: Array = summaries[apart < SAME_PLACE_DEG]
    return same


def _signal(
    details: Sequence[tuple[float, Detail]], recent: Sequence[tuple[Array, Array]], since: float
) -> dict[str, Any]:
    counts = np.zeros(BINS, "i8")
    for _, signals in recent:
        counts += signals
    minutes = [np.empty(0, SUMS)]
    for at, detail in details:
        # Whole spans, as they were counted in the histogram.
        begins = at + np.arange(MINUTES) * MINUTE_S
        minutes.append(detail.minutes[begins + SPAN_S - begins % SPAN_S > since])
    sums = np.concatenate(minutes)
    total = int(sums["signals"].sum())
    return {
        "histogram": [{"dbfs": WEAKEST_DBFS + place, "count": int(count)} for place, count in enumerate(counts)],
        "strong_share": _share(int(sums["strong"].sum()), total),
        "weak_share": _share(int(sums["weak"].sum()), total),
    }


def _series(
    times: Array, summaries: Array, details: Sequence[tuple[float, Detail]], day_ago: float
) -> Iterator[dict[str, Any]]:
    with_minutes = {at for at, _ in details}
    for at, sums in zip(times.tolist(), summaries["sums"], strict=True):
        if at not in with_minutes:
            yield _point(at, sums)
    for at, detail in details:
        for number in np.flatnonzero(detail.minutes["seconds"]).tolist():
            begin = at + number * MINUTE_S
            if begin > day_ago:
                yield _point(begin, detail.minutes[number])


def _point(at: float, sums: Any) -> dict[str, Any]:
    seconds, samples = max(1, int(sums["seconds"])), max(1, int(sums["samples"]))
    return {
        "at": datetime.fromtimestamp(at, UTC),
        "messages_s": round(int(sums["messages"]) / seconds, 2),
        "positions_s": round(int(sums["positions"]) / seconds, 2),
        "aircraft": round(int(sums["aircraft"]) / samples, 1),
        "max_range_nm": round(int(sums["range"]) * RANGE_UNIT_NM, 1) if sums["range"] else None,
        "strong_share": _share(int(sums["strong"]), int(sums["signals"])),
        "duplicates_share": _share(int(sums["duplicates"]), int(sums["messages"])),
        "disputes_share": _share(int(sums["refused"]), int(sums["positions"])),
    }


def _share(count: int, of: int) -> float | None:
    return round(min(1.0, count / of), 4) if of else None
