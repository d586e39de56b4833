"""The declaration of the feature receivers."""

from __future__ import annotations

from skywatch.core.feature import EditableInputs, Feature, InputFamily
from skywatch.receivers.settings import ReceiverSettings

FEATURE = Feature(
    name="receivers",
    settings=ReceiverSettings,
    # The tracker opens them itself.
    inputs=(InputFamily(prefix="receiver.", title="Receiver of aircraft"),),
    editable_inputs=(
        EditableInputs(
            prefix="receiver.",
            check="skywatch.receivers.editable:check",
            trial="skywatch.receivers.editable:try_out",
            example="beast localhost:30005",
        ),
    ),
)
