"""What framers of text formats share: whole lines out of a stream that is cut anywhere."""

from __future__ import annotations

import abc

from skywatch.receivers.framing.frames import FrameBatch


class TextFramer(abc.ABC):
    """Turns the bytes of one connection into batches of Mode S frames, a line each.

    ``frames`` counts frames and ``broken`` lines in which none was found. At most one unfinished line is kept between
    calls; one that grows beyond ``longest_line`` bytes is dropped.
    """

    longest_line: int

    def __init__(self) -> None:
        self._rest = b""
        self.frames = 0
        self.broken = 0

    @property
    def pending(self) -> int:
        """Bytes of the unfinished line that are kept."""
        return len(self._rest)

    def feed(self, received: bytes, time: float = float("nan")) -> FrameBatch:
        """The frames of the lines that are complete with these bytes; ``time`` is unix seconds of arrival."""
        text, newline, rest = (self._rest + received).rpartition(b"\n")
        if len(rest) > self.longest_line:
            self.broken += 1
            rest = b""
        self._rest = rest
        return self._read_lines(text, time) if newline else FrameBatch.empty()

    def close(self, time: float = float("nan")) -> FrameBatch:
        """The frame of a last line without a newline."""
        text, self._rest = self._rest, b""
        return self._read_lines(text, time)

    @abc.abstractmethod
    def _read_lines(self, text: bytes, time: float) -> FrameBatch:
        """The frames of some whole lines; counts them."""
