"""Home Assistant over a real Mosquitto: a minimal discovery reader finds one device and its entities, and they go."""

import asyncio
import json
import threading
from contextlib import contextmanager

import aiomqtt
import pytest

from skywatch.notify.hooks import RuleAlert, RuleState
from skywatch.notify.mqtt.publisher import MqttPublisher
from tests.integration.notify.conftest import HOST, PORT
from tests.waiting import PATIENCE_S, until


class FakeRules:
    """Rules as a feature tells them."""

    def __init__(self):
        self.states = [RuleState(1, "Low über Zürich", True, 2), RuleState(2, "Military", False, 0)]
        self.alerts = [RuleAlert(4, 1, {"id": 4, "message": "old"})]

    def rules(self, session):
        return self.states

    def last_alert_id(self, session):
        return max(alert.id for alert in self.alerts)

    def events_after(self, session, alert_id, limit):
        return [alert for alert in self.alerts if alert.id > alert_id][:limit]

    def statistics(self, session):
        return {"rules": len(self.states)}


class DiscoveryReader:
    """What Home Assistant makes of a broker: entities by unique id, with their state and availability."""

    def __init__(self, prefix):
        self.prefix, self.configs, self.values, self.events = prefix, {}, {}, []

    async def run(self, ready):
        async with aiomqtt.Client(HOST, PORT, protocol=aiomqtt.ProtocolVersion.V5, timeout=PATIENCE_S) as client:
            for topic in (f"{self.prefix}/ha/#", f"{self.prefix}/sky/#"):
                await client.subscribe(topic, qos=1)
            ready.set()
            async for message in client.messages:
                self.take(message.topic.value, message.payload.decode())

    def take(self, topic, text):
        if topic.endswith("/config"):
            if text:
                self.configs[topic] = json.loads(text)
            else:
                self.configs.pop(topic, None)
        elif topic.endswith("/event"):
            self.events.append(json.loads(text))
        else:
            self.values[topic] = text

    @property
    def devices(self):
        return {config["device"]["identifiers"][0] for config in self.configs.values()}

    def entities(self):
        """(component, name) -> state; only of what is available."""
        found = {}
        for topic, config in list(self.configs.items()):
            if self.values.get(config["availability_topic"]) != config["payload_available"]:
                continue
            component = topic.removeprefix(f"{self.prefix}/ha/").split("/")[0]
            value = json.loads(self.values.get(config["state_topic"]) or "{}")
            key = config.get("value_template", "").removeprefix("{{ value_json.").removesuffix(" }}")
            found[component, config["name"]] = value.get(key)
        return found


@contextmanager
def on_loop():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield lambda coroutine: asyncio.run_coroutine_threadsafe(coroutine, loop).result(PATIENCE_S), loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def reader(prefix, broker):
    reader = DiscoveryReader(prefix)
    with on_loop() as (call, loop):
        ready = threading.Event()
        future = asyncio.run_coroutine_threadsafe(reader.run(ready), loop)
        assert ready.wait(PATIENCE_S)
        yield reader
        future.cancel()

        async def clear():
            async with aiomqtt.Client(HOST, PORT, timeout=PATIENCE_S) as client:
                for topic in [*reader.configs, *reader.values]:
                    await client.publish(topic, b"", retain=True)

        call(clear())


@pytest.fixture
def publish(make_runtime, database_url, prefix, monkeypatch):
    """Runs a publisher for a while; it counts at every look."""
    monkeypatch.setattr("skywatch.notify.mqtt.publisher.STATISTICS_EVERY_S", 0.0)
    runtime = make_runtime(
        database_url=database_url,
        notify_mqtt_url=f"mqtt://{HOST}:{PORT}",
        notify_mqtt_prefix=f"{prefix}/sky",
        notify_ha_discovery_prefix=f"{prefix}/ha",
    )

    @contextmanager
    def publish(source):
        with on_loop() as (call, _):
            publisher = MqttPublisher(runtime, source)
            call(publisher.start())
            yield publisher
            call(publisher.stop())

    return publish


def test_one_device_with_three_entities_a_rule_which_go_with_the_rule(reader, publish):
    source = FakeRules()
    expected = {
        ("event", "Low über Zürich alert"): None,
        ("binary_sensor", "Low über Zürich"): "ON",
        ("sensor", "Low über Zürich count"): 2,
        ("event", "Military alert"): None,
        ("binary_sensor", "Military"): "OFF",
        ("sensor", "Military count"): 0,
    }
    with publish(source):
        until(lambda: reader.entities() == expected, "the entities")
        assert len(reader.devices) == 1
        source.alerts.append(RuleAlert(5, 1, {"id": 5, "message": "HB-ZRD is low"}))
        until(lambda: reader.events)
        # What is older than the first start is not told.
        assert reader.events == [{"event_type": "triggered", "id": 5, "message": "HB-ZRD is low"}]
        source.states = [RuleState(1, "Low über Zürich", False, 0)]
        until(lambda: reader.entities().get(("binary_sensor", "Low über Zürich")) == "OFF")
        until(lambda: len(reader.configs) == 3)
        until(lambda: reader.values[f"{reader.prefix}/sky/rules/2/state"] == "")
        until(lambda: json.loads(reader.values[f"{reader.prefix}/sky/statistics"]) == {"rules": 1})
    until(lambda: reader.entities() == {}, "everything unavailable")
    # A rule that goes while nobody publishes goes at the next start; alerts of the meantime are told.
    source.states = []
    source.alerts.append(RuleAlert(6, 1, {"id": 6}))
    with publish(source):
        until(lambda: not reader.configs)
        until(lambda: len(reader.events) == 2)
    assert [event["id"] for event in reader.events] == [5, 6]


def test_of_two_workers_one_publishes(reader, publish):
    source = FakeRules()
    with publish(source), publish(source):
        until(lambda: len(reader.entities()) == 6)
        for number in range(5, 10):
            source.alerts.append(RuleAlert(number, 1, {"id": number}))
        until(lambda: len(reader.events) >= 5)
    assert [event["id"] for event in reader.events] == [5, 6, 7, 8, 9]
