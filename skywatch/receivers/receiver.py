"""``RetryingReceiver``: an input of aircraft, which counts positions and passes reports to a ``Sink``."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import msgspec

from skywatch.inputs.meter import RateMeter
from skywatch.inputs.retrying import RetryingInput
from skywatch.receivers.base import ReceiverStatus, Sink
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.listening.hub import FeederHub
from skywatch.receivers.reports.report import Report
from skywatch.receivers.settings import ReceiverSettings


class RetryingReceiver(RetryingInput[ReceiverStatus]):
    """A receiver that always reconnects; subclasses implement ``session``."""

    kind: ClassVar[str]
    # Receivers of frames pass good frames to it as well.
    tap: FrameTap | None = None

    def __init__(self, name: str, address: str) -> None:
        super().__init__(ReceiverStatus(name=name, kind=self.kind, address=address))
        self._position_meter = RateMeter(time.monotonic())
        self.cpr: Counter[str] = Counter()
        self._sink: Sink | None = None

    @property
    def status(self) -> ReceiverStatus:
        """A copy of the present state."""
        rate = self._position_meter.rate(time.monotonic())
        return msgspec.structs.replace(super().status, position_rate=round(rate, 2), cpr=dict(self.cpr))

    def join(self, feeders: FeederHub, settings: ReceiverSettings) -> None:
        """Take part in what all listeners of this process share; a receiver that connects out does not."""

    def use(self, settings: ReceiverSettings) -> None:
        """Use settings that have changed while it runs; a receiver that connects out has none."""

    async def run(self, sink: Sink) -> None:
        """Read until cancelled, or until the input has ended."""
        self._sink = sink
        await self.read_forever()

    def deliver(self, reports: Sequence[Report], messages: int, positions: int) -> None:
        """Count reports and pass them to the sink; ``positions`` of the messages were positions."""
        self.deliver_as(self.name, reports, messages, positions)

    def deliver_as(self, name: str, reports: Sequence[Report], messages: int, positions: int) -> None:
        """``deliver`` under the name of one of several receivers that this one reads."""
        assert self._sink is not None, "a receiver delivers only while it runs"
        if messages or reports:
            self.count_messages(messages)
            self._status.positions += positions
            self._position_meter.add(positions, time.monotonic())
            self._sink.put(name, reports, messages, positions)
