"""The base of framers of text formats: splits a stream into complete lines."""

from __future__ import annotations

import abc

from skywatch.receivers.framing.frames import FrameBatch


class TextFramer(abc.ABC):
    """Converts the bytes of one connection to batches of Mode S frames, one per line.

    ``frames`` counts frames and ``broken`` lines without one. At most one unfinished line is buffered between
    calls; one that grows beyond ``longest_line`` bytes is dropped.
    """

    longest_line: int

    def __init__(self) -> None:
        self._unfinished = b""
        self.frames = 0
        self.broken = 0

    @property
    def pending(self) -> int:
        """Buffered bytes of the unfinished line."""
        return len(self._unfinished)

    def feed(self, received: bytes, time: float = float("nan")) -> FrameBatch:
        """The frames of the lines that these bytes complete; ``time`` is unix seconds of arrival."""
        text, newline, unfinished = (self._unfinished + received).rpartition(b"\n")
        if len(unfinished) > self.longest_line:
            self.broken += 1
            unfinished = b""
        self._unfinished = unfinished
        return self._read_lines(text, time) if newline else FrameBatch.empty()

    def close(self, time: float = float("nan")) -> FrameBatch:
        """The frame of a last line without a newline."""
        text, self._unfinished = self._unfinished, b""
        return self._read_lines(text, time)

    @abc.abstractmethod
    def _read_lines(self, text: bytes, time: float) -> FrameBatch:
        """The frames of complete lines; counts them."""
