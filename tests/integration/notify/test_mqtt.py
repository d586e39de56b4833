"""MQTT 5 over a real Mosquitto: channels publish below the prefix, and a broker that is away is waited for."""

import asyncio
import json

import aiomqtt
import pytest

from tests.integration.notify.conftest import HOST, PORT
from tests.notifying import add_channel, add_user, deliveries, delivering, notification, send
from tests.ports import free_port
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def runtime(make_runtime, database_url, prefix, broker):
    return make_runtime(
        database_url=database_url,
        auth_mode="public",
        notify_mqtt_url=f"mqtt://{HOST}:{PORT}",
        notify_mqtt_prefix=prefix,
    )


def test_a_channel_publishes_below_the_prefix(runtime, sessions, ada, prefix):
    channel = add_channel(sessions, ada, "kitchen/display", kind="mqtt")

    async def listen():
        async with aiomqtt.Client(HOST, PORT, protocol=aiomqtt.ProtocolVersion.V5, timeout=PATIENCE_S) as client:
            await client.subscribe(f"{prefix}/#", qos=1)
            await asyncio.to_thread(send, sessions, notification(ada, channel))
            async with asyncio.timeout(PATIENCE_S):
                return await anext(aiter(client.messages))

    with delivering(runtime):
        message = asyncio.run(listen())
        until(lambda: deliveries(sessions)[0].state == "delivered")
    assert message.topic.value == f"{prefix}/users/{ada}/kitchen/display"
    assert json.loads(message.payload)["data"]["message"] == "alert 1"
    assert message.properties.UserProperty == [("message-id", deliveries(sessions)[0].message_id)]
    assert message.retain is False


def test_a_broker_that_is_away_costs_a_retry(make_runtime, database_url, monkeypatch):
    monkeypatch.setattr("skywatch.notify.mqtt.link.PUBLISH_S", 1.0)
    runtime = make_runtime(
        database_url=database_url, auth_mode="public", notify_mqtt_url=f"mqtt://127.0.0.1:{free_port()}"
    )
    user = add_user(runtime.sessions)
    channel = add_channel(runtime.sessions, user, "kitchen", kind="mqtt")
    with delivering(runtime):
        send(runtime.sessions, notification(user, channel))
        until(lambda: deliveries(runtime.sessions)[0].last_error)
    (delivery,) = deliveries(runtime.sessions)
    assert (delivery.state, delivery.last_error) == ("pending", "The MQTT broker cannot be reached.")
