"""The connection to the broker: a background task reconnects; a last will publishes when it is lost."""

from __future__ import annotations

import asyncio
import logging
import secrets
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import unquote, urlsplit

import aiomqtt
import httpx
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from skywatch.core.network.certificates import tls_fault
from skywatch.core.process import tasks
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.notify.settings import NotifySettings, broker_trust
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
COMPONENT = "mqtt"
FIRST_PAUSE_S, MAX_PAUSE_S = 1.0, 30.0
KEEPALIVE_S = 30
# Longest wait for a broker's acknowledgement (s).
PUBLISH_S = 10.0
ONLINE, OFFLINE = "online", "offline"


class NotConnected(Exception):
    """The broker cannot be reached; ``str()`` is for people."""


class MqttLink:
    """A connection that reconnects by itself and then calls ``on_connect``.

    With ``announces`` it publishes ``online`` and, as last will, ``offline`` on ``<prefix>/status``.
    """

    def __init__(
        self,
        settings: NotifySettings,
        *,
        announces: bool = False,
        on_connect: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._url = settings.notify_mqtt_url
        self.status_topic = f"{settings.notify_mqtt_prefix}/status"
        self._announces = announces
        self._on_connect = on_connect
        self._client: aiomqtt.Client | None = None
        self._connected = asyncio.Event()
        self._faults = FaultLog(
            log,
            sentence("health.mqtt_unreachable", "the MQTT broker cannot be reached"),
            "the MQTT broker is reached again",
        )
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start connecting."""
        self._task = asyncio.create_task(self._run(), name="mqtt")

    async def stop(self, *, announce: bool = True) -> None:
        """Disconnect; with ``announce`` publish ``offline`` first (not if another worker has taken over)."""
        if self._client is not None and self._announces and announce:
            # Where this fails, the broker publishes the last will.
            with suppress(aiomqtt.MqttError):
                await self._client.publish(self.status_topic, OFFLINE, qos=1, retain=True, timeout=2)
        if self._task is not None:
            await tasks.end(self._task)
        if self._announces:
            health.withdraw(COMPONENT)

    async def publish(self, topic: str, payload: bytes | str, *, retain: bool = False, message_id: str = "") -> None:
        """Publish and wait for the broker's acknowledgement (QoS 1); raises NotConnected."""
        try:
            async with asyncio.timeout(PUBLISH_S):
                await self._connected.wait()
                client = self._client
                if client is None:
                    raise NotConnected("The MQTT broker cannot be reached.")
                await client.publish(topic, payload, qos=1, retain=retain, properties=_properties(message_id))
        except (TimeoutError, aiomqtt.MqttError):
            raise NotConnected("The MQTT broker cannot be reached.") from None

    async def _run(self) -> None:
        pause, failures = FIRST_PAUSE_S, 0
        while True:
            try:
                async with self._make_client() as client:
                    self._client = client
                    if self._announces:
                        await client.publish(self.status_topic, ONLINE, qos=1, retain=True)
                        health.report(COMPONENT, True)
                    self._connected.set()
                    self._faults.succeeded()
                    pause, failures = FIRST_PAUSE_S, 0
                    if self._on_connect is not None:
                        await self._on_connect()
                    async for _ in client.messages:
                        pass  # Nothing is subscribed; the iteration ends with the connection.
            except Exception as error:
                # Catches everything: no other task would reconnect.
                failures += 1
                is_expected = isinstance(error, aiomqtt.MqttError | NotConnected | OSError)
                self._faults.failed(_why(error), None if is_expected else error)
                if self._announces:
                    health.report(
                        COMPONENT,
                        False,
                        sentence("health.mqtt_unreachable", "the MQTT broker cannot be reached"),
                        failures=float(failures),
                    )
            finally:
                self._connected.clear()
                self._client = None
            await asyncio.sleep(pause)
            pause = min(MAX_PAUSE_S, pause * 2)

    def _make_client(self) -> aiomqtt.Client:
        parts = urlsplit(self._url)
        secure = parts.scheme == "mqtts"
        will = aiomqtt.Will(self.status_topic, OFFLINE, qos=1, retain=True) if self._announces else None
        return aiomqtt.Client(
            parts.hostname or "",
            parts.port or (8883 if secure else 1883),
            username=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password) if parts.password else None,
            identifier=f"skywatch-{secrets.token_hex(6)}",
            protocol=aiomqtt.ProtocolVersion.V5,
            tls_context=(broker_trust(self._url).context() or httpx.create_ssl_context()) if secure else None,
            will=will,
            keepalive=KEEPALIVE_S,
            timeout=PUBLISH_S,
        )


def _why(error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return tls_fault(cause)
        cause = cause.__cause__ or cause.__context__
    return str(error) or type(error).__name__


def _properties(message_id: str) -> Properties | None:
    if not message_id:
        return None
    properties = Properties(PacketTypes.PUBLISH)
    properties.ContentType = "application/json"
    properties.UserProperty = [("message-id", message_id)]
    return properties
