"""What every kind of receiver is: a task that reads its input for ever and hands reports to a sink.

A receiver never ends the service: whatever goes wrong is counted, named in its status and tried again after a
growing pause.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from skywatch.inputs.base import InputStatus
from skywatch.receivers.report import Report


class ReceiverStatus(InputStatus):
    """The state of one receiver as ``system/receivers`` shows it.

    ``invalid`` counts what was received and refused, by reason: the name of a field, or ``hex``, ``aircraft``,
    ``line``, ``too_long``, ``document`` where more than one field went. ``cpr`` counts what became of position frames,
    by the names of ``mode_s.statistics.PositionCounts``.
    """

    position_rate: float = 0.0
    positions: int = 0
    cpr: dict[str, int] = msgspec.field(default_factory=dict)


class Sink(Protocol):
    """Where receivers put what they hear; called on the tracker's loop, must return at once."""

    def put(self, receiver: str, reports: Sequence[Report], messages: int) -> None:
        """Take reports in the order they were heard; ``messages`` is how many messages they came from."""


class Receiver(Protocol):
    """One configured input; made by ``factory.open_receiver``."""

    @property
    def status(self) -> ReceiverStatus:
        """The state of this moment; rates are brought up to date whenever it is asked for."""

    async def run(self, sink: Sink) -> None:
        """Read until cancelled, or until a recording has ended; only ``asyncio.CancelledError`` is raised."""
