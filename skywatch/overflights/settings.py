"""The settings of overflights."""

from __future__ import annotations

import dataclasses

from skywatch.settings import RETENTION_DAYS, Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class OverflightSettings(Settings):
    """The settings of overflights."""

    retention_editions_days: float = setting(
        400.0, "retention of editions of reports (days; 0: unlimited)", **RETENTION_DAYS
    )
