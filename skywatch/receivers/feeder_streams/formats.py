"""The formats in which feeders send: frames as Beast or AVR, or what they decoded themselves, as SBS or JSON lines."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from skywatch.receivers.feeder_streams.connection import FeederConnection
from skywatch.receivers.formats import Decoder
from skywatch.receivers.formats.json_lines import LinesDecoder
from skywatch.receivers.formats.sbs import SbsDecoder
from skywatch.receivers.framing.avr import AvrFramer

BEAST = "beast"


class AvrConnection(FeederConnection):
    """Frames as lines of hexadecimal."""

    has_uuid = False
    framer = AvrFramer

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._framer = AvrFramer()

    def receive(self, received: bytes) -> None:
        """Take bytes; their frames are decoded within 50 ms."""
        before = self._framer.broken
        self.receive_frames(self._framer.feed(received), len(received))
        if self._framer.broken > before:
            self.invalid["broken"] += self._framer.broken - before


class LinesConnection(FeederConnection):
    """Lines with what the feeder decoded itself; a line counts as a message, and there are no counters of a clock."""

    has_uuid = False
    framer = None
    decoder: Callable[[Counter[str]], Decoder]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.clock = "none"
        self._decoder = type(self).decoder(self.invalid)

    def receive(self, received: bytes) -> None:
        """Take bytes; the reports of the lines that they complete leave within a second."""
        allowed = first_lines(received, self.within_limit(received.count(b"\n")))
        self.deliver(self._decoder.feed(allowed, time.time()), len(received))


class SbsConnection(LinesConnection):
    """BaseStation lines."""

    decoder = SbsDecoder


class JsonConnection(LinesConnection):
    """One JSON object a line, as readsb's JSON port sends them."""

    decoder = LinesDecoder


FORMATS: dict[str, type[FeederConnection]] = {
    BEAST: FeederConnection,
    "avr": AvrConnection,
    "sbs": SbsConnection,
    "json": JsonConnection,
}


def first_lines(received: bytes, count: int) -> bytes:
    """Bytes without the lines that end in them beyond so many; the unfinished line at the end stays."""
    if count >= received.count(b"\n"):
        return received
    end = 0
    for _ in range(count):
        end = received.index(b"\n", end) + 1
    return received[:end] + received[received.rindex(b"\n") + 1 :]
