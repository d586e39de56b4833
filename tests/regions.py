"""A small archive of the world, drawn for tests, and a server on this machine that answers its ranges, or fails to."""

from __future__ import annotations

import io
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

from pmtiles import writer as packing
from pmtiles.reader import MemorySource, all_tiles
from pmtiles.tile import Compression, TileType, tileid_to_zxy

ZURICH = (47.46, 8.55)
MAX_ZOOM = 6


def content(zoom, x, y, mark=b""):
    """What a tile of the drawn world holds: of its own size, and on the southern half of the last zoom all the same."""
    if zoom == MAX_ZOOM and y >= 2 ** (zoom - 1):
        return b"sea" * 20
    return mark + f"{zoom}/{x}/{y} ".encode() * (20 + (x * 7 + y * 3) % 40)


def draw_world(mark=b""):
    """The bytes of an archive of all tiles down to zoom 6, whose directories have leaves."""
    file = io.BytesIO()
    writer = packing.Writer(file)
    for number in range(sum(4**zoom for zoom in range(MAX_ZOOM + 1))):
        writer.write_tile(number, content(*tileid_to_zxy(number), mark))
    header = {"tile_type": TileType.MVT, "tile_compression": Compression.NONE}
    # So few tiles would all be in the root.
    with mock.patch.object(
        packing, "optimize_directories", lambda entries, _: packing.build_roots_leaves(entries, 100)
    ):
        writer.finalize(header, {"attribution": "Drawn by a test"})
    return file.getvalue()


def tiles_of(archive):
    """The tiles of an archive: (zoom, x, y) -> content."""
    return dict(all_tiles(MemorySource(archive)))


class Source:
    """A server of one archive: ``asked`` are the ranges, ``breaks_at`` the number of the answer that ends too early."""

    def __init__(self, archive):
        self.archive = archive
        self.etag = '"first"'
        self.has_ranges = True
        self.breaks_at = set()
        self.statuses = {}
        self.asked = []
        self.address = ""

    def answer(self, handler):
        if handler.path in self.statuses:
            handler.send_response(self.statuses[handler.path])
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        begin, end = map(int, handler.headers["Range"].removeprefix("bytes=").split("-"))
        self.asked.append((begin, end))
        body, size = self.archive, len(self.archive)
        if self.has_ranges:
            body = body[begin : end + 1]
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes {begin}-{begin + len(body) - 1}/{size}")
        else:
            handler.send_response(200)
        handler.send_header("ETag", self.etag)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2] if len(self.asked) in self.breaks_at else body)


@contextmanager
def serving(archive):
    """A source of this archive on this machine."""
    source = Source(archive)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            source.answer(self)

        def log_message(self, *args):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    source.address = f"http://127.0.0.1:{server.server_port}/world.pmtiles"
    try:
        yield source
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
