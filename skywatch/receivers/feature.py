"""The declaration of the feature receivers."""

from __future__ import annotations

from skywatch.core.feature import EditableInputs, Feature
from skywatch.receivers.settings import ReceiverSettings

FEATURE = Feature(
    name="receivers",
    settings=ReceiverSettings,
    editable_inputs=(
        EditableInputs(
            prefix="receiver.",
            check="skywatch.receivers.editable:check",
            trial="skywatch.receivers.editable:try_out",
            example="beast localhost:30005",
        ),
    ),
)
