"""The settings of Cannonball: law-enforcement aircraft near users."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class CannonballSettings(Settings):
    """The settings of Cannonball: law-enforcement aircraft near users."""

    cannonball_import_max_bytes: int = setting(
        67_108_864, "largest list of known aircraft that the REST API imports (bytes)", minimum=1024
    )
    cannonball_default_radius_nm: float = setting(
        25.0, "radius of a location that names none (nm)", minimum=1, maximum=100
    )
    cannonball_location_ttl_s: float = setting(
        600.0, "a user's location lives this long without refresh (s)", minimum=30, maximum=86400
    )
    cannonball_unseen_s: float = setting(
        300.0, "a session ends this long after the aircraft's last position (s)", minimum=30, maximum=3600
    )
    cannonball_leave_factor: float = setting(
        1.2, "a session ends beyond this multiple of the radius", minimum=1, maximum=3
    )
    cannonball_flight_gap_s: float = setting(
        1800.0, "a known aircraft out of the picture for longer flies anew when it returns (s)", minimum=60
    )
    cannonball_closing_smoothing_s: float = setting(
        10.0, "time constant with which closing speeds are smoothed (s)", minimum=1, maximum=120
    )
    cannonball_warning_nm: float = setting(8.0, "nearer than this is a warning (nm)", minimum=0.1, maximum=100)
    cannonball_critical_nm: float = setting(2.0, "nearer than this is critical (nm)", minimum=0.1, maximum=50)
    cannonball_warning_arrival_s: float = setting(
        360.0, "closing in that would arrive sooner than this is a warning (s)", minimum=10, maximum=3600
    )
    cannonball_critical_arrival_s: float = setting(
        90.0, "closing in that would arrive sooner than this is critical (s)", minimum=5, maximum=3600
    )
    cannonball_hysteresis_factor: float = setting(
        1.25, "a level is left only beyond this multiple of its threshold", minimum=1, maximum=3
    )
    cannonball_calm_s: float = setting(
        45.0, "a level falls only after things were calmer for this long (s)", minimum=0, maximum=600
    )
    cannonball_closing_fast_kt: float = setting(
        120.0, "closing speed that raises closing_fast (kt)", minimum=10, maximum=1000
    )
    cannonball_overhead_nm: float = setting(
        1.0, "an airborne aircraft nearer than this is overhead (nm)", minimum=0.1, maximum=10
    )
    cannonball_pattern_confidence: float = setting(
        0.5, "surveillance patterns below this score make nobody of interest (0 to 1)", minimum=0, maximum=1
    )
    cannonball_pattern_memory_s: float = setting(
        120.0, "an ended surveillance pattern counts for this long (s)", minimum=0, maximum=3600
    )
    cannonball_cooldown_le_detected_s: float = setting(1800.0, "pause between two le_detected alerts (s)", minimum=0)
    cannonball_cooldown_new_threat_s: float = setting(1800.0, "pause between two new_threat alerts (s)", minimum=0)
    cannonball_cooldown_pattern_detected_s: float = setting(
        900.0, "pause between two pattern_detected alerts of one pattern type (s)", minimum=0
    )
    cannonball_cooldown_closing_fast_s: float = setting(600.0, "pause between two closing_fast alerts (s)", minimum=0)
    cannonball_cooldown_overhead_s: float = setting(900.0, "pause between two overhead alerts (s)", minimum=0)
    cannonball_cooldown_threat_escalated_s: float = setting(
        300.0, "pause between two threat_escalated alerts to the same level (s)", minimum=0
    )
    cannonball_cooldown_threat_cleared_s: float = setting(
        300.0, "pause between two threat_cleared alerts (s)", minimum=0
    )
    cannonball_flush_s: float = setting(
        2.0, "how often the numbers of running sessions are committed and published (s)", minimum=0.5, maximum=30
    )
    retention_cannonball_days: float = setting(
        90.0,
        "retention of sessions, their alerts and flight patterns (days; 0: unlimited)",
        minimum=0,
        stored=True,
    )
    retention_cannonball_mb: float = setting(
        0.0,
        "largest size of sessions, alerts and flight patterns, each (MB; 0: unlimited)",
        minimum=0,
        stored=True,
    )
