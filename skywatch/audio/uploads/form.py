"""Reads a multipart form from the network to disk: one file, and a few short texts.

Nothing is kept in memory but the texts; the file goes into the store as it arrives.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from skywatch.audio.recordings.store import IncomingFile, RecordingStore
from skywatch.core.problems import Problem
from skywatch.http.requests.form_field import MAX_BOUNDARY, MAX_PARTS, FormField
from skywatch.http.requests.request import Request

READ_BYTES = 1 << 16
MAX_TEXT = 65_536


@dataclass
class Form:
    """The texts of a form by name, and its file if there was one."""

    texts: dict[str, str] = field(default_factory=dict)
    file: IncomingFile | None = None

    def text(self, name: str) -> str:
        """A text without surrounding blanks; empty where it is not given."""
        return self.texts.get(name, "").strip()


def check_form(request: Request) -> str:
    """The boundary of a request's form; raises Problem (415) for another media type."""
    # Here: only uploads need it.
    from multipart import parse_options_header

    content_type, options = parse_options_header(request.headers.get("Content-Type", ""))
    boundary = options.get("boundary", "")
    if content_type.lower() != "multipart/form-data" or not 0 < len(boundary) <= MAX_BOUNDARY:
        raise Problem("unsupported_media_type", "The body must be multipart/form-data.")
    return str(boundary)


def find_text(request: Request, name: str) -> str:
    """A text of a form that is not read yet; empty where it has none, or is no form. Stores nothing."""
    field = FormField(request.headers.get("Content-Type", ""), name)
    if field.is_decided:
        # No form: its body is not touched.
        return ""
    body = request.body_file_raw
    if not getattr(body, "seekable", lambda: False)():
        # Behind other servers than ours; it copies the body.
        body = request.body_file_seekable
    begin = body.tell()
    while not field.is_decided and (chunk := body.read(READ_BYTES)):
        field.feed(chunk)
    body.seek(begin)
    return field.value or ""


@contextlib.contextmanager
def read_form(request: Request, store: RecordingStore, file_name: str) -> Iterator[Form]:
    """The form of a request; ``file_name`` names its part with the file, which is removed at the end unless stored.

    Raises Problem: 415 for another media type, 400 for a form that cannot be read, 413 for a file that is too large.
    """
    # Here: only uploads need it.
    from multipart import MultipartError, PushMultipartParser

    boundary = check_form(request)
    with contextlib.ExitStack() as stack:
        reader = _Reader(stack, store, file_name)
        try:
            with PushMultipartParser(boundary, max_segment_count=MAX_PARTS) as parser:
                # Not ``iter_parse``: it may not be left before the end.
                while not parser.closed:
                    chunk = request.body_file.read(READ_BYTES)
                    for event in parser.parse(chunk):
                        reader.take(event)
        except MultipartError as error:
            raise Problem("malformed_body", f"The form cannot be read: {_words(error)}.") from None
        if reader.form.file is not None:
            reader.form.file.finish()
        yield reader.form


class _Reader:
    """Puts the parts of a form where they belong."""

    def __init__(self, stack: contextlib.ExitStack, store: RecordingStore, file_name: str) -> None:
        self.form = Form()
        self._stack, self._store, self._file_name = stack, store, file_name
        self._name, self._text, self._length, self._is_file = "", bytearray(), 0, False

    def take(self, event: Any) -> None:
        if event is None:
            if not self._is_file:
                self._end_text()
        elif isinstance(event, bytes | bytearray | memoryview):
            self._data(bytes(event))
        else:
            self._begin(event.name or "")

    def _begin(self, name: str) -> None:
        self._name, self._text = name, bytearray()
        self._is_file = name == self._file_name
        if self._is_file:
            if self.form.file is not None:
                raise Problem("malformed_body", f"The form has more than one part {self._file_name}.")
            self.form.file = self._stack.enter_context(self._store.incoming())

    def _data(self, data: bytes) -> None:
        if self._is_file:
            assert self.form.file is not None
            self.form.file.write(data)
            return
        self._length += len(data)
        if self._length > MAX_TEXT:
            raise Problem("payload_too_large", f"The texts of the form may have at most {MAX_TEXT} bytes.")
        self._text += data

    def _end_text(self) -> None:
        try:
            self.form.texts.setdefault(self._name[:64], self._text.decode())
        except UnicodeDecodeError:
            raise Problem("malformed_body", "A text of the form is not UTF-8.") from None


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:100].rstrip(".") or "it is incomplete"
