"""The settings of alerts."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlertSettings(Settings):
    """The settings of alerts."""

    alerts_import_max_bytes: int = setting(
        16_777_216,
        "largest list of rules, geofences or watched aircraft that the REST API imports (bytes)",
        minimum=1024,
    )
    retention_alerts_days: float = setting(365.0, "retention of alerts (days; 0: unlimited)", minimum=0, stored=True)
    retention_alerts_mb: float = setting(0.0, "largest size of alerts (MB; 0: unlimited)", minimum=0, stored=True)
