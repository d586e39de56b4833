"""Why a connection ends or is not let in: the close codes, messages and error codes that clients may rely on."""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.core.problems import Problem


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
# Never sent (RFC 6455, 7.4.1): the connection is cut.
NO_PONG = Closing(1006, "")


@dataclass(frozen=True)
class Refusal:
    """Why somebody is not let in: how the connection ends, and the code and detail that the client gets with it."""

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
