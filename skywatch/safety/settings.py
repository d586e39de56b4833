"""The settings of safety events; the thresholds of detectors, which change at run time, are in ``thresholds``."""

from __future__ import annotations

import dataclasses

from skywatch.settings import ARCHIVE_KEEP, AS_ARCHIVE_KEEP_DAYS, RETENTION_DAYS, RETENTION_MB, Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class SafetySettings(Settings):
    """The settings of safety events."""

    retention_safety_days: float = setting(
        365.0, "retention of safety events and disturbed regions (days; 0: unlimited)", **RETENTION_DAYS
    )
    retention_safety_mb: float = setting(0.0, "largest size of safety events (MB; 0: unlimited)", **RETENTION_MB)
    archive_keep_safety_days: float = setting(
        AS_ARCHIVE_KEEP_DAYS,
        "how long archived safety events stay (days; 0: for ever; -1: as archive_keep_days)",
        **ARCHIVE_KEEP,
    )
