"""The declaration of the feature receivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import Feature
from skywatch.core.hooks import EditableInputs, InputFamily
from skywatch.receivers.settings import ReceiverSettings

if TYPE_CHECKING:
    from skywatch.inputs.trial import Trial


def _check_input(name: str, text: str) -> None:
    from skywatch.receivers.editable import check

    check(name, text)


async def _try_input(name: str, text: str, station: tuple[float, float] | None, within_s: float) -> Trial:
    from skywatch.receivers.editable import try_out

    return await try_out(name, text, station, within_s)


FEATURE = Feature(
    name="receivers",
    settings=ReceiverSettings,
    provides=(
        # The tracker opens them itself.
        InputFamily(
            prefix="receiver.",
            title="Receiver of aircraft",
            editable=EditableInputs(check=_check_input, trial=_try_input, example="beast localhost:30005"),
        ),
    ),
)
