"""Multipart forms: one text of a form while it arrives, a form with a file from the network to disk, or one in memory.

``FormField`` finds the value of one text field while the form arrives and stores nothing: forms that carry their own
credential need it, since whose form it is must be known before anything of it is stored. ``read_form`` keeps only the
texts in memory; the file goes where the caller writes it, as it arrives. ``read_upload`` reads a form of a page whole.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from skywatch.core.problems import Problem
from skywatch.http.requests.request import Request
from skywatch.sentences import sentence

MEDIA_TYPE = "multipart/form-data"
# More parts than any form of ours has, and the longest value that ``FormField`` looks at (bytes).
MAX_PARTS, MAX_VALUE = 64, 1024
MAX_BOUNDARY = 200
READ_BYTES = 1 << 16
# All texts of a form that ``read_form`` reads (bytes).
MAX_TEXT = 65_536
# Parts of a form that is read into memory.
MAX_UPLOAD_PARTS = 50
# Where a request keeps the form that was read from it.
UPLOAD = "skywatch.upload"


class FormField:
    """The first part of a name in a form; ``feed`` it the body piece by piece.

    ``value`` is None until the part has arrived whole. ``has_failed`` is true where there is nothing to be found: the
    body is no multipart form, is malformed, has ended, or the value is too long or not UTF-8.
    """

    def __init__(self, content_type: str, name: str) -> None:
        # Here: only uploads need it.
        from multipart import PushMultipartParser, parse_options_header

        self.value: str | None = None
        self.has_failed = True
        self._name = name
        self._text: bytearray | None = None
        kind, options = parse_options_header(content_type)
        boundary = options.get("boundary", "")
        if kind.lower() == MEDIA_TYPE and 0 < len(boundary) <= MAX_BOUNDARY and "\n" not in boundary:
            self._parser: Any = PushMultipartParser(boundary, max_segment_count=MAX_PARTS)
            self.has_failed = False

    @property
    def is_decided(self) -> bool:
        """Whether more of the body changes nothing."""
        return self.has_failed or self.value is not None

    def feed(self, data: bytes) -> None:
        """Read the next piece of the body, which is not empty."""
        from multipart import MultipartError

        if self.is_decided:
            return
        try:
            # The parser must be read to its end, although the value may come before.
            for event in list(self._parser.parse(data)):
                self._take(event)
        except (MultipartError, UnicodeDecodeError):
            self.has_failed = self.value is None
        if self.value is None and self._parser.closed:
            self.has_failed = True

    def _take(self, event: Any) -> None:
        if self.is_decided:
            return
        if event is None:
            if self._text is not None:
                self.value = self._text.decode().strip()
        elif isinstance(event, bytes | bytearray | memoryview):
            if self._text is not None:
                self._text += event
                self.has_failed = len(self._text) > MAX_VALUE
        else:
            self._text = bytearray() if event.name == self._name else None


class FileSink(Protocol):
    """Where the file of a form goes."""

    def write(self, data: bytes) -> None:
        """Append a piece; raises Problem (413) where the file is too large."""

    def finish(self) -> None:
        """Close the file, which has arrived whole."""


File = TypeVar("File", bound=FileSink)


@dataclass
class Form(Generic[File]):
    """The texts of a form by name, and its file if there was one."""

    texts: dict[str, str] = field(default_factory=dict)
    file: File | None = None

    def text(self, name: str) -> str:
        """A text without surrounding blanks; empty where it is not given."""
        return self.texts.get(name, "").strip()


def check_form(request: Request) -> str:
    """The boundary of a request's form; raises Problem (415) for another media type."""
    # Here: only uploads need it.
    from multipart import parse_options_header

    content_type, options = parse_options_header(request.headers.get("Content-Type", ""))
    boundary = options.get("boundary", "")
    if content_type.lower() != MEDIA_TYPE or not 0 < len(boundary) <= MAX_BOUNDARY:
        raise Problem(
            "unsupported_media_type",
            sentence("body.media_type", "The body must be {media_type}.", media_type=MEDIA_TYPE),
        )
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
def read_form(
    request: Request, incoming: Callable[[], contextlib.AbstractContextManager[File]], file_name: str
) -> Iterator[Form[File]]:
    """The form of a request; ``file_name`` names its part with the file, which goes into ``incoming``.

    Raises Problem: 415 for another media type, 400 for a form that cannot be read, 413 for a file that is too large.
    """
    # Here: only uploads need it.
    from multipart import MultipartError, PushMultipartParser

    boundary = check_form(request)
    with contextlib.ExitStack() as stack:
        reader = _Reader(stack, incoming, file_name)
        try:
            with PushMultipartParser(boundary, max_segment_count=MAX_PARTS) as parser:
                # Not ``iter_parse``: it may not be left before the end.
                while not parser.closed:
                    chunk = request.body_file.read(READ_BYTES)
                    for event in parser.parse(chunk):
                        reader.take(event)
        except MultipartError as error:
            raise Problem(
                "malformed_body",
                sentence("form.unreadable_because", "The form cannot be read: {error}.", error=_words(error)),
            ) from None
        if reader.form.file is not None:
            reader.form.file.finish()
        yield reader.form


class _Reader(Generic[File]):
    """Puts the parts of a form where they belong."""

    def __init__(
        self,
        stack: contextlib.ExitStack,
        incoming: Callable[[], contextlib.AbstractContextManager[File]],
        file_name: str,
    ) -> None:
        self.form: Form[File] = Form()
        self._stack, self._incoming, self._file_name = stack, incoming, file_name
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
                raise Problem(
                    "malformed_body",
                    sentence("form.part_twice", "The form has more than one part {name}.", name=self._file_name),
                )
            self.form.file = self._stack.enter_context(self._incoming())

    def _data(self, data: bytes) -> None:
        if self._is_file:
            assert self.form.file is not None
            self.form.file.write(data)
            return
        self._length += len(data)
        if self._length > MAX_TEXT:
            raise Problem(
                "payload_too_large",
                sentence("form.texts_too_large", "The texts of the form may have at most {most} bytes.", most=MAX_TEXT),
            )
        self._text += data

    def _end_text(self) -> None:
        try:
            self.form.texts.setdefault(self._name[:64], self._text.decode())
        except UnicodeDecodeError:
            raise Problem(
                "malformed_body", sentence("form.text_not_utf8", "A text of the form is not UTF-8.")
            ) from None


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:100].rstrip(".") or "it is incomplete"


@dataclass
class Upload:
    """The texts of a form in their order, and its files by field; a file that was not chosen is empty.

    ``file_names`` are what the sender called the files, by field.
    """

    texts: list[tuple[str, str]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    file_names: dict[str, str] = field(default_factory=dict)


def read_upload(request: Request) -> Upload:
    """The form of a request, which is read once; raises Problem (400) where it cannot be read."""
    cached: Upload | None = request.environ.get(UPLOAD)
    if cached is None:
        cached = request.environ[UPLOAD] = _parse_upload(request)
    return cached


def _parse_upload(request: Request) -> Upload:
    # Here: only uploads need it.
    from multipart import MultipartError, PushMultipartParser, parse_options_header

    _, options = parse_options_header(request.headers.get("Content-Type", ""))
    boundary = options.get("boundary", "")
    if not 0 < len(boundary) <= MAX_BOUNDARY:
        raise Problem("malformed_body", sentence("form.unreadable", "The form cannot be read."))
    upload, part, data = Upload(), None, bytearray()
    try:
        with PushMultipartParser(boundary, max_segment_count=MAX_UPLOAD_PARTS) as parser:
            for event in (*parser.parse(request.body), *parser.parse(b"")):
                if event is None:
                    _take_part(upload, part, bytes(data))
                    part, data = None, bytearray()
                elif isinstance(event, bytes | bytearray | memoryview):
                    data += event
                else:
                    part = event
    except (MultipartError, UnicodeDecodeError):
        raise Problem("malformed_body", sentence("form.unreadable", "The form cannot be read.")) from None
    return upload


def _take_part(upload: Upload, part: Any, data: bytes) -> None:
    name = (part.name or "")[:64]
    if part.filename is None:
        upload.texts.append((name, data.decode()))
    elif name in upload.files:
        raise Problem("malformed_body", sentence("form.file_twice", "The form has the file {name} twice.", name=name))
    else:
        upload.files[name] = data
        upload.file_names[name] = part.filename
