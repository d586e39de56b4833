"""What the inputs of features share."""

from __future__ import annotations

from skywatch.core.feature import Feature

FEATURE = Feature(name="inputs", metrics="skywatch.inputs.metrics")
