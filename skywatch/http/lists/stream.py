"""Responses that are streamed from the database, with a session of their own.

The first piece is made before the answer begins, so that an error there is still a proper problem. A later error
aborts the connection without the final chunk of the transfer: the client's library reports an incomplete body.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.core.database.engine import SessionFactory, is_unavailable, reason
from skywatch.http.limits.streams import Slot, stream_limiter
from skywatch.http.requests.compression import takes_gzip
from skywatch.http.requests.request import Request

log = logging.getLogger(__name__)
Source = Callable[[Session], Iterator[bytes]]
# The server buffers pieces of this size in memory; larger ones it would write to a file.
PIECE_BYTES = 256 * 1024
# Speed before size: level 6 takes three times as long and saves a fifth.
GZIP_LEVEL = 1
_GZIP = 16 + zlib.MAX_WBITS
# Media types worth compressing; Parquet is compressed already.
TEXTS = ("text/", "application/x-ndjson", "application/geo+json", "application/vnd.google-earth.kml", "application/gpx")


class Stream:
    """The body of a streamed response; the server always closes it, which releases session and slot.

    If the client has disconnected, the server closes it at the next piece that it cannot send.
    """

    def __init__(self, sessions: SessionFactory, source: Source, about: str, slot: Slot) -> None:
        self._about, self._slot = about, slot
        self._session = sessions()
        self._pieces = _pieces_of(source, self._session)
        self._is_open = True
        try:
            # The first piece may be a header that needs no query: check the database now, so that the response can be
            # 503.
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
        """Stop the work, end the transaction and release the slot."""
        if self._is_open:
            self._is_open = False
            try:
                self._pieces.close()
            finally:
                try:
                    self._session.close()
                finally:
                    self._slot.release()


def _pieces_of(source: Source, session: Session) -> Generator[bytes]:
    yield from source(session)


def buffer_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of about PIECE_BYTES: the server's overhead for a piece equals a hundred short lines."""
    bunch, size = list[bytes](), 0
    for line in lines:
        bunch.append(line)
        size += len(line)
        if size >= PIECE_BYTES:
            yield b"".join(bunch)
            bunch, size = [], 0
    if bunch:
        yield b"".join(bunch)


def _compress(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces as one gzip stream. The first piece is flushed at once, so that the client can start.

    The next piece is made while the one before is compressed on another core: zlib releases the GIL.
    """
    packer = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, _GZIP)
    yield packer.compress(next(pieces, b"")) + packer.flush(zlib.Z_SYNC_FLUSH)
    with ThreadPoolExecutor(1, "gzip") as executor:
        pending = executor.submit(bytes)
        for piece in pieces:
            compressed = pending.result()
            pending = executor.submit(packer.compress, piece)
            if compressed:
                yield compressed
        yield pending.result() + packer.flush()


def stream(request: Request, source: Source, media_type: str, filename: str | None = None) -> Response:
    """A streamed response, with gzip if the client accepts it; with ``filename`` browsers save it.

    Raises Problem (429) where the caller, or all callers together, have too many already.
    """
    about = f"request {getattr(request, 'request_id', '-')}: the stream of {request.path}"
    text = media_type.startswith(TEXTS)
    is_compressed = text and takes_gzip(request)
    pieces = (lambda session: _compress(iter(source(session)))) if is_compressed else source
    slot = request.runtime.shared(stream_limiter).acquire(request)
    response = Response(content_type=media_type, app_iter=Stream(request.runtime.sessions, pieces, about, slot))
    response.charset = "utf-8" if media_type.startswith("text/") else None
    if is_compressed:
        response.content_encoding = "gzip"
    if text:
        response.vary = "Accept-Encoding"
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # Proxies must not buffer the response.
    if filename is not None:
        response.content_disposition = f'attachment; filename="{filename}"'
    return response
