"""What the deliveries of tests/functional/notify/deliveries have, and the MQTT broker."""

import asyncio

import aiomqtt
import pytest

from tests.functional.notify.deliveries.conftest import ada, receiver, runtime, sessions
from tests.ports import free_port
from tests.servers import skip_or_fail
from tests.waiting import PATIENCE_S

__all__ = ["ada", "receiver", "runtime", "sessions"]
HOST, PORT = "127.0.0.1", 1883


@pytest.fixture
def broker():
    async def reach():
        async with aiomqtt.Client(HOST, PORT, timeout=PATIENCE_S):
            pass

    try:
        asyncio.run(reach())
    except aiomqtt.MqttError:
        skip_or_fail("MQTT broker", "nothing listens at 127.0.0.1:1883")


@pytest.fixture
def prefix():
    return f"skywatch-test/{free_port()}"
