"""Messages to a single subscriber, encoded in its protocol."""

from __future__ import annotations

from typing import Any

from skywatch.realtime.connections.queues import Outlet
from skywatch.realtime.protocols import base


class Answers:
    """Writes messages of one protocol into the outbox of one connection."""

    def __init__(self, protocol: base.Protocol, outbox: Outlet) -> None:
        self._protocol = protocol
        self._outbox = outbox

    def send(self, kind: str, body: dict[str, Any], ack: int | None = None) -> None:
        """Send a message; ``ack`` is the acknowledgement number that a Socket.IO client waits for."""
        for payload in self._protocol.encode(kind, body, ack):
            self._outbox.push(self._protocol.frame(payload))

    def reply(self, command: base.Command, kind: str, body: dict[str, Any]) -> None:
        """Answer a command, with the id it came with."""
        if command.body.get("id") is not None:
            body = {"id": command.body["id"], **body}
        self.send(kind, body, command.ack)

    def error(self, code: str, detail: str, command: base.Command | None = None) -> None:
        """Send an error, with the command's id if that is valid."""
        body = {"code": code, "detail": detail}
        if command is None:
            self.send("error", body)
        elif isinstance(command.body.get("id"), str | int):
            self.reply(command, "error", body)
        else:
            self.send("error", body, command.ack)
