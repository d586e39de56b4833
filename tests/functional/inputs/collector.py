"""A consumer and a decoder for tests, and an input that fills them."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Generic, TypeVar

from skywatch.inputs.base import Input, Origin
from skywatch.inputs.lines import LineSplitter

T = TypeVar("T")


class Collector(Generic[T]):
    """Remembers what inputs deliver; ``room`` is cleared to make them wait."""

    def __init__(self) -> None:
        self.messages: list[T] = []
        self.origins: list[Origin] = []
        self.room = asyncio.Event()
        self.room.set()

    def put(self, messages: Sequence[T], origin: Origin) -> None:
        self.messages.extend(messages)
        self.origins.append(origin)

    async def ready(self) -> None:
        await self.room.wait()


class Lines:
    """Lines as messages; ``bad`` is not decodable and ``fault`` is a fault of the program."""

    def __init__(self, invalid: Counter[str]) -> None:
        self._invalid = invalid
        self._splitter = LineSplitter(100, invalid)

    def feed(self, received: bytes, received_at: float) -> list[str]:
        lines = [line.decode() for line in self._splitter.feed(received)]
        if "fault" in lines:
            raise ZeroDivisionError("a fault of the program")
        self._invalid["bad"] += lines.count("bad")
        return [line for line in lines if line != "bad"]


@contextlib.asynccontextmanager
async def running(source: Input) -> AsyncIterator[None]:
    """The input runs within the block; an exception that left it fails the test."""
    task = asyncio.create_task(source.run())
    try:
        yield
        if task.done():
            task.result()
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
