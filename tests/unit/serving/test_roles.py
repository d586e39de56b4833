"""The loop on which the services of a process run."""

from __future__ import annotations

import _thread
import asyncio
import signal

import pytest

from skywatch.serving.roles import LoopThread


class Part:
    """A service; what it has begun has to be stopped."""

    def __init__(self) -> None:
        self.is_running = False

    async def start(self) -> None:
        self.is_running = True

    async def stop(self) -> None:
        self.is_running = False


class Interrupted(Part):
    """A signal comes amid its start."""

    async def start(self) -> None:
        _thread.interrupt_main()
        await asyncio.sleep(0.2)
        self.is_running = True


class Failing(Part):
    async def start(self) -> None:
        raise OSError("the port is taken")


@pytest.fixture
def interruptible():
    """Shells start what runs in the background with SIGINT ignored."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


def test_a_service_is_stopped_whose_start_a_signal_interrupts(interruptible):
    before, interrupted, after = Part(), Interrupted(), Part()
    loop = LoopThread([before, interrupted, after])
    with pytest.raises(KeyboardInterrupt):
        loop.start()
    assert before.is_running
    loop.stop(10.0)
    assert [part.is_running for part in (before, interrupted, after)] == [False, False, False]
    assert not loop._thread.is_alive()


def test_services_that_have_started_are_stopped_where_one_cannot_start():
    before = Part()
    loop = LoopThread([before, Failing()])
    with pytest.raises(OSError, match="the port is taken"):
        loop.start()
    loop.stop(10.0)
    assert not before.is_running
