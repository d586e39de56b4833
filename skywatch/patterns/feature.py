"""The feature declaration of flight patterns."""

from __future__ import annotations

from skywatch.core.feature import Feature

FEATURE = Feature(
    name="patterns",
    commands={"patterns": "skywatch.patterns.command:patterns"},
    batch="skywatch.patterns.batch:JOBS",
)
