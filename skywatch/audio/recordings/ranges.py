"""Serves a stored file whole or in part (RFC 9110, section 14), as browsers ask for it when they play and seek."""

from __future__ import annotations

import re
from pathlib import Path

from pyramid.response import Response
from webob.byterange import ContentRange, Range

from skywatch.audio.problems import RANGE_NOT_SATISFIABLE
from skywatch.core.problems import Problem, not_found
from skywatch.http.limits.streams import CONNECTION
from skywatch.http.requests.request import Request
from skywatch.sentences import sentence

# Several ranges at once, other units and what names no byte are answered with the whole file; WebOb would raise
# ValueError for the latter, and read the first of several.
_SINGLE_RANGE = re.compile(r"bytes *= *(?:\d{1,18} *- *\d{0,18}|- *(?P<last>\d{1,18})) *", re.ASCII | re.IGNORECASE)


def serve(request: Request, path: Path, size: int, etag: str, media_type: str) -> Response:
    """The answer 200, 206 or 304; raises Problem (416, or 404 where the file is not there)."""
    response = Response(content_type=media_type, charset=None, accept_ranges="bytes", etag=etag)
    # Kept by the browser, but asked about each time: permissions may change.
    response.headers.update({"Cache-Control": "private, no-cache", "Content-Disposition": "inline"})
    if etag in request.if_none_match:
        response.status_code = 304
        del response.content_type
        return response
    part = _content_range(request, response, size)
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise not_found(sentence("thing.recording", "recording")) from None
    begin, end = 0, size
    if part is not None:
        response.status_code, response.content_range = 206, part
        begin, end = part.start, part.stop
    file.seek(begin)
    if CONNECTION in request.environ:
        # Our server sends it while its client reads, and occupies no thread; a slow client would hold one for long.
        response.app_iter = request.environ["wsgi.file_wrapper"](file)
        response.content_length = end - begin
    else:
        with file:
            response.body = file.read(end - begin)
    return response


def _content_range(request: Request, response: Response, size: int) -> ContentRange | None:
    """The part that is asked for; None for the whole. Raises Problem (416) where the file has none of its bytes."""
    single = _SINGLE_RANGE.fullmatch(request.headers.get("Range", ""))
    if single is None or response not in request.if_range or request.range is None:
        return None
    part = None
    if single["last"] is None or int(single["last"]):
        # A suffix that is longer than the file means the whole of it (RFC 9110, section 14.1.2); WebOb refuses it.
        part = Range(max(request.range.start, -size), request.range.end).content_range(size)
    if part is None:
        raise Problem(
            RANGE_NOT_SATISFIABLE,
            sentence("audio.range", "The recording has {count} bytes.", count=size),
            headers={"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes"},
        )
    return part
