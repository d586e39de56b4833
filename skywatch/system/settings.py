"""The settings of the system feature."""

from __future__ import annotations

import dataclasses

from skywatch.settings import RETENTION_DAYS, RETENTION_MB, Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class SystemSettings(Settings):
    """The settings of the system feature."""

    retention_health_days: float = setting(
        90.0, "retention of changes of health (days; 0: unlimited)", **RETENTION_DAYS
    )
    retention_health_mb: float = setting(5.0, "largest size of changes of health (MB; 0: unlimited)", **RETENTION_MB)
