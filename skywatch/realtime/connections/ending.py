"""Counts the end of each connection once, by its first cause, so that it can be read why subscribers left."""

from __future__ import annotations

from skywatch.realtime.connections import closing
from skywatch.realtime.connections.closing import NO_CODE, Cause, Closing
from skywatch.realtime.metrics import REALTIME_CLOSED

# Codes of clients that have a label of their own; the others, which any client may choose, share one.
_CLIENT_CODES = range(1000, 1016)
OTHER_CODE = "other"


def label_of(reason: Closing) -> str:
    """The label ``code`` of an end; there are about thirty pairs of cause and code."""
    is_known = reason.cause is not Cause.CLIENT_CLOSED or reason.code in _CLIENT_CODES
    return str(reason.code) if is_known else OTHER_CODE


class Ending:
    """The end of one connection, or of one client that polls."""

    __slots__ = ("reason",)

    def __init__(self) -> None:
        self.reason: Closing | None = None

    def count(self, reason: Closing) -> None:
        """Count the end, unless that was done: what follows from the first cause is no cause."""
        if self.reason is None:
            self.reason = reason
            REALTIME_CLOSED.labels(reason.cause, label_of(reason)).inc()


def closed_by_client(code: int | None) -> Closing:
    """The end by a close frame of the client."""
    return Closing(NO_CODE if code is None else code, "", Cause.CLIENT_CLOSED)


def failed_by_client(code: int, message: str) -> Closing:
    """The end by a frame that breaks the protocol: too large (1009), not UTF-8 (1007) or malformed (1002)."""
    return Closing(code, message, Cause.MESSAGE_SIZE if code == 1009 else Cause.PROTOCOL_ERROR)


def _declare() -> None:
    """Begin with zeros: a counter that appears with its first increase has not grown in Prometheus' eyes."""
    for reason in vars(closing).values():
        if isinstance(reason, Closing):
            REALTIME_CLOSED.labels(reason.cause, label_of(reason))


_declare()
