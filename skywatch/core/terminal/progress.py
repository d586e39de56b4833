"""A progress bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TextIO

import click

# Without a terminal a line is written for every so many percent.
PLAIN_STEP_PERCENT = 20
EVERY_S = 0.1
BAR_WIDTH = 20
_CLEAR = "\r\x1b[K"


def progress_of_file(path: Path, what: str) -> AbstractContextManager[Callable[[int], None]]:
    """A function to call with the number of bytes of the file that have been read."""
    return progress_of(path.stat().st_size if path.is_file() else 1, what)


@contextmanager
def progress_of(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A function to call with how much has been done, in the unit of ``total``."""
    size = max(1, total)
    if sys.stderr.isatty():
        with click.progressbar(length=size, label=what, file=sys.stderr) as bar:
            yield lambda position: bar.update(max(0, position - bar.pos))
        return
    shown = 0

    def plain(position: int) -> None:
        nonlocal shown
        percent = 100 * position // size
        if percent >= shown + PLAIN_STEP_PERCENT:
            shown = percent - percent % PLAIN_STEP_PERCENT
            click.echo(f"{what}: {shown} %", err=True)

    yield plain


def _bar(share: float | None) -> str:
    if share is None:
        return ""
    percent = min(max(int(100 * share), 0), 100)
    filled = percent * BAR_WIDTH // 100
    return f"[{'#' * filled}{'-' * (BAR_WIDTH - filled)}] {percent} %  "


class ProgressLine:
    """How far a file is read, for a command that prints results meanwhile: a bar on a terminal, nothing elsewhere.

    It is rewritten at most ten times a second and leaves nothing behind. ``path`` is the file; of standard input (-)
    the length is not known. ``clear`` before anything else is printed, which may go to the same terminal.
    """

    def __init__(self, path: str, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._is_shown = self._stream is not None and self._stream.isatty()
        self._bytes = Path(path).stat().st_size if path != "-" and Path(path).is_file() else 0
        self._next = 0.0
        self._is_written = False

    def show(self, position: int, text: str) -> None:
        """``position`` bytes of the file are read; ``text`` is their result."""
        self.show_share(position / self._bytes if self._bytes else None, text)

    def show_share(self, share: float | None, text: str) -> None:
        """A share (0 to 1) of the work is done, None where that is not known; ``text`` is its result."""
        if not self._is_shown or time.monotonic() < self._next:
            return
        self._stream.write(f"{_CLEAR}{_bar(share)}{text}")
        self._stream.flush()
        self._next, self._is_written = time.monotonic() + EVERY_S, True

    def clear(self) -> None:
        """Take the line away."""
        if self._is_written:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._is_written = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()
