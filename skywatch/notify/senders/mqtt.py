"""MQTT: publishes to the topic of a channel below the installation's prefix."""

from __future__ import annotations

from skywatch.notify.messages import OutgoingMessage
from skywatch.notify.mqtt.link import MqttLink, NotConnected
from skywatch.notify.senders.base import Outcome, Recipient, SendFailed
from skywatch.notify.settings import NotifySettings


class MqttSender:
    """Publishes with QoS 1; a message is delivered when the broker acknowledges it."""

    def __init__(self, settings: NotifySettings) -> None:
        self._settings = settings
        self._link: MqttLink | None = None

    async def send(self, recipient: Recipient, message: OutgoingMessage) -> Outcome:
        """Publish; raises SendFailed if the broker does not acknowledge."""
        if not self._settings.notify_mqtt_url:
            raise SendFailed("This installation has no MQTT broker.", final=True)
        if self._link is None:
            self._link = MqttLink(self._settings)
            await self._link.start()
        topic = channel_topic(self._settings.notify_mqtt_prefix, recipient.user_id, recipient.address)
        try:
            await self._link.publish(topic, message.document, message_id=message.id)
        except NotConnected as error:
            raise SendFailed(str(error)) from None
        return Outcome()

    async def close(self) -> None:
        """Disconnect."""
        if self._link is not None:
            await self._link.stop()


def channel_topic(prefix: str, user_id: int, address: str) -> str:
    """The topic of a channel; it contains the user's id, so that no user can publish to another's topics."""
    return f"{prefix}/users/{user_id}/{address}"
