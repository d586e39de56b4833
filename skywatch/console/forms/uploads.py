"""Forms with a file: read like every other form, where the page of the address takes files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from skywatch.core.problems import Problem
from skywatch.http.requests.request import Request

UPLOAD_TYPE = "multipart/form-data"
MAX_PARTS = 50
MAX_BOUNDARY = 200
_CACHE = "skywatch.console.upload"


@dataclass
class Upload:
    """The texts of a form in their order, and its files by field; a file that was not chosen is empty."""

    texts: list[tuple[str, str]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)


def read_upload(request: Request) -> Upload:
    """The form of a request, which is read once; raises Problem (400) where it cannot be read."""
    cached: Upload | None = request.environ.get(_CACHE)
    if cached is None:
        cached = request.environ[_CACHE] = _parse(request)
    return cached


def _parse(request: Request) -> Upload:
    # Here: only uploads need it.
    from multipart import MultipartError, PushMultipartParser, parse_options_header

    _, options = parse_options_header(request.headers.get("Content-Type", ""))
    boundary = options.get("boundary", "")
    if not 0 < len(boundary) <= MAX_BOUNDARY:
        raise Problem("malformed_body", "The form cannot be read.")
    upload, part, data = Upload(), None, bytearray()
    try:
        with PushMultipartParser(boundary, max_segment_count=MAX_PARTS) as parser:
            for event in (*parser.parse(request.body), *parser.parse(b"")):
                if event is None:
                    _take(upload, part, bytes(data))
                    part, data = None, bytearray()
                elif isinstance(event, bytes | bytearray | memoryview):
                    data += event
                else:
                    part = event
    except (MultipartError, UnicodeDecodeError):
        raise Problem("malformed_body", "The form cannot be read.") from None
    return upload


def _take(upload: Upload, part: Any, data: bytes) -> None:
    name = (part.name or "")[:64]
    if part.filename is None:
        upload.texts.append((name, data.decode()))
    elif name in upload.files:
        raise Problem("malformed_body", f"The form has the file {name} twice.")
    else:
        upload.files[name] = data
