"""The metrics of the archive."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import counter, gauge

ARCHIVE_DAYS = counter("skywatch_archive_days_total", "Days archived, those archived again included")
ARCHIVE_BYTES = counter("skywatch_archive_written_bytes_total", "Bytes written to the archive")
ARCHIVE_FAILURES = counter("skywatch_archive_failures_total", "Runs of archiving that failed")
ARCHIVE_WAITING = gauge("skywatch_archive_waiting_days", "Complete days that are not archived yet")
ARCHIVE_QUERIES = counter("skywatch_archive_queries_total", "Queries over the archive", "outcome")
