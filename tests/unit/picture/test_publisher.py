"""A bus that hangs costs skies, not the tracker's time."""

from __future__ import annotations

import dataclasses
import threading

from skywatch.core.bus.memory import MemoryBus
from skywatch.picture.publisher import SkyPublisher
from skywatch.picture.sky import empty_sky, from_bytes
from tests.waiting import PATIENCE_S


class HangingBus(MemoryBus):
    """A bus to other processes that takes nothing until it is told to."""

    carries_objects = False

    def __init__(self):
        super().__init__()
        self.go_on = threading.Event()
        self.taken = []

    def publish(self, message):
        assert self.go_on.wait(PATIENCE_S)
        self.taken.append(from_bytes(message.data).seq)


def test_a_bus_that_hangs_gets_the_newest_sky_and_holds_up_nobody():
    bus = HangingBus()
    publisher = SkyPublisher(bus)
    # The bus takes nothing until all are published: whoever waited for it would wait in vain.
    for seq in range(1, 101):
        publisher.publish(dataclasses.replace(empty_sky(), seq=seq))
    bus.go_on.set()
    publisher.close()
    assert bus.taken[-1] == 100
    assert bus.taken == sorted(bus.taken)
    assert publisher.skipped >= 90
    assert len(bus.taken) + publisher.skipped == 100
