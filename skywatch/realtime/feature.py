"""What the real-time channel is made of."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.realtime.settings import RealtimeSettings

FEATURE = Feature(
    name="realtime",
    retention="skywatch.realtime.retention:KINDS",
    settings=RealtimeSettings,
    metrics="skywatch.realtime.metrics",
)
