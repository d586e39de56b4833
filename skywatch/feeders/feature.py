"""What the feature feeders is made of."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.feeders.settings import FeederSettings

FEATURE = Feature(
    name="feeders",
    title="receivers that connect to us",
    include="skywatch.feeders",
    settings=FeederSettings,
    tags={
        "feeders": "Receivers that connect to us, their owners and states.",
    },
)
