"""The settings of history."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class HistorySettings(Settings):
    """The settings of history."""

    history_enabled: bool = setting(True, "record flights and tracks", published=True)
    history_error_m: float = setting(
        20.0, "a stored track passes this near to every received position (m)", minimum=5, maximum=2000, published=True
    )
    history_altitude_error_ft: float = setting(
        25.0,
        "a stored track passes this near to every received altitude (ft)",
        minimum=10,
        maximum=2000,
        published=True,
    )
    history_flush_s: float = setting(
        5.0, "history is committed at least this often; what a crash may lose (s)", minimum=1, maximum=60
    )
    history_flight_gap_s: float = setting(
        900.0, "an aircraft unseen for this long begins a new flight when it returns (s)", minimum=60, maximum=86400
    )
    retention_positions_days: float = setting(
        90.0, "tracks are kept this long (days; 0: for ever)", minimum=0, stored=True
    )
    retention_positions_mb: float = setting(
        0.0, "tracks may take this much room (MB; 0: no limit)", minimum=0, stored=True
    )
    retention_flights_days: float = setting(
        730.0, "flights are kept this long (days; 0: for ever)", minimum=0, stored=True
    )
    retention_flights_mb: float = setting(
        0.0, "flights may take this much room (MB; 0: no limit)", minimum=0, stored=True
    )
