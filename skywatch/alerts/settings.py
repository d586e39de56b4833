"""The settings of alerts."""

from __future__ import annotations

import dataclasses

from skywatch.settings import ARCHIVE_KEEP, AS_ARCHIVE_KEEP_DAYS, RETENTION_DAYS, RETENTION_MB, Settings, setting
from skywatch.settings.kinds import parse_rate


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlertSettings(Settings):
    """The settings of alerts."""

    alerts_import_max_bytes: int = setting(
        16_777_216,
        "largest list of rules, geofences or watched aircraft that the REST API imports (bytes)",
        minimum=1024,
        maximum=1_073_741_824,
    )
    throttle_dry_run: str = setting(
        "20/minute",
        "dry runs of alert rules of one user, or of one address without credentials",
        name="default_throttle_rates.dry_run",
        parse=parse_rate,
    )
    retention_alerts_days: float = setting(365.0, "retention of alerts (days; 0: unlimited)", **RETENTION_DAYS)
    retention_alerts_mb: float = setting(0.0, "largest size of alerts (MB; 0: unlimited)", **RETENTION_MB)
    alerts_mb_per_user: float = setting(
        200.0,
        "largest size of the alerts of one user with their events and deliveries (MB; 0: unlimited): beyond it the"
        " oldest acknowledged ones are deleted, then those about what only strangers hear, which have a quarter of it"
        " at most; where there are none, only critical alerts about what ours hear are stored",
        **RETENTION_MB,
    )
    archive_keep_alerts_days: float = setting(
        AS_ARCHIVE_KEEP_DAYS,
        "how long archived alerts stay (days; 0: for ever; -1: as archive_keep_days)",
        **ARCHIVE_KEEP,
    )
