"""The settings of the system feature."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class SystemSettings(Settings):
    """The settings of the system feature."""

    retention_health_days: float = setting(
        90.0, "changes of health are kept this long (days; 0: for ever)", minimum=0, stored=True
    )
    retention_health_mb: float = setting(
        5.0, "changes of health may take this much room (MB; 0: no limit)", minimum=0, stored=True
    )
