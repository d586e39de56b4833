"""The publisher as a service of the worker; the libraries of MQTT are imported only where there is a broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.runtime import Runtime
from skywatch.notify.hooks import MqttSource
from skywatch.notify.settings import NotifySettings

if TYPE_CHECKING:
    from skywatch.notify.mqtt.publisher import MqttPublisher


def create(runtime: Runtime) -> MqttPublisher | None:
    """The publisher, if a broker is configured and a feature declares a source."""
    sources = runtime.features.provided(MqttSource)
    if not runtime.settings.of(NotifySettings).notify_mqtt_url or not sources:
        return None
    from skywatch.notify.mqtt.publisher import MqttPublisher

    return MqttPublisher(runtime, sources[0].create())
