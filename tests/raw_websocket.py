"""WebSocket by hand, for clients that do what no library lets them do."""

from __future__ import annotations

import asyncio

from tests.waiting import PATIENCE_S

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def frame(payload: bytes, first: int = 0x81) -> bytes:
    """A client's frame with a mask of zeros."""
    if len(payload) < 126:
        return bytes((first, 0x80 | len(payload))) + bytes(4) + payload
    return bytes((first, 0x80 | 126)) + len(payload).to_bytes(2, "big") + bytes(4) + payload


async def open_raw(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection whose upgrade is over."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HANDSHAKE)
    assert b" 101 " in await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
    return reader, writer


async def close_code_of(reader: asyncio.StreamReader) -> int | None:
    """The code of the close frame that ends what is read."""
    data = bytearray()
    try:
        while chunk := await asyncio.wait_for(reader.read(65536), PATIENCE_S):
            data += chunk
    except ConnectionError:
        pass
    at, code = 0, None
    while at + 2 <= len(data):
        size, start = data[at + 1], at + 2
        if size == 126:
            size, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
        if data[at] & 15 == 8:
            code = int.from_bytes(data[start : start + 2], "big")
        at = start + size
    return code
