"""Tasks end when they are told to."""

from __future__ import annotations

import asyncio
import logging

from skywatch.core.process import tasks
from skywatch.core.telemetry.fault_log import FaultLog


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


def test_work_is_repeated_whatever_it_raises_and_when_it_is_asked_for():
    done, failures = [], []

    async def work():
        done.append(len(done))
        if len(done) == 1:
            raise OSError("the disk is away")
        return 0.0 if len(done) < 4 else None

    async def run():
        wake = asyncio.Event()
        task = asyncio.create_task(
            tasks.repeat(work, 3600.0, failures.append, first_s=0.0, failing_s=0.0, wake=wake), name="work"
        )
        while len(done) < 4:
            await asyncio.sleep(0)
        wake.set()
        while len(done) < 5:
            await asyncio.sleep(0)
        await tasks.end(task)

    asyncio.run(run())
    assert [str(error) for error in failures] == ["the disk is away"]


def test_a_fault_of_work_lasts_until_it_succeeds():
    faults, counts = FaultLog(logging.getLogger("test"), "it fails", "it works again"), []

    async def work():
        counts.append(faults.count)
        if len(counts) < 3:
            raise OSError("the disk is away")

    async def run():
        task = asyncio.create_task(tasks.repeat(work, 0.0, faults))
        while len(counts) < 4:
            await asyncio.sleep(0)
        await tasks.end(task)

    asyncio.run(run())
    assert counts[:4] == [0, 1, 2, 0]
