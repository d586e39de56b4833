"""The feature declaration of history."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.history.settings import HistorySettings

FEATURE = Feature(
    name="history",
    title="history",
    parts={
        "history_writer": "Storage of flights",
    },
    settings=HistorySettings,
    metrics="skywatch.history.metrics",
    include="skywatch.history",
    monitor="skywatch.history.monitor:create",
    retention="skywatch.history.retention:KINDS",
    archived="skywatch.history.archiving.kinds:KINDS",
    batch="skywatch.history.batch.coverage:JOBS",
    past_day="skywatch.history.batch.day:day_of_archive",
    flights="skywatch.history.models:FLIGHTS",
    past_pictures="skywatch.history.moments.service:past_pictures",
    commands={"history": "skywatch.history.command:history"},
    tags={
        "history": "Flights, tracks, past pictures, replay, exports, heatmap, coverage and statistics.",
    },
)
