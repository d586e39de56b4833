"""The PROXY protocol, versions 1 and 2, with which a proxy says whose connection it passes on.

Source: HAProxy's proxy-protocol.txt, sections 2.1 and 2.2. Pure functions over the bytes received so far.
"""

from __future__ import annotations

import ipaddress
import struct
from typing import NamedTuple

SIGNATURE_1, SIGNATURE_2 = b"PROXY ", b"\r\n\r\n\0\r\nQUIT\n"
MAX_LINE, MAX_BINARY = 107, 16 + 2048
_LOCAL, _PROXY = 0x20, 0x21
# Family and protocol of version 2: TCP over IPv4 and IPv6; their addresses' bytes.
_TCP4, _TCP6 = 0x11, 0x21


class ProxyHeaderError(ValueError):
    """The bytes are no PROXY header."""


class ProxyHeader(NamedTuple):
    """What a header says: the client (None: the proxy speaks for itself), and the header's length in bytes."""

    client: tuple[str, int] | None
    length: int


def begins_header(received: bytes) -> bool:
    """Whether bytes are a header of either version, or may become one."""
    return any(
        received.startswith(signature) or (received != b"" and signature.startswith(received))
        for signature in (SIGNATURE_1, SIGNATURE_2)
    )


def read_header(received: bytes) -> ProxyHeader | None:
    """The header at the beginning, None while it is incomplete; raises ProxyHeaderError."""
    if received.startswith(SIGNATURE_2):
        return _read_binary(received)
    if received.startswith(SIGNATURE_1):
        return _read_line(received)
    if not begins_header(received) and received:
        raise ProxyHeaderError("no PROXY header")
    return None


def _read_line(received: bytes) -> ProxyHeader | None:
    end = received.find(b"\r\n", 0, MAX_LINE)
    if end < 0:
        if len(received) >= MAX_LINE:
            raise ProxyHeaderError("the line does not end")
        return None
    words = received[:end].split(b" ")
    if words[1] == b"UNKNOWN":
        return ProxyHeader(None, end + 2)
    try:
        _, family, source, _, port, _ = (word.decode("ascii") for word in words)
        address = ipaddress.ip_address(source)
        is_port = port.isdecimal() and 0 <= int(port) <= 0xFFFF
    except ValueError:
        raise ProxyHeaderError("a malformed line") from None
    if family != f"TCP{address.version}" or not is_port:
        raise ProxyHeaderError("a malformed line")
    return ProxyHeader((str(address), int(port)), end + 2)


def _read_binary(received: bytes) -> ProxyHeader | None:
    if len(received) < 16:
        return None
    command, family, size = struct.unpack_from(">BBH", received, 12)
    length = 16 + size
    if command not in (_LOCAL, _PROXY) or length > MAX_BINARY:
        raise ProxyHeaderError("an unknown version or command, or a header that is too long")
    if len(received) < length:
        return None
    if command == _LOCAL or family not in (_TCP4, _TCP6):
        return ProxyHeader(None, length)
    width = 4 if family == _TCP4 else 16
    if size < 2 * width + 4:
        raise ProxyHeaderError("an address is cut short")
    address = ipaddress.ip_address(received[16 : 16 + width])
    (port,) = struct.unpack_from(">H", received, 16 + 2 * width)
    return ProxyHeader((str(address), port), length)
