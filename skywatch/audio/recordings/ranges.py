"""Serves a stored file whole or in part (RFC 9110, section 14), as browsers ask for it when they play and seek."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pyramid.response import Response

from skywatch.core.problems import Problem, not_found
from skywatch.http.limits.streams import CONNECTION
from skywatch.http.requests.request import Request

SENT_BYTES = 1 << 16
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)


class FilePart:
    """The bytes of a file from one place to another; closes the file at the end."""

    def __init__(self, file: BinaryIO, begin: int, length: int) -> None:
        self._file, self._left = file, length
        file.seek(begin)

    def __iter__(self) -> Iterator[bytes]:
        while self._left > 0:
            data = self._file.read(min(SENT_BYTES, self._left))
            if not data:
                return
            self._left -= len(data)
            yield data

    def close(self) -> None:
        """Called by the server when the answer has been sent or broken off."""
        self._file.close()


def serve(request: Request, path: Path, size: int, etag: str, media_type: str) -> Response:
    """The answer 200, 206 or 304; raises Problem (416, or 404 where the file is not there)."""
    headers = {
        "ETag": f'"{etag}"',
        "Accept-Ranges": "bytes",
        # Kept by the browser, but asked about each time: permissions may change.
        "Cache-Control": "private, no-cache",
        "Content-Disposition": "inline",
    }
    if _names(request.headers.get("If-None-Match", ""), etag):
        response = Response(status=304)
        response.headers.pop("Content-Type", None)
        response.headers.update(headers)
        return response
    part = _part(request, size, etag)
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise not_found("recording") from None
    begin, end = part or (0, size - 1)
    length = end - begin + 1
    response = Response(status=206 if part else 200, content_type=media_type, charset=None)
    response.headers.update(headers)
    if part:
        response.headers["Content-Range"] = f"bytes {begin}-{end}/{size}"
    if CONNECTION in request.environ:
        # The server sends it while its client reads, and occupies no thread; a slow client would hold one for long.
        file.seek(begin)
        response.app_iter = request.environ["wsgi.file_wrapper"](file)
    else:
        response.app_iter = FilePart(file, begin, length)
    response.content_length = length
    return response


def _part(request: Request, size: int, etag: str) -> tuple[int, int] | None:
    """First and last byte of the part that is asked for; None for the whole."""
    text = request.headers.get("Range", "").replace(" ", "")
    # A condition that does not hold, other units and several ranges at once: the whole file answers all of them.
    if not text or ("If-Range" in request.headers and request.headers["If-Range"].strip() != f'"{etag}"'):
        return None
    match = _RANGE.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        return None
    if match[1]:
        begin, end = int(match[1]), min(int(match[2]) if match[2] else size - 1, size - 1)
        if match[2] and int(match[2]) < begin:
            return None
    else:
        begin, end = max(0, size - int(match[2])), size - 1
        if not int(match[2]):
            begin = size
    if begin >= size:
        raise Problem(
            "range_not_satisfiable",
            f"The recording has {size} bytes.",
            headers={"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes"},
        )
    return begin, end


def _names(header: str, etag: str) -> bool:
    tags = {tag.strip().removeprefix("W/").strip('"') for tag in header.split(",")} if header else set()
    return etag in tags or "*" in tags
