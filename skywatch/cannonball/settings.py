"""The settings of Cannonball: law-enforcement aircraft near users."""

from __future__ import annotations

import dataclasses

from skywatch.settings import RETENTION_DAYS, RETENTION_MB, Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class CannonballSettings(Settings):
    """The settings of Cannonball: law-enforcement aircraft near users."""

    cannonball_import_max_bytes: int = setting(
        67_108_864,
        "largest list of known aircraft that the REST API imports (bytes)",
        minimum=1024,
        maximum=1_073_741_824,
    )
    cannonball_default_radius_nm: float = setting(25.0, "default radius of a location (nm)", minimum=1, maximum=100)
    cannonball_location_ttl_s: float = setting(
        600.0, "time after which a user's location expires unless it is refreshed (s)", minimum=30, maximum=86400
    )
    cannonball_unseen_s: float = setting(
        300.0, "time after the aircraft's last position at which a session ends (s)", minimum=30, maximum=3600
    )
    cannonball_leave_factor: float = setting(
        1.2, "multiple of the radius beyond which a session ends", minimum=1, maximum=3
    )
    cannonball_flight_gap_s: float = setting(
        1800.0,
        "time out of the picture after which a known aircraft's return counts as a new flight (s)",
        minimum=60,
        maximum=604_800,
    )
    cannonball_closing_smoothing_s: float = setting(
        10.0, "time constant of the smoothing of closing speeds (s)", minimum=1, maximum=120
    )
    cannonball_warning_nm: float = setting(
        8.0, "distance below which the threat level is warning (nm)", minimum=0.1, maximum=100
    )
    cannonball_critical_nm: float = setting(
        2.0, "distance below which the threat level is critical (nm)", minimum=0.1, maximum=50
    )
    cannonball_warning_arrival_s: float = setting(
        360.0, "time to arrival below which the threat level is warning (s)", minimum=10, maximum=3600
    )
    cannonball_critical_arrival_s: float = setting(
        90.0, "time to arrival below which the threat level is critical (s)", minimum=5, maximum=3600
    )
    cannonball_hysteresis_factor: float = setting(
        1.25, "multiple of its threshold beyond which a threat level falls", minimum=1, maximum=3
    )
    cannonball_calm_s: float = setting(
        45.0, "time during which a lower threat level must apply before the level falls (s)", minimum=0, maximum=600
    )
    cannonball_closing_fast_kt: float = setting(
        120.0, "closing speed at which closing_fast is raised (kt)", minimum=10, maximum=1000
    )
    cannonball_overhead_nm: float = setting(
        1.0, "distance below which an airborne aircraft is overhead (nm)", minimum=0.1, maximum=10
    )
    cannonball_pattern_confidence: float = setting(
        0.5,
        "confidence below which a surveillance pattern does not make an aircraft of interest (0 to 1)",
        minimum=0,
        maximum=1,
    )
    cannonball_pattern_memory_s: float = setting(
        120.0, "time for which a surveillance pattern counts after its end (s)", minimum=0, maximum=3600
    )
    cannonball_cooldown_le_detected_s: float = setting(
        1800.0, "pause between two le_detected alerts (s)", minimum=0, maximum=604_800
    )
    cannonball_cooldown_new_threat_s: float = setting(
        1800.0, "pause between two new_threat alerts (s)", minimum=0, maximum=604_800
    )
    cannonball_cooldown_pattern_detected_s: float = setting(
        900.0, "pause between two pattern_detected alerts of one pattern type (s)", minimum=0, maximum=604_800
    )
    cannonball_cooldown_closing_fast_s: float = setting(
        600.0, "pause between two closing_fast alerts (s)", minimum=0, maximum=604_800
    )
    cannonball_cooldown_overhead_s: float = setting(
        900.0, "pause between two overhead alerts (s)", minimum=0, maximum=604_800
    )
    cannonball_cooldown_threat_escalated_s: float = setting(
        300.0, "pause between two threat_escalated alerts to the same level (s)", minimum=0, maximum=604_800
    )
    cannonball_cooldown_threat_cleared_s: float = setting(
        300.0, "pause between two threat_cleared alerts (s)", minimum=0, maximum=604_800
    )
    cannonball_flush_s: float = setting(
        2.0, "interval at which the numbers of active sessions are committed and published (s)", minimum=0.5, maximum=30
    )
    retention_cannonball_days: float = setting(
        90.0, "retention of sessions, their alerts and flight patterns (days; 0: unlimited)", **RETENTION_DAYS
    )
    retention_cannonball_mb: float = setting(
        0.0, "largest size of sessions, alerts and flight patterns, each (MB; 0: unlimited)", **RETENTION_MB
    )
