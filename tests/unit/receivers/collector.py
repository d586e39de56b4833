"""A sink for tests, and a receiver that fills it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

from skywatch.receivers.base import Receiver
from skywatch.receivers.reports.report import Report


class Collector:
    """Remembers everything that receivers put."""

    def __init__(self) -> None:
        self.batches: list[list[Report]] = []
        self.messages = 0
        self.receivers: set[str] = set()

    def put(self, receiver: str, reports: Sequence[Report], messages: int, positions: int = 0) -> None:
        self.batches.append(list(reports))
        self.messages += messages
        self.receivers.add(receiver)

    @property
    def reports(self) -> list[Report]:
        return [report for batch in self.batches for report in batch]

    @property
    def hexes(self) -> set[str]:
        return {report.hex for report in self.reports}


@contextlib.asynccontextmanager
async def running(receiver: Receiver) -> AsyncIterator[Collector]:
    """The receiver runs within the block; an exception that left it fails the test."""
    collector = Collector()
    task = asyncio.create_task(receiver.run(collector))
    try:
        yield collector
        if task.done():
            task.result()
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
