"""The feature declaration of airframes."""

from __future__ import annotations

from skywatch.airframes.settings import AirframeSettings
from skywatch.core.feature import Feature

FEATURE = Feature(
    name="airframes",
    settings=AirframeSettings,
    commands={"airframes": "skywatch.airframes.command:airframes"},
)
