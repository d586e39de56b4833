"""``FormField``: finds the value of one text field in a multipart form while the form arrives, and stores nothing else.

Used for forms that carry their own credential: whose form it is must be known before anything of it is stored.
"""

from __future__ import annotations

from typing import Any

# More parts than any form of ours has, and the longest value that is looked at (bytes).
MAX_PARTS, MAX_VALUE = 64, 1024
MAX_BOUNDARY = 200


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
        if kind.lower() == "multipart/form-data" and 0 < len(boundary) <= MAX_BOUNDARY and "\n" not in boundary:
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
