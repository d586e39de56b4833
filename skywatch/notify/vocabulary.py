"""The closed lists of words that channels and deliveries use."""

from __future__ import annotations

from enum import StrEnum


class ChannelKind(StrEnum):
    """How a channel sends."""

    WEBHOOK = "webhook"
    APPRISE = "apprise"
    MQTT = "mqtt"
    WEB_PUSH = "web_push"


class ChannelState(StrEnum):
    """How a channel does; ``disabled`` after too many failures or where the receiver says that it is gone."""

    HEALTHY = "healthy"
    FAILING = "failing"
    DISABLED = "disabled"


class DeliveryState(StrEnum):
    """Where a delivery is; ``held`` waits for the end of quiet hours, ``dead`` was given up."""

    PENDING = "pending"
    SENDING = "sending"
    HELD = "held"
    DELIVERED = "delivered"
    DEAD = "dead"


# Deliveries of which something is still to come.
OPEN_STATES = (DeliveryState.PENDING, DeliveryState.HELD, DeliveryState.SENDING)


class Priority(StrEnum):
    """From the least to the most important."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


PRIORITIES: tuple[str, ...] = tuple(priority.value for priority in Priority)
# What a channel may be sent beside the alerts of the rules that name it.
SOURCES: tuple[str, ...] = ("cannonball", "safety")


def is_at_least(priority: str, minimum: str) -> bool:
    """Whether a priority reaches a minimum."""
    return PRIORITIES.index(priority) >= PRIORITIES.index(minimum)
