"""The enumerations of channels and deliveries."""

from __future__ import annotations

from enum import StrEnum


class ChannelKind(StrEnum):
    """The kind of a channel."""

    WEBHOOK = "webhook"
    APPRISE = "apprise"
    MQTT = "mqtt"
    WEB_PUSH = "web_push"


class ChannelState(StrEnum):
    """The state of a channel; ``disabled`` after too many failures or if the receiver is permanently gone."""

    HEALTHY = "healthy"
    FAILING = "failing"
    DISABLED = "disabled"


class DeliveryState(StrEnum):
    """The state of a delivery; ``held`` waits for the end of quiet hours, ``dead`` is not retried any more."""

    PENDING = "pending"
    SENDING = "sending"
    HELD = "held"
    DELIVERED = "delivered"
    DEAD = "dead"


# States of deliveries that are still to be sent.
OPEN_STATES = (DeliveryState.PENDING, DeliveryState.HELD, DeliveryState.SENDING)


class Priority(StrEnum):
    """In ascending order of importance."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


PRIORITIES: tuple[str, ...] = tuple(priority.value for priority in Priority)


def is_at_least(priority: str, minimum: str) -> bool:
    """Whether a priority is equal to or above a minimum."""
    return PRIORITIES.index(priority) >= PRIORITIES.index(minimum)
