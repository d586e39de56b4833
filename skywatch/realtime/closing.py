"""Why a connection ends: the close codes and messages that clients may rely on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Closing:
    """A close code (RFC 6455, section 7.4) and the message that goes with it."""

    code: int
    message: str


AUTHENTICATION_FAILED = Closing(4001, "Authentication failed")
PERMISSION_DENIED = Closing(4003, "Permission denied")
TOO_SLOW = Closing(4008, "The connection is too slow for its topics")
TOO_MANY_CONNECTIONS = Closing(4029, "Too many connections")
TOO_MANY_MESSAGES = Closing(4029, "Too many messages")
CLIENT_LEFT = Closing(1000, "")
PROTOCOL_ERROR = Closing(1002, "That is not a packet of this protocol")
NOT_TEXT = Closing(1003, "Only text is understood")
NOT_BINARY = Closing(1003, "Only binary messages are understood")
RESTARTING = Closing(1012, "The service is restarting")
TRY_AGAIN = Closing(1013, "Temporarily unavailable")
