"""Tasks end when they are told to."""

from __future__ import annotations

import asyncio

from skywatch.core.process import tasks


def test_a_task_that_loses_the_first_request_ends_by_the_next(monkeypatch):
    monkeypatch.setattr(tasks, "AGAIN_AFTER_S", 0.01)
    lost = []

    async def stubborn():
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                lost.append(True)
                if len(lost) == 3:
                    raise

    async def failing():
        try:
            await asyncio.sleep(3600)
        finally:
            raise OSError("while tidying up")

    async def run():
        started = [asyncio.create_task(stubborn()), asyncio.create_task(failing())]
        await asyncio.sleep(0)
        await tasks.end(*started)
        return started

    first, second = asyncio.run(run())
    assert len(lost) == 3
    assert first.cancelled()
    assert isinstance(second.exception(), OSError)


def test_nothing_to_end_is_no_wait():
    asyncio.run(tasks.end())
