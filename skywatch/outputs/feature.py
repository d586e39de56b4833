"""The feature declaration of outputs."""

from __future__ import annotations

from skywatch.core.feature import Feature, InputFamily, Service
from skywatch.outputs.settings import OutputSettings

FEATURE = Feature(
    name="outputs",
    settings=OutputSettings,
    services=(
        Service(role="tracker", create="skywatch.outputs.sending:create"),
        Service(role="ingest", create="skywatch.outputs.ingest:create"),
    ),
    inputs=(
        InputFamily(prefix="output.", title="Output for other programs", open="skywatch.outputs.factory:open_output"),
    ),
)
