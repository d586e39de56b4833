"""The memory bus passes the shared suite; what else it alone promises."""

import pytest

from skywatch.core.bus import Message
from skywatch.core.bus.memory import MemoryBus
from tests.unit.core.bus.suite import BusSuite, Inbox


class TestMemoryBus(BusSuite):
    @pytest.fixture
    def open_bus(self):
        bus = MemoryBus()
        return lambda: bus

    def test_objects_travel_as_they_are(self):
        bus, inbox, thing = MemoryBus(), Inbox(), object()
        bus.subscribe(["picture"], inbox)
        bus.publish(Message("picture", "tick", b"", local=thing))
        assert inbox.wait(1)[0].local is thing
