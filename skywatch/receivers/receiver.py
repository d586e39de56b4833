"""``RetryingReceiver``: an input of aircraft, which counts positions and passes reports to a ``Sink``."""

from __future__ import annotations

import logging
import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import msgspec

from skywatch.inputs.meter import RateMeter
from skywatch.inputs.retrying_input import RetryingInput
from skywatch.receivers.base import ReceiverStatus, Sink
from skywatch.receivers.reports.report import Report
from skywatch.receivers.settings import ReceiverSettings
from skywatch.receivers.site import ANYWHERE, OUT_OF_RANGE, Site

logger = logging.getLogger(__name__)


class RetryingReceiver(RetryingInput[ReceiverStatus]):
    """A receiver that always reconnects; subclasses implement ``session``."""

    kind: ClassVar[str]
    # The decoder of receivers of frames knows where they stand.
    decodes_frames = False

    def __init__(self, name: str, address: str, site: Site = ANYWHERE) -> None:
        super().__init__(
            ReceiverStatus(
                name=name,
                kind=self.kind,
                address=address,
                range_nm=site.range_nm if math.isfinite(site.range_nm) else None,
            )
        )
        self.site = site
        self._is_range_told = False
        self._position_meter = RateMeter(time.monotonic())
        self.cpr: Counter[str] = Counter()
        self._sink: Sink | None = None

    @property
    def status(self) -> ReceiverStatus:
        """A copy of the present state."""
        rate = self._position_meter.rate(time.monotonic())
        return msgspec.structs.replace(super().status, position_rate=round(rate, 2), cpr=dict(self.cpr))

    def use(self, settings: ReceiverSettings) -> None:
        """Use settings that have changed while it runs; a receiver that connects out has none."""

    async def run(self, sink: Sink) -> None:
        """Read until cancelled, or until the input has ended."""
        self._sink = sink
        await self.read_forever()

    def deliver(self, reports: Sequence[Report], messages: int, positions: int, newer_than: float = -math.inf) -> None:
        """Count reports and pass them to the sink; see ``ReportBatch``."""
        assert self._sink is not None, "a receiver delivers only while it runs"
        if not self.decodes_frames:
            reports, refused = self.site.limit(reports, newer_than)
            # A document that has an aircraft twice has one position of it.
            refused = min(refused, positions)
            positions -= refused
            if refused:
                self.invalid[OUT_OF_RANGE] += refused
        if messages or reports:
            self.count_messages(messages)
            self._status.positions += positions
            self._position_meter.add(positions, time.monotonic())
            self._sink.put(self.name, reports, messages, positions)
            self._tell_range()

    def _tell_range(self) -> None:
        """Say once that most positions are out of range: the receiver stands elsewhere, or the station does."""
        if not self._is_range_told and self.invalid[OUT_OF_RANGE] and self.status.is_out_of_range:
            self._is_range_told = True
            reason = self.status.describe_range()
            logger.warning("receiver %s: %s", self.name, reason)
            self.set_problem(reason)
