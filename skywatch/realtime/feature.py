"""The declaration of the feature realtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import Feature
from skywatch.core.problems import ProblemKind
from skywatch.realtime.settings import RealtimeSettings

if TYPE_CHECKING:
    from skywatch.core.storage.retention import Kind


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.realtime.retention import KINDS

    return KINDS


FEATURE = Feature(
    name="realtime",
    include="skywatch.realtime",
    retention=_retention_kinds,
    settings=RealtimeSettings,
    problems=(ProblemKind("origin_not_allowed", 403, "The channel is not open to pages of this origin"),),
    metrics="skywatch.realtime.metrics",
)
