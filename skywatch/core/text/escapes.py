"""Makes text from outside safe to print: nothing in it moves the cursor, colours a terminal or forges a line."""

from __future__ import annotations

import re

# C0 and C1 controls (ESC, CSI, NEL), DEL, line and paragraph separators, marks that turn the direction of writing.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape_controls(text: str) -> str:
    """The text with every such character written as its escape (``\\n``, ``\\x1b``, ``\\u2028``)."""
    return _UNSAFE.sub(_escape, text)


def escape_json(line: str) -> str:
    """The same in one line of JSON, where these characters stand in strings alone and have one form of escape."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", line)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
