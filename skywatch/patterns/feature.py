"""What flight patterns are made of."""

from __future__ import annotations

from skywatch.core.feature import Feature

FEATURE = Feature(name="patterns", commands={"patterns": "skywatch.patterns.command:patterns"})
