"""Answers PMTiles archives, whose tiles a page asks for by range (RFC 9110, 14)."""

from __future__ import annotations

import os
from pathlib import Path

from pyramid.response import Response

from skywatch.http.lists.ranges import answer_file
from skywatch.http.requests.request import Request

MEDIA_TYPE = "application/vnd.pmtiles"


def range_response(request: Request, path: Path, cache_control: str) -> Response:
    """The file or the part of it that is asked for; 416 beyond its end. Raises FileNotFoundError."""
    file = path.open("rb")
    status = os.fstat(file.fileno())
    response = Response(content_type=MEDIA_TYPE)
    response.headers["Accept-Ranges"] = "bytes"
    response.headers["Cache-Control"] = cache_control
    response.etag = f"{status.st_mtime_ns:x}-{status.st_size:x}"
    if not answer_file(request, response, file, status.st_size):
        response.status_code = 416
        response.headers["Content-Range"] = f"bytes */{status.st_size}"
    return response
