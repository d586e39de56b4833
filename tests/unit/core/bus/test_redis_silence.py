"""When a subscription on Redis on which nothing arrives is given up, by a clock that the server's answers move."""

import logging
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from skywatch.core.bus.redis import subscription
from skywatch.core.bus.redis.subscription import POLL_S, RedisSubscription
from skywatch.core.telemetry.fault_log import FaultLog
from tests.waiting import until


class Connection:
    """Server, its one connection, and clock: each poll takes the next of these times (s) and brings nothing.

    After the last one, heartbeats arrive.
    """

    def __init__(self, polls: list[float]) -> None:
        self.now = 0.0
        self.opened = 0
        self.is_over = threading.Event()
        self._polls: Iterator[float] = iter(polls)

    def pubsub(self, **_):
        self.opened += 1
        return self

    def subscribe(self, *channels):
        pass

    def close(self):
        pass

    def get_message(self, timeout):
        poll_s = next(self._polls, None)
        if poll_s is not None:
            self.now += poll_s
            return None
        self.is_over.wait(0.001)
        self.is_over.set()
        return {"type": "message", "channel": b"heartbeat"}


@pytest.mark.parametrize(
    ("polls", "is_given_up"),
    [
        pytest.param([60.0], False, id="this process was frozen"),
        pytest.param([60.0, *[POLL_S] * 20], False, id="frozen, and a while until the next heartbeat"),
        pytest.param([POLL_S] * 24, False, id="heartbeats that are late"),
        pytest.param([POLL_S] * 26, True, id="nothing arrives any more"),
        pytest.param([60.0] * 13, True, id="on a machine that is too busy to poll"),
    ],
)
def test_a_connection_is_given_up_after_silence_that_this_process_was_awake_for(monkeypatch, polls, is_given_up):
    monkeypatch.setattr(subscription, "RETRY_FIRST_S", 0.0)
    connection = Connection(polls)
    monkeypatch.setattr(subscription, "time", SimpleNamespace(monotonic=lambda: connection.now))
    faults = FaultLog(logging.getLogger(__name__), "the bus is away", "the bus is back")
    listening = RedisSubscription(connection, {}, b"heartbeat", lambda message: None, None, 0.0, faults)
    until(connection.is_over.is_set)
    listening.close()
    listening.join(60.0)
    assert (connection.opened, faults.count) == ((2, 1) if is_given_up else (1, 0))
