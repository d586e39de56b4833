"""What outputs are made of."""

from __future__ import annotations

from skywatch.core.feature import Feature, InputFamily
from skywatch.outputs.settings import OutputSettings

FEATURE = Feature(
    name="outputs",
    settings=OutputSettings,
    monitor="skywatch.outputs.monitor:create",
    inputs=(InputFamily(prefix="output.", open="skywatch.outputs.factory:open_output"),),
)
