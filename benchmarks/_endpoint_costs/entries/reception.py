"""The quality of reception."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import numpy as np
import sqlalchemy as sa

from benchmarks._endpoint_costs.entries import feeders
from benchmarks._endpoint_costs.entry import API, Ask, Entries, Entry, prepared, read
from benchmarks._endpoint_costs.installation import Installation
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.feeders.models import Feeder
from skywatch.reception.measurement.collector import Entry as Measured
from skywatch.reception.measurement.hour import HOUR_S, MINUTE_S, Hour
from skywatch.reception.measurement.writer import QualityWriter

HOURS = 30 * 24
# The feeder that was measured: other requests begin with the oldest.
NEWEST = sa.select(sa.func.max(Feeder.id))


def fill(installation: Installation) -> None:
    """Store 30 days of a receiver of the settings and of a feeder."""
    feeders.fill(installation)
    hour = Hour((47.45, 8.56))
    for second in range(0, HOUR_S, MINUTE_S):
        minute = hour.minutes[second // MINUTE_S]
        minute["seconds"], minute["samples"], minute["messages"], minute["positions"] = 60, 6, 60_000, 6_000
        hour.count_signals(second, np.linspace(-45, -1, 200))
        hour.note_ranges(second, np.arange(36) * 10.0, np.linspace(50, 250, 36))
    present = utcnow().replace(minute=0, second=0, microsecond=0)
    with writing(installation.runtime.sessions) as session:
        for receiver in ("roof", f"feeder-{session.scalar(NEWEST)}"):
            entries = [Measured(receiver, present - timedelta(hours=ago), hour) for ago in range(HOURS)]
            QualityWriter().write(session, entries)


def of_feeder(what: str) -> Callable[[Installation], Ask]:
    """The request for ``quality`` or ``coverage`` of the feeder that was measured."""

    def ask(installation: Installation) -> Ask:
        with installation.runtime.sessions() as session:
            return Ask(f"{API}/feeders/{session.scalar(NEWEST)}/{what}", None)

    return ask


def measured(what: str, path: str) -> Entry:
    """An entry over 30 days of measurements."""
    return prepared(read(what, path), fill)


ENTRIES: Entries = {
    "GET /api/v1/system/reception": [read("a day", "/system/reception")],
    "GET /api/v1/system/receivers/{name}/quality": [measured("30 days", "/system/receivers/roof/quality")],
    "GET /api/v1/feeders/{id}/quality": [prepared(Entry("30 days", of_feeder("quality")), fill)],
    "GET /api/v1/feeders/{id}/coverage": [prepared(Entry("30 days", of_feeder("coverage")), fill)],
}
