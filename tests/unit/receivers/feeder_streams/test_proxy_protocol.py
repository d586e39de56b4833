"""Headers of the PROXY protocol, whole, cut anywhere, and wrong."""

import struct

import pytest

from skywatch.receivers.feeder_streams.proxy_protocol import ProxyHeaderError, begins_header, read_header

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
LINE = b"PROXY TCP4 203.0.113.7 192.0.2.1 40123 30004\r\n"
IPV4 = (
    SIGNATURE
    + struct.pack(">BBH", 0x21, 0x11, 12)
    + bytes([203, 0, 113, 7, 192, 0, 2, 1])
    + struct.pack(">HH", 40123, 30004)
)
IPV6 = (
    SIGNATURE
    + struct.pack(">BBH", 0x21, 0x21, 40)
    + b"\x20\x01\x0d\xb8"
    + bytes(27)
    + b"\x01"
    + struct.pack(">HH", 5, 6)
    + b"tlv!"
)


@pytest.mark.parametrize(
    ("header", "client"),
    [
        (LINE, ("203.0.113.7", 40123)),
        (b"PROXY TCP6 2001:db8::1 ::1 5 6\r\n", ("2001:db8::1", 5)),
        (b"PROXY UNKNOWN anything\r\n", None),
        (IPV4, ("203.0.113.7", 40123)),
        (IPV6, ("2001:db8::", 5)),
        (SIGNATURE + struct.pack(">BBH", 0x20, 0, 0), None),
    ],
)
def test_a_header_gives_the_client_and_ends_where_the_frames_begin(header, client):
    for length in range(1, len(header)):
        assert read_header(header[:length]) is None
        assert begins_header(header[:length])
    read = read_header(header + b"\x1a\xe4")
    assert (read.client, read.length) == (client, len(header))


@pytest.mark.parametrize(
    "received",
    [
        b"\x1a\xe4",
        b"GET / HTTP/1.1\r\n",
        b"PROXY TCP4 203.0.113.7 192.0.2.1 40123\r\n",
        b"PROXY TCP6 203.0.113.7 192.0.2.1 1 2\r\n",
        b"PROXY TCP4 203.0.113.7 192.0.2.1 70000 2\r\n",
        b"PROXY TCP4 " + b"x" * 120,
        SIGNATURE + struct.pack(">BBH", 0x31, 0x11, 12) + bytes(12),
        SIGNATURE + struct.pack(">BBH", 0x21, 0x11, 4) + bytes(4),
        SIGNATURE + struct.pack(">BBH", 0x21, 0x11, 60_000),
    ],
)
def test_what_is_no_header_is_refused(received):
    with pytest.raises(ProxyHeaderError):
        read_header(received)
