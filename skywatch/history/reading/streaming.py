"""Answers that are written while they are read from the database, with a session of their own.

The first piece is made before the answer begins, so that a fault there is still a proper problem. A fault later
breaks the connection off without the end mark of the transfer: the client's library reports an incomplete body.
"""

from __future__ import annotations

import logging
import threading
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.core.db import SessionFactory, is_unavailable, reason
from skywatch.core.problems import Problem
from skywatch.http.compression import takes_gzip
from skywatch.http.request import Request
from skywatch.http.settings import HttpSettings

log = logging.getLogger(__name__)
# Streams at once in this process: each holds a worker thread of the API for as long as it lasts, and half stay free.
MOST_STREAMS = 4


class _Places:
    """The places of streams under way."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = 0

    def take(self, most: int) -> bool:
        """Take a place where fewer than ``most`` are taken."""
        with self._guard:
            if self._taken >= most:
                return False
            self._taken += 1
            return True

    def give_back(self) -> None:
        """Give up one place."""
        with self._guard:
            self._taken -= 1


_places = _Places()
Source = Callable[[Session], Iterator[bytes]]
# The server keeps pieces of this size in memory until they are sent; larger ones it would put into a file.
PIECE_BYTES = 256 * 1024
# Quick rather than small: the client waits for it, and level 6 costs three times as much for a fifth less.
GZIP_LEVEL = 1
_GZIP = 16 + zlib.MAX_WBITS
# What is worth packing; Parquet is packed already.
TEXTS = ("text/", "application/x-ndjson", "application/geo+json", "application/vnd.google-earth.kml", "application/gpx")


class Stream:
    """The body of a streamed answer; closing it, which the server always does, gives everything back.

    The server closes it as well when the client has gone: at the next piece it cannot send, the work is over.
    """

    def __init__(self, sessions: SessionFactory, source: Source, about: str, most: int = MOST_STREAMS) -> None:
        self._about = about
        self._session = sessions()
        self._pieces = _of(source, self._session)
        if not _places.take(most):
            raise Problem("unavailable", f"Exports or replays are being sent already ({most}); try again in a moment.")
        self._open = True
        try:
            # What begins with a heading has not asked the database yet: without it the answer is 503, not half a file.
            self._session.connection()
            self._first: bytes | None = next(self._pieces, b"")
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        try:
            return next(self._pieces)
        except StopIteration:
            raise
        except Exception as error:
            log.error("%s broke off: %s", self._about, reason(error), exc_info=None if is_unavailable(error) else error)
            raise

    def close(self) -> None:
        """Stop the work, end the transaction and give up the place."""
        if self._open:
            self._open = False
            try:
                self._pieces.close()
            finally:
                try:
                    self._session.close()
                finally:
                    _places.give_back()


def _of(source: Source, session: Session) -> Generator[bytes]:
    yield from source(session)


def bunched(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of about PIECE_BYTES: each piece costs the server as much as a hundred short lines."""
    bunch, size = list[bytes](), 0
    for line in lines:
        bunch.append(line)
        size += len(line)
        if size >= PIECE_BYTES:
            yield b"".join(bunch)
            bunch, size = [], 0
    if bunch:
        yield b"".join(bunch)


def _packed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces as one gzip stream. What is there first is sent at once, so that the client can begin.

    While the next piece is made the one before is packed on another core: zlib lets other threads of Python run.
    """
    packer = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, _GZIP)
    yield packer.compress(next(pieces, b"")) + packer.flush(zlib.Z_SYNC_FLUSH)
    with ThreadPoolExecutor(1, "gzip") as beside:
        under_way = beside.submit(bytes)
        for piece in pieces:
            packed = under_way.result()
            under_way = beside.submit(packer.compress, piece)
            if packed:
                yield packed
        yield under_way.result() + packer.flush()


def stream(request: Request, source: Source, media_type: str, filename: str | None = None) -> Response:
    """A streamed response, as gzip for those who take it; ``filename`` makes a browser save it."""
    about = f"request {getattr(request, 'request_id', '-')}: the stream of {request.path}"
    text = media_type.startswith(TEXTS)
    packed = text and takes_gzip(request)
    pieces = (lambda session: _packed(iter(source(session)))) if packed else source
    most = max(1, min(MOST_STREAMS, request.runtime.settings.of(HttpSettings).api_threads // 2))
    response = Response(content_type=media_type, app_iter=Stream(request.runtime.sessions, pieces, about, most))
    response.charset = "utf-8" if media_type.startswith("text/") else None
    if packed:
        response.content_encoding = "gzip"
    if text:
        response.vary = "Accept-Encoding"
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # A proxy that waits for the end would defeat the purpose.
    if filename is not None:
        response.content_disposition = f'attachment; filename="{filename}"'
    return response
