"""``listen HOST:PORT [allow=NETWORK,...] [connections=64]``: a TCP port that programs connect to.

Each connection has a decoder of its own. A client that sends nonsense, stalls or never ends its lines costs its own
connection and nobody else's; one that sends too much is read later (``tcp.Pace``). Clients beyond the limit and from
other networks are closed unread and counted.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from skywatch.core.network.addresses import Network
from skywatch.inputs.base import Consumer, DecoderFactory, InputStatus, Message
from skywatch.inputs.options import Options, Words, join_address, parse_address
from skywatch.inputs.retrying_input import MessageInput
from skywatch.inputs.transports.port import DEFAULT_CONNECTIONS, MAX_CONNECTIONS, Port
from skywatch.inputs.transports.tcp import READ_BYTES, Pace
from skywatch.sentences import sentence

# Of one address, a part of all: one sender that reconnects in a loop must not lock out the others.
SHARE_OF_ADDRESS = 0.5


class ListenInput(MessageInput[Message]):
    """Messages from programs that connect to us."""

    def __init__(
        self,
        status: InputStatus,
        address: tuple[str, int],
        allowed: Sequence[Network],
        connections: int,
        decoder: DecoderFactory[Message],
        consumer: Consumer[Message],
    ) -> None:
        super().__init__(status, consumer)
        self._port = Port(self, address, allowed, connections, self._read, SHARE_OF_ADDRESS)
        self._decoder = decoder

    @property
    def port(self) -> int | None:
        """The number of the port, once it is open."""
        return self._port.number

    @property
    def status(self) -> InputStatus:
        """The state of this moment, a copy."""
        status = super().status
        status.connections = len(self._port)
        return status

    async def session(self) -> None:
        """Listen until cancelled; raises InputError where the port cannot be opened."""
        await self._port.serve_forever()

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        decoder, pace = self._decoder(self.invalid), Pace()
        while received := await reader.read(READ_BYTES):
            messages = decoder.feed(received, time.time())
            self.deliver(messages, host)
            await self._consumer.ready()
            await pace.keep(len(messages), len(received))


def create(
    family: str, name: str, words: Words, decoder: DecoderFactory[Message], consumer: Consumer[Message]
) -> ListenInput[Message]:
    """Raises ValueError where the address or an option is wrong."""
    if not words:
        raise ValueError(
            sentence("input.expected_listen_5555", "expected the host:port to listen on, such as 0.0.0.0:5555")
        )
    host, port = parse_address(words[0], lowest_port=0)
    options = Options(words[1:])
    allowed = options.networks("allow")
    connections = options.whole("connections", DEFAULT_CONNECTIONS, 1, MAX_CONNECTIONS)
    options.finish()
    status = InputStatus(name=name, kind="listen", address=join_address(host, port), family=family)
    return ListenInput(status, (host, port), allowed, connections, decoder, consumer)
