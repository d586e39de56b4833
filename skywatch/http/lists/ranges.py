"""Answers a file whole or in part (RFC 9110, section 14), without a thread that waits for a slow client."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pyramid.response import Response
from webob.byterange import ContentRange, Range

from skywatch.core.problems import Problem, not_found
from skywatch.http.limits.streams import CONNECTION
from skywatch.http.requests.request import Request
from skywatch.sentences import Sentence

BLOCK_BYTES = 65536
# Several ranges at once, other units and what names no byte are answered with the whole file; WebOb would raise
# ValueError for the latter, and read the first of several.
_SINGLE_RANGE = re.compile(r"bytes *= *(?:\d{1,18} *- *\d{0,18}|- *(?P<last>\d{1,18})) *", re.ASCII | re.IGNORECASE)


def serve_file(
    request: Request, path: Path, size: int, etag: str, media_type: str, *, thing: Sentence, has: Sentence
) -> Response:
    """The answer 200, 206 or 304; raises Problem: 404 where ``thing`` is not there, 416 with what the file ``has``."""
    response = _begin(request, etag, media_type)
    if response.status_code == 304:
        return response
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise not_found(thing) from None
    return _with_file(request, response, file, size, has)


def serve_open(request: Request, file: BinaryIO, size: int, etag: str, media_type: str, *, has: Sentence) -> Response:
    """The same of a file that is open already, and that is closed with the answer."""
    response = _begin(request, etag, media_type)
    if response.status_code == 304:
        file.close()
        return response
    return _with_file(request, response, file, size, has)


def _begin(request: Request, etag: str, media_type: str) -> Response:
    """The answer without its body: 304 where the client has that."""
    response = Response(content_type=media_type, charset=None, accept_ranges="bytes", etag=etag)
    # Kept by the browser, but asked about each time: permissions may change.
    response.headers.update({"Cache-Control": "private, no-cache", "Content-Disposition": "inline"})
    if etag in request.if_none_match:
        response.status_code = 304
        del response.content_type
    return response


def _with_file(request: Request, response: Response, file: BinaryIO, size: int, has: Sentence) -> Response:
    if not answer_file(request, response, file, size):
        headers = {"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes"}
        raise Problem("range_not_satisfiable", has, headers=headers)
    return response


def answer_file(request: Request, response: Response, file: BinaryIO, size: int) -> bool:
    """Make the file of so many bytes, or the part that is asked for, the body; false where it has none of that part."""
    begin, end = 0, size
    single = _SINGLE_RANGE.fullmatch(request.headers.get("Range", ""))
    # A part of the file that the client had before does not fit to what another one has.
    if single is not None and response in request.if_range and request.range is not None:
        part = _part(request.range, size) if single["last"] is None or int(single["last"]) else None
        if part is None:
            file.close()
            return False
        response.status_code, response.content_range = 206, part
        begin, end = part.start, part.stop
    if request.method == "HEAD":
        file.close()
    elif CONNECTION in request.environ:
        # Our server sends it while its client reads, and occupies no thread; a slow client would hold one for long.
        file.seek(begin)
        response.app_iter = request.environ["wsgi.file_wrapper"](file)
    else:
        response.app_iter = _Part(file, begin, end)
    response.content_length = end - begin
    return True


def _part(asked: Range, size: int) -> ContentRange | None:
    # A suffix that is longer than the file means the whole of it (RFC 9110, section 14.1.2); WebOb refuses it.
    return Range(max(asked.start, -size), asked.end).content_range(size)


class _Part:
    """The bytes of a file from one place to another, in blocks; the server closes it, also where the client went."""

    def __init__(self, file: BinaryIO, start: int, stop: int) -> None:
        self._file = file
        self._start = start
        self._stop = stop

    def __iter__(self) -> Iterator[bytes]:
        self._file.seek(self._start)
        left = self._stop - self._start
        while left and (block := self._file.read(min(left, BLOCK_BYTES))):
            left -= len(block)
            yield block

    def close(self) -> None:
        self._file.close()
