"""Clients of the channel that die in the unkindest way: they read nothing, close their sending side, and read the rest.

The server then closes a connection whose queue it empties at that very moment, so that a write meets a transport
that has just gone.
"""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
# Enough for the kernel to take the rest of the server's buffer in one piece, which is when it all happens.
RECEIVE_BYTES = 256 * 1024


def frame(message: Any) -> bytes:
    """A client's text frame with a mask of zeros."""
    payload = json.dumps(message).encode()
    assert len(payload) < 126
    return bytes((0x81, 0x80 | len(payload))) + bytes(4) + payload


async def stall(port: int, *topics: str) -> socket.socket:
    """A client that has subscribed and reads nothing."""
    loop = asyncio.get_running_loop()
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
    client.setblocking(False)
    await loop.sock_connect(client, ("127.0.0.1", port))
    subscribe = frame({"type": "subscribe", "topics": list(topics)})
    await loop.sock_sendall(client, HANDSHAKE + frame({"type": "connect"}) + subscribe)
    return client


def read_what_is_there(client: socket.socket) -> int:
    """Read without waiting; how many bytes that were."""
    received = 0
    try:
        while data := client.recv(1 << 20):
            received += len(data)
    except BlockingIOError:
        pass
    return received


async def die(client: socket.socket) -> None:
    """Close the sending side, and read what is left until the server closes."""
    loop = asyncio.get_running_loop()
    try:
        client.shutdown(socket.SHUT_WR)
        while await loop.sock_recv(client, 1 << 20):
            pass
    except OSError:
        pass  # The server may cut it off, too.
    finally:
        client.close()
