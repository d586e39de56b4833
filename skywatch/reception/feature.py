"""What the quality of reception is made of."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.reception.settings import ReceptionSettings

FEATURE = Feature(
    name="reception",
    include="skywatch.reception",
    settings=ReceptionSettings,
    monitor="skywatch.reception.monitor:create",
    retention="skywatch.reception.retention:KINDS",
    parts={
        "quality_writer": "Storage of the quality of reception",
        "quality_places": "Places of feeders, from which ranges are measured",
    },
)
