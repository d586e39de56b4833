"""The publisher as a service of the worker; the libraries of MQTT are imported only where there is a broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.runtime import Runtime
from skywatch.notify.hooks import MqttSource
from skywatch.notify.settings import NotifySettings

if TYPE_CHECKING:
    from skywatch.notify.mqtt.publisher import MqttPublisher


class NoPublisher:
    """Replaces the publisher if there is no broker or nothing to publish."""

    async def start(self) -> None:
        """Do nothing."""

    async def stop(self) -> None:
        """Do nothing."""


def create(runtime: Runtime) -> MqttPublisher | NoPublisher:
    """The publisher, if a broker is configured and a feature declares a source."""
    if not runtime.settings.of(NotifySettings).notify_mqtt_url:
        return NoPublisher()
    sources = runtime.features.provided(MqttSource)
    if not sources:
        return NoPublisher()
    from skywatch.notify.mqtt.publisher import MqttPublisher

    return MqttPublisher(runtime, sources[0].create())
