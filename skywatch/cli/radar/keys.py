"""Keys of a terminal: read as they are pressed, and named."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import sys
from collections.abc import Iterator

if sys.platform != "win32":
    import termios
    import tty

_SEQUENCES = {
    "[A": "up", "OA": "up", "[B": "down", "OB": "down", "[5~": "page_up", "[6~": "page_down",
    "[H": "home", "OH": "home", "[1~": "home", "[F": "end", "OF": "end", "[4~": "end",
}  # fmt: skip
_CHARACTERS = {"\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace", "\x1b": "escape"}
_ONE = re.compile(r"\x1b(\[[0-9;]*[A-Za-z~]|O[A-Z])|(.)", re.S)


class Keys:
    """Names of the keys in what a terminal sends; a sequence arrives whole but for the slowest lines."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def names(self, data: bytes) -> list[str]:
        """Of these bytes."""
        names = []
        for match in _ONE.finditer(self._decoder.decode(data)):
            name = _SEQUENCES.get(match[1]) if match[1] else _CHARACTERS.get(match[2], match[2])
            if name is not None:
                names.append(name)
        return names


@contextlib.contextmanager
def keyboard() -> Iterator[int | None]:
    """The descriptor of the terminal's keyboard, without echo and line by line editing; None where there is none."""
    if sys.platform == "win32" or sys.stdin is None or not sys.stdin.isatty():
        yield None
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSANOW)
    try:
        yield descriptor
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def read(descriptor: int) -> bytes:
    """What has been pressed; nothing where the terminal is gone."""
    try:
        return os.read(descriptor, 1024)
    except OSError:
        return b""
