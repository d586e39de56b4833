"""The settings of the quality of reception."""

from __future__ import annotations

import dataclasses

from skywatch.settings import RETENTION_DAYS, Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReceptionSettings(Settings):
    """The settings of the quality of reception."""

    retention_quality_days: float = setting(
        30.0, "retention of the quality of reception (days; 0: unlimited)", **RETENTION_DAYS
    )
    receiver_silent_s: float = setting(
        60.0,
        "a receiver without a message for this long is silent for rules on `receiver_silent` (s)",
        minimum=5,
        maximum=86_400,
    )
