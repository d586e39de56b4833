"""The settings of history."""

from __future__ import annotations

import dataclasses

from skywatch.settings import ARCHIVE_KEEP, AS_ARCHIVE_KEEP_DAYS, RETENTION_DAYS, RETENTION_MB, Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class HistorySettings(Settings):
    """The settings of history."""

    history_enabled: bool = setting(True, "record flights and tracks", published=True)
    history_error_m: float = setting(
        20.0,
        "largest distance of a stored track from any received position (m)",
        minimum=5,
        maximum=2000,
        published=True,
    )
    history_altitude_error_ft: float = setting(
        25.0,
        "largest deviation of a stored track from any received altitude (ft)",
        minimum=10,
        maximum=2000,
        published=True,
    )
    history_flush_s: float = setting(
        5.0, "longest time between two commits of history, which is what a crash may lose (s)", minimum=1, maximum=60
    )
    history_flight_gap_s: float = setting(
        900.0, "an aircraft that returns after this time begins a new flight (s)", minimum=60, maximum=86400
    )
    retention_positions_days: float = setting(90.0, "retention of tracks (days; 0: unlimited)", **RETENTION_DAYS)
    retention_positions_mb: float = setting(0.0, "largest size of tracks (MB; 0: unlimited)", **RETENTION_MB)
    retention_flights_days: float = setting(730.0, "retention of flights (days; 0: unlimited)", **RETENTION_DAYS)
    retention_flights_mb: float = setting(0.0, "largest size of flights (MB; 0: unlimited)", **RETENTION_MB)
    archive_keep_flights_days: float = setting(
        AS_ARCHIVE_KEEP_DAYS,
        "how long archived flights stay (days; 0: for ever; -1: as archive_keep_days)",
        **ARCHIVE_KEEP,
    )
    archive_keep_positions_days: float = setting(
        AS_ARCHIVE_KEEP_DAYS,
        "how long archived positions stay (days; 0: for ever; -1: as archive_keep_days)",
        **ARCHIVE_KEEP,
    )
