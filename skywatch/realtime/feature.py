"""The declaration of the feature realtime."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.core.problems import ProblemKind
from skywatch.realtime.settings import RealtimeSettings

FEATURE = Feature(
    name="realtime",
    include="skywatch.realtime",
    retention="skywatch.realtime.retention:KINDS",
    settings=RealtimeSettings,
    problems=(ProblemKind("origin_not_allowed", 403, "The channel is not open to pages of this origin"),),
    metrics="skywatch.realtime.metrics",
)
