"""The feature declaration of the live air picture."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.picture.settings import PictureSettings

FEATURE = Feature(
    name="picture",
    include="skywatch.picture",
    checks="skywatch.picture.checks:check",
    settings=PictureSettings,
    metrics="skywatch.picture.metrics",
)
