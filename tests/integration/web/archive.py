"""A PMTiles archive of one tile, and a web server that hands out parts of it."""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GREEN, RED, MAGENTA = (0, 255, 0), (255, 0, 0), (255, 0, 255)
# Whether a colour is drawn on the canvas of the base map, as an expression; one pixel of each 64 is looked at.
_DRAWN = """(() => {
    const all = [...document.querySelectorAll('.map-target canvas')];
    return all.filter((one) => !one.closest('.stage') && one.width).some((canvas) => {
    const copy = document.createElement('canvas');
    copy.width = Math.ceil(canvas.width / 8); copy.height = Math.ceil(canvas.height / 8);
    const context = copy.getContext('2d', {willReadFrequently: true});
    context.imageSmoothingEnabled = false;
    context.drawImage(canvas, 0, 0, copy.width, copy.height);
    const data = context.getImageData(0, 0, copy.width, copy.height).data;
    const isThere = (at) => %s.every((value, k) => Math.abs(value - data[at + k]) < %d);
    for (let at = 0; at < data.length; at += 4) if (isThere(at)) return true;
    return false;
    });
})()"""
_UNCOMPRESSED = 1
MVT, PNG = 1, 2


def picture(size: int = 256, colour: tuple[int, int, int] = MAGENTA) -> bytes:
    """A PNG of one colour."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = (b"\0" + bytes(colour) * size) * size
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def varint(number: int) -> bytes:
    """A number as Protocol Buffers write it."""
    out = b""
    while number > 127:
        out, number = out + bytes((number & 127 | 128,)), number >> 7
    return out + bytes((number,))


def vector_tile(layers: dict[str, dict[str, str]]) -> bytes:
    """A tile (Mapbox Vector Tile 2.1) each of whose layers has one square all over it, with these properties."""

    def member(number: int, content: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(content)) + content

    def layer(name: str, properties: dict[str, str]) -> bytes:
        # Move to the corner, three lines along the sides, close; steps are zigzag numbers.
        square = b"".join(map(varint, (9, 0, 0, 26, 8192, 0, 0, 8192, 8191, 0, 15)))
        tags = b"".join(varint(at) + varint(at) for at in range(len(properties)))
        feature = member(2, tags) + b"\x18\x03" + member(4, square)
        keys = b"".join(member(3, key.encode()) for key in properties)
        values = b"".join(member(4, member(1, value.encode())) for value in properties.values())
        return b"\x78\x02" + member(1, name.encode()) + member(2, feature) + keys + values + b"\x28" + varint(4096)

    return b"".join(member(3, layer(name, properties)) for name, properties in layers.items())


def archive(tile: bytes, kind: int = PNG) -> bytes:
    """The whole world as one tile (specification of PMTiles, version 3)."""

    # One entry: tile 0, in a run of one, so many bytes, at the begin of the data.
    directory = b"\x01\x00\x01" + varint(len(tile)) + b"\x01"
    metadata = b'{"attribution": "<b>Tiles</b> by nobody https://tiles.example/source"}'
    begin = 127
    offsets = (begin, len(directory), begin + len(directory), len(metadata), 0, 0)
    data_at = begin + len(directory) + len(metadata)
    head = b"PMTiles\x03" + struct.pack("<11Q", *offsets, data_at, len(tile), 1, 1, 1)
    head += bytes((1, _UNCOMPRESSED, _UNCOMPRESSED, kind, 0, 0))
    head += struct.pack("<iiiiBii", -180 * 10**7, -85 * 10**7, 180 * 10**7, 85 * 10**7, 0, 0, 0)
    assert len(head) == begin
    return head + directory + metadata + tile


def is_drawn(colour: tuple[int, int, int], within: int = 60) -> str:
    """A script's expression: whether the map below the aircraft shows this colour."""
    return _DRAWN % (list(colour), within)


@contextmanager
def served(content: bytes) -> Iterator[str]:
    """The address of a file at another web server, which answers to ranges."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            first, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
            part = content[int(first) : int(last or len(content)) + 1]
            self.send_response(206)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(part)))
            self.end_headers()
            self.wfile.write(part)

        def do_OPTIONS(self) -> None:
            self.send_response(204)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "*")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/world.pmtiles"
    finally:
        server.shutdown()
        server.server_close()
