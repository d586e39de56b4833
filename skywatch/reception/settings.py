"""The settings of the quality of reception."""

from __future__ import annotations

import dataclasses

from skywatch.settings import RETENTION_DAYS, Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReceptionSettings(Settings):
    """The settings of the quality of reception."""

    retention_quality_days: float = setting(
        30.0, "retention of the quality of reception (days; 0: unlimited)", **RETENTION_DAYS
    )
