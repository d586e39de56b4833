"""What airframes are made of."""

from __future__ import annotations

from skywatch.core.feature import Feature

FEATURE = Feature(name="airframes", commands={"airframes": "skywatch.airframes.command:airframes"})
