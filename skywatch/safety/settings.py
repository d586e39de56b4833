"""The settings of safety events; the detectors' thresholds are changed at run time and stand in ``thresholds``."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class SafetySettings(Settings):
    """The settings of safety events."""

    retention_safety_days: float = setting(
        365.0, "safety events and disturbed regions are kept this long (days; 0: for ever)", minimum=0, stored=True
    )
    retention_safety_mb: float = setting(
        0.0, "safety events may take this much room (MB; 0: no limit)", minimum=0, stored=True
    )
