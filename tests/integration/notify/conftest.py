"""A database of each kind, a user and a receiver of webhooks."""

import asyncio

import aiomqtt
import pytest

from tests.notifying import add_user
from tests.ports import free_port
from tests.receiving import receiving
from tests.servers import skip_or_fail

HOST, PORT = "127.0.0.1", 1883


@pytest.fixture
def runtime(make_runtime, database_url):
    return make_runtime(database_url=database_url, auth_mode="public", notify_allow_networks="127.0.0.0/8")


@pytest.fixture
def sessions(runtime):
    return runtime.sessions


@pytest.fixture
def ada(sessions):
    return add_user(sessions)


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def broker():
    async def reach():
        async with aiomqtt.Client(HOST, PORT, timeout=3):
            pass

    try:
        asyncio.run(reach())
    except aiomqtt.MqttError:
        skip_or_fail("no MQTT broker at 127.0.0.1:1883")


@pytest.fixture
def prefix():
    return f"skywatch-test/{free_port()}"
