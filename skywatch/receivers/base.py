"""The interface of receivers: a task that reads its input until cancelled and passes reports to a sink.

A receiver never stops the service: faults are counted and shown in its status, and it retries after increasing pauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from skywatch.core.bus import Bus, topics
from skywatch.inputs.base import InputStatus
from skywatch.receivers.reports.report import Report
from skywatch.receivers.site import OUT_OF_RANGE
from skywatch.sentences import sentence

# So few positions may be misread.
FEW_OUT_OF_RANGE = 5


class AnonymousFeeder(msgspec.Struct, frozen=True):
    """A connected feeder without a record: its name for as long as it is connected, and since when (unix seconds)."""

    name: str
    connected_since: float
    message_rate: float
    position_rate: float
    aircraft: int


class ReceiverStatus(InputStatus):
    """The state of one receiver in ``system/receivers``.

    ``invalid`` counts refused input by reason: the name of a field, or ``hex``, ``aircraft``, ``line``, ``too_long``,
    ``document`` for one that is damaged. ``cpr`` counts the results of position frames by the names of
    ``mode_s.statistics.PositionCounts``. ``anonymous`` are the feeders of a listener that have no record.
    ``range_nm`` is how far from its place positions are believed, None where there is no limit.
    """

    position_rate: float = 0.0
    positions: int = 0
    cpr: dict[str, int] = msgspec.field(default_factory=dict)
    anonymous: list[AnonymousFeeder] = msgspec.field(default_factory=list)
    range_nm: float | None = None

    @property
    def out_of_range(self) -> int:
        """How many positions were refused because they are beyond ``range_nm``."""
        return self.invalid.get(OUT_OF_RANGE, 0)

    @property
    def is_out_of_range(self) -> bool:
        """Whether most positions are beyond it: the receiver stands elsewhere than is known."""
        return self.out_of_range >= FEW_OUT_OF_RANGE and self.out_of_range > self.positions

    def describe_range(self) -> str:
        """What was refused for range, for people; empty where nothing was."""
        if not self.out_of_range:
            return ""
        return sentence(
            "receiver.out_of_range",
            "{count:,} positions beyond {range} nm of its place were refused (options place= and range_nm=)",
            count=self.out_of_range,
            range=f"{self.range_nm or 0:g}",
        )


_statuses = msgspec.json.Decoder(list[ReceiverStatus])


class Sink(Protocol):
    """Takes the reports of receivers; called on the tracker's event loop, must return at once."""

    def put(self, receiver: str, reports: Sequence[Report], messages: int, positions: int = 0) -> None:
        """Take reports in the order of reception, the number of messages they were decoded from, and how many of these
        were positions."""


class Receiver(Protocol):
    """One configured input; made by ``factory.open_receiver``."""

    @property
    def status(self) -> ReceiverStatus:
        """The present state; rates are updated at each access."""

    async def run(self, sink: Sink) -> None:
        """Read until cancelled, or until a recording has ended; only ``asyncio.CancelledError`` is raised."""


def published_receivers(bus: Bus) -> list[ReceiverStatus]:
    """The last published state of every receiver; raises BusError."""
    message = bus.last(topics.RECEIVERS)
    try:
        return [] if message is None else _statuses.decode(message.data)
    except msgspec.MsgspecError:
        return []  # Those of another version.
