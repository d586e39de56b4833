"""What the administrative console is made of."""

from __future__ import annotations

from skywatch.console.settings import ConsoleSettings
from skywatch.core.feature import Feature

FEATURE = Feature(name="console", settings=ConsoleSettings, include="skywatch.console")
