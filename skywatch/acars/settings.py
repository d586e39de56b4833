"""The settings of ACARS messages."""

from __future__ import annotations

import dataclasses

from skywatch.settings import ARCHIVE_KEEP, AS_ARCHIVE_KEEP_DAYS, RETENTION_DAYS, RETENTION_MB, Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class AcarsSettings(Settings):
    """The settings of ACARS messages."""

    acars_inputs: dict[str, str] = setting(
        {}, "an input of ACARS messages: kind and address, for example `udp 127.0.0.1:5550`", name="acars.*"
    )
    acars_positions: bool = setting(
        False, "positions in ACARS messages feed the live picture, behind those that are multilaterated"
    )
    retention_acars_days: float = setting(90.0, "retention of ACARS messages (days; 0: unlimited)", **RETENTION_DAYS)
    retention_acars_mb: float = setting(0.0, "largest size of ACARS messages (MB; 0: unlimited)", **RETENTION_MB)
    archive_keep_acars_days: float = setting(
        AS_ARCHIVE_KEEP_DAYS,
        "how long archived ACARS messages stay (days; 0: for ever; -1: as archive_keep_days)",
        **ARCHIVE_KEEP,
    )
