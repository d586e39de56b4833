"""The feature declaration of the administrative console."""

from __future__ import annotations

from skywatch.console.settings import ConsoleSettings
from skywatch.core.feature import Feature

FEATURE = Feature(name="console", settings=ConsoleSettings, include="skywatch.console")
