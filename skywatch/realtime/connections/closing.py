"""Reasons why a connection ends or is refused: the close codes, messages and error codes that clients may rely on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from skywatch.core.problems import Problem


class Cause(StrEnum):
    """Why a connection ended, for the metric; a connection has one cause, the first."""

    # The service ended it
    AUTHENTICATION = "authentication"
    PERMISSION = "permission"
    TOO_SLOW = "too_slow"
    CONNECTION_LIMIT = "connection_limit"
    ADDRESS_LIMIT = "address_limit"
    USER_LIMIT = "user_limit"
    MESSAGE_RATE = "message_rate"
    MESSAGE_SIZE = "message_size"
    PROTOCOL_ERROR = "protocol_error"
    RESTARTING = "restarting"
    UNAVAILABLE = "unavailable"
    NO_PONG = "no_pong"
    HANDSHAKE_SIZE = "handshake_size"
    HANDSHAKE_TIMEOUT = "handshake_timeout"
    HANDSHAKE_REFUSED = "handshake_refused"
    UPGRADE_FAILED = "upgrade_failed"
    WRITE_FAILED = "write_failed"
    INTERNAL_ERROR = "internal_error"
    # The client ended it: with a close frame or packet, without one, by a reset or a timeout of TCP
    CLIENT_CLOSED = "client_closed"
    CLIENT_GONE = "client_gone"
    CONNECTION_LOST = "connection_lost"


# Where no close frame was exchanged, and where one had no code (RFC 6455, section 7.4.1).
ABNORMAL, NO_CODE = 1006, 1005


@dataclass(frozen=True)
class Closing:
    """A close code (RFC 6455, section 7.4), the message that goes with it, and the cause that is counted.

    With ``ABNORMAL`` nothing is sent: the connection is cut.
    """

    code: int
    message: str
    cause: Cause


AUTHENTICATION_FAILED = Closing(4001, "Authentication failed", Cause.AUTHENTICATION)
PERMISSION_DENIED = Closing(4003, "Permission denied", Cause.PERMISSION)
TOO_SLOW = Closing(4008, "The connection is too slow for its topics", Cause.TOO_SLOW)
TOO_MANY_CONNECTIONS = Closing(4029, "Too many connections", Cause.USER_LIMIT)
TOO_MANY_MESSAGES = Closing(4029, "Too many messages", Cause.MESSAGE_RATE)
CLIENT_LEFT = Closing(1000, "", Cause.CLIENT_CLOSED)
PROTOCOL_ERROR = Closing(1002, "That is not a packet of this protocol", Cause.PROTOCOL_ERROR)
NOT_TEXT = Closing(1003, "Only text is understood", Cause.PROTOCOL_ERROR)
NOT_BINARY = Closing(1003, "Only binary messages are understood", Cause.PROTOCOL_ERROR)
RESTARTING = Closing(1012, "The service is restarting", Cause.RESTARTING)
TRY_AGAIN = Closing(1013, "Temporarily unavailable", Cause.UNAVAILABLE)
NO_PONG = Closing(ABNORMAL, "", Cause.NO_PONG)
CONNECTION_LIMIT = Closing(ABNORMAL, "", Cause.CONNECTION_LIMIT)
ADDRESS_LIMIT = Closing(ABNORMAL, "", Cause.ADDRESS_LIMIT)
HANDSHAKE_SIZE = Closing(ABNORMAL, "", Cause.HANDSHAKE_SIZE)
HANDSHAKE_TIMEOUT = Closing(ABNORMAL, "", Cause.HANDSHAKE_TIMEOUT)
HANDSHAKE_REFUSED = Closing(ABNORMAL, "", Cause.HANDSHAKE_REFUSED)
UPGRADE_FAILED = Closing(ABNORMAL, "", Cause.UPGRADE_FAILED)
WRITE_FAILED = Closing(ABNORMAL, "", Cause.WRITE_FAILED)
INTERNAL_ERROR = Closing(ABNORMAL, "", Cause.INTERNAL_ERROR)
CLIENT_GONE = Closing(ABNORMAL, "", Cause.CLIENT_GONE)
CONNECTION_LOST = Closing(ABNORMAL, "", Cause.CONNECTION_LOST)


@dataclass(frozen=True)
class Refusal:
    """A refusal: how the connection ends, and the code and detail that the client gets with it."""

    closing: Closing
    code: str
    detail: str

    @property
    def data(self) -> dict[str, str]:
        """What goes with the message."""
        return {"code": self.code, "detail": self.detail}


def wrong_credential(problem: Problem) -> Refusal:
    """The refusal of a credential."""
    return Refusal(AUTHENTICATION_FAILED, problem.kind.code, problem.detail)


CREDENTIAL_REQUIRED = Refusal(
    AUTHENTICATION_FAILED, "authentication_required", "This service lets in nobody without a credential."
)
CONNECT_MISSING = Refusal(AUTHENTICATION_FAILED, "authentication_required", "No connect message came in time.")
TWO_CREDENTIALS = Refusal(
    AUTHENTICATION_FAILED, "token_invalid", "The token of connect is another one than that of the handshake."
)
NO_TOPIC = Refusal(PERMISSION_DENIED, "permission_denied", "No topic is open to this caller.")
ORIGIN_NOT_ALLOWED = Refusal(
    PERMISSION_DENIED, "origin_not_allowed", "Pages of this origin may not open the channel (cors_allowed_origins)."
)
USER_HAS_ENOUGH = Refusal(TOO_MANY_CONNECTIONS, "rate_limited", "This user has as many connections as one may have.")
ACCOUNTS_AWAY = Refusal(TRY_AGAIN, "unavailable", "The credential cannot be checked now.")
