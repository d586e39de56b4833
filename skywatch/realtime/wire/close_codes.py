"""Reasons why a connection ends or is refused: the close codes, messages and error codes that clients may rely on.

Each end is counted once, by its first cause, so that it can be read why subscribers left.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from skywatch.core.problems import Problem
from skywatch.realtime.metrics import REALTIME_CLOSED
from skywatch.realtime.wire.answers import ConnectError, RefusalData
from skywatch.sentences import sentence, worded


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
    SNAPSHOT_RATE = "snapshot_rate"
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
# Codes of clients that have a label of their own; the others, which any client may choose, share one.
_CLIENT_CODES = range(1000, 1016)
OTHER_CODE = "other"


@dataclass(frozen=True)
class CloseReason:
    """A close code (RFC 6455, section 7.4), the message that goes with it, and the cause that is counted.

    With ``ABNORMAL`` nothing is sent: the connection is cut.
    """

    code: int
    message: str
    cause: Cause


AUTHENTICATION_FAILED = CloseReason(4001, "Authentication failed", Cause.AUTHENTICATION)
PERMISSION_DENIED = CloseReason(4003, "Permission denied", Cause.PERMISSION)
TOO_SLOW = CloseReason(4008, "The connection is too slow for its topics", Cause.TOO_SLOW)
TOO_MANY_CONNECTIONS = CloseReason(4029, "Too many connections", Cause.USER_LIMIT)
TOO_MANY_SNAPSHOTS = CloseReason(4029, "Too many snapshots", Cause.SNAPSHOT_RATE)
TOO_MANY_MESSAGES = CloseReason(4029, "Too many messages", Cause.MESSAGE_RATE)
CLIENT_LEFT = CloseReason(1000, "", Cause.CLIENT_CLOSED)
PROTOCOL_ERROR = CloseReason(1002, "That is not a packet of this protocol", Cause.PROTOCOL_ERROR)
NOT_TEXT = CloseReason(1003, "Only text is understood", Cause.PROTOCOL_ERROR)
NOT_BINARY = CloseReason(1003, "Only binary messages are understood", Cause.PROTOCOL_ERROR)
RESTARTING = CloseReason(1012, "The service is restarting", Cause.RESTARTING)
TRY_AGAIN = CloseReason(1013, "Temporarily unavailable", Cause.UNAVAILABLE)
NO_PONG = CloseReason(ABNORMAL, "", Cause.NO_PONG)
CONNECTION_LIMIT = CloseReason(ABNORMAL, "", Cause.CONNECTION_LIMIT)
ADDRESS_LIMIT = CloseReason(ABNORMAL, "", Cause.ADDRESS_LIMIT)
HANDSHAKE_SIZE = CloseReason(ABNORMAL, "", Cause.HANDSHAKE_SIZE)
HANDSHAKE_TIMEOUT = CloseReason(ABNORMAL, "", Cause.HANDSHAKE_TIMEOUT)
HANDSHAKE_REFUSED = CloseReason(ABNORMAL, "", Cause.HANDSHAKE_REFUSED)
UPGRADE_FAILED = CloseReason(ABNORMAL, "", Cause.UPGRADE_FAILED)
WRITE_FAILED = CloseReason(ABNORMAL, "", Cause.WRITE_FAILED)
INTERNAL_ERROR = CloseReason(ABNORMAL, "", Cause.INTERNAL_ERROR)
CLIENT_GONE = CloseReason(ABNORMAL, "", Cause.CLIENT_GONE)
CONNECTION_LOST = CloseReason(ABNORMAL, "", Cause.CONNECTION_LOST)


@dataclass(frozen=True)
class Refusal:
    """A refusal: how the connection ends, and the code and detail that the client gets with it."""

    reason: CloseReason
    code: str
    detail: str

    @property
    def message(self) -> ConnectError:
        """What the client is told."""
        return ConnectError(
            message=self.reason.message, data=RefusalData(code=self.code, **worded("detail", self.detail))
        )


def wrong_credential(problem: Problem) -> Refusal:
    """The refusal of a credential."""
    return Refusal(AUTHENTICATION_FAILED, problem.kind.code, problem.sentence)


def too_many_snapshots(after_s: int) -> Refusal:
    """The refusal of a connection whose person has received more snapshots than they may."""
    return Refusal(
        TOO_MANY_SNAPSHOTS,
        "rate_limited",
        sentence(
            "realtime.snapshots_received",
            "Your connections have received too many snapshots (realtime_snapshots_per_s); come back in {seconds} s.",
            seconds=after_s,
        ),
    )


CREDENTIAL_REQUIRED = Refusal(
    AUTHENTICATION_FAILED,
    "authentication_required",
    sentence("realtime.credential_required", "This service lets in nobody without a credential."),
)
CONNECT_MISSING = Refusal(
    AUTHENTICATION_FAILED,
    "authentication_required",
    sentence("realtime.connect_missing", "No connect message came in time."),
)
TWO_CREDENTIALS = Refusal(
    AUTHENTICATION_FAILED,
    "token_invalid",
    sentence("realtime.two_credentials", "The token of connect is another one than that of the handshake."),
)
NO_TOPIC = Refusal(
    PERMISSION_DENIED, "permission_denied", sentence("realtime.no_topic_open", "No topic is open to this caller.")
)
ORIGIN_NOT_ALLOWED = Refusal(
    PERMISSION_DENIED,
    "origin_not_allowed",
    sentence("realtime.origin", "Pages of this origin may not open the channel (cors_allowed_origins)."),
)
USER_HAS_ENOUGH = Refusal(
    TOO_MANY_CONNECTIONS,
    "rate_limited",
    sentence("realtime.user_connections", "This user has as many connections as one may have."),
)
ACCOUNTS_AWAY = Refusal(
    TRY_AGAIN, "unavailable", sentence("realtime.accounts_away", "The credential cannot be checked now.")
)


def label_of(reason: CloseReason) -> str:
    """The label ``code`` of an end; there are about thirty pairs of cause and code."""
    is_known = reason.cause is not Cause.CLIENT_CLOSED or reason.code in _CLIENT_CODES
    return str(reason.code) if is_known else OTHER_CODE


class Ending:
    """The end of one connection, or of one client that polls."""

    __slots__ = ("reason",)

    def __init__(self) -> None:
        self.reason: CloseReason | None = None

    def count(self, reason: CloseReason) -> None:
        """Count the end, unless that was done: what follows from the first cause is no cause."""
        if self.reason is None:
            self.reason = reason
            REALTIME_CLOSED.labels(reason.cause, label_of(reason)).inc()


def closed_by_client(code: int | None) -> CloseReason:
    """The end by a close frame of the client."""
    return CloseReason(NO_CODE if code is None else code, "", Cause.CLIENT_CLOSED)


def failed_by_client(code: int, message: str) -> CloseReason:
    """The end by a frame that breaks the protocol: too large (1009), not UTF-8 (1007) or malformed (1002)."""
    return CloseReason(code, message, Cause.MESSAGE_SIZE if code == 1009 else Cause.PROTOCOL_ERROR)


def _declare() -> None:
    """Begin with zeros: a counter that appears with its first increase has not grown in Prometheus' eyes."""
    for reason in list(globals().values()):
        if isinstance(reason, CloseReason):
            REALTIME_CLOSED.labels(reason.cause, label_of(reason))


_declare()
