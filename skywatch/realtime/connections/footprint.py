"""What an open WebSocket keeps in memory.

Autobahn gives each connection some eighty attributes in a dictionary, half of them copies of the server's options, and
keeps the whole handshake, two queues, three futures and counters that nothing here reads: nine kilobytes for a
connection that only listens. Here its attributes have slots, the options stand once in a class, and what only the
handshake needs is dropped when that is over. ``tests/unit/serving/test_private_names.py`` fails by the name where
Autobahn gives an attribute that has no slot.
"""

from __future__ import annotations

from typing import Any

from autobahn.websocket.protocol import TrafficStats

# What Autobahn sets on each connection: what it was until its end, and what the end needs.
STATE = (
    "_isMessageCompressed", "_perMessageCompress", "autoPingPending", "autoPingPendingCall", "autoPingPendingSent",
    "autoPingPendingSeq", "autoPingTimeoutCall", "closeHandshakeTimeoutCall", "closedByMe", "control_frame_data",
    "current_frame", "current_frame_masker", "data", "droppedByMe", "factory", "failedByMe", "frame_data",
    "frame_length", "inside_message", "localCloseCode", "localCloseReason", "message_data",
    "message_data_total_length", "message_is_binary", "openHandshakeTimeoutCall", "remoteCloseCode",
    "remoteCloseReason", "send_queue", "send_state", "state", "trackedTimings", "trafficStats", "transport",
    "triggered", "utf8validateIncomingCurrentMessage", "utf8validateLast", "utf8validator", "wasClean",
    "wasCloseHandshakeTimeout", "wasMaxFramePayloadSizeExceeded", "wasMaxMessagePayloadSizeExceeded",
    "wasNotCleanReason", "wasOpenHandshakeTimeout", "wasServerConnectionDropTimeout",
    "wasServingFlashSocketPolicyFile",
)  # fmt: skip
# What only the handshake needs: the request with its tokens, the answer, and where it came from.
HANDSHAKE = (
    "_transport_details", "_wskey", "http_headers", "http_request_data", "http_request_host", "http_request_params",
    "http_request_path", "http_request_uri", "http_response_data", "http_status_line", "peer", "receive_queue",
    "websocket_extensions", "websocket_extensions_in_use", "websocket_origin", "websocket_protocol_in_use",
    "websocket_protocols", "websocket_version",
)  # fmt: skip
# Autobahn's counts of bytes, which nothing reads: one object for all connections.
UNREAD = TrafficStats()


class NobodyWaits:
    """In the place of Autobahn's futures for an open and a closed connection."""

    @staticmethod
    def set_result(result: object) -> None:
        """Nobody is told."""


NOBODY_WAITS = NobodyWaits()


def with_options(kind: type[Any], factory: Any) -> type[Any]:
    """A class of connections that has the options of a factory, which Autobahn copies to each connection otherwise."""
    options = {name: getattr(factory, name) for name in kind.CONFIG_ATTRS}
    # A function would become a method.
    options["perMessageCompressionAccept"] = staticmethod(options["perMessageCompressionAccept"])
    return type(kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__, **options})
