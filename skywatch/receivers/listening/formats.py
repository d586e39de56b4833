"""The formats in which feeders send: frames as Beast or AVR, or what they decoded themselves, as SBS or JSON lines."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from skywatch.receivers.documents import ReportBatch
from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.kinds.readsb_lines import LinesDecoder
from skywatch.receivers.kinds.sbs import SbsDecoder
from skywatch.receivers.kinds.stream import Decoder
from skywatch.receivers.listening.connection import FeederConnection

BEAST = "beast"


class AvrConnection(FeederConnection):
    """Frames as lines of hexadecimal."""

    framer = AvrFramer
    has_uuid = False


class LinesConnection(FeederConnection):
    """Lines with what the feeder decoded itself; a line counts as a message, and there are no counters of a clock."""

    has_uuid = False
    decoder: Callable[[Counter[str]], Decoder]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.clock = "none"
        self._decoder = type(self).decoder(self._invalid)

    def feed(self, received: bytes, received_at: float) -> ReportBatch:
        """The reports of the lines that these bytes complete (``received_at`` in unix seconds)."""
        now = time.monotonic()
        self._byte_meter.add(len(received), now)
        lines = received.count(b"\n")
        batch = self._decoder.feed(first_lines(received, self._within_limit(lines, now)), received_at)
        if not self.feeder.shows_signal:
            for report in batch.reports:
                report.rssi = UNSET
        self._count(batch, len(received), now)
        return batch


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
