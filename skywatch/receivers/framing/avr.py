"""Extracts frames from AVR text: one hexadecimal frame per line, between a mark and a semicolon.

``*8D...;`` plain, ``@`` or ``%`` with 12 digits of counter in front of the frame, ``<`` with counter and 2 digits of
signal; airspy_adsb writes more fields behind the semicolon, which are left alone. Mode A/C replies (4 digits) and
heartbeats (``*0000;``) are counted and skipped.
"""

from __future__ import annotations

import re

import numpy as np

from skywatch.receivers.framing.beast import MLAT_TICKS, RSSI_OF_SIGNAL
from skywatch.receivers.framing.frames import NO_TICKS, FrameBatch
from skywatch.receivers.framing.text import TextFramer

# Linear: every part has a fixed length. The mark may stand anywhere in a line, which heals a broken line before it.
LINE = re.compile(
    rb"(?:\*|[@%]([0-9A-Fa-f]{12})|<([0-9A-Fa-f]{12})([0-9A-Fa-f]{2}))"
    rb"([0-9A-Fa-f]{28}|[0-9A-Fa-f]{14}|[0-9A-Fa-f]{4});"
)
MAX_LINE = 256


class AvrFramer(TextFramer):
    """Reads AVR lines; ``mode_ac`` counts Mode A/C replies, ``heartbeats`` those of all zeros."""

    longest_line = MAX_LINE

    def __init__(self) -> None:
        super().__init__()
        self.mode_ac = 0
        self.heartbeats = 0

    def _read_lines(self, text: bytes, time: float) -> FrameBatch:
        frames: list[bytes] = []
        ticks: list[int] = []
        signals: list[int] = []
        frame_count = 0
        for counter, counter_with_signal, signal, digits in LINE.findall(text):
            frame_count += 1
            if len(digits) == 4:
                if digits == b"0000":
                    self.heartbeats += 1
                else:
                    self.mode_ac += 1
                continue
            frames.append(bytes.fromhex(digits.decode()))
            counter = counter or counter_with_signal
            ticks.append(int(counter, 16) if counter else NO_TICKS)
            signals.append(int(signal, 16) if signal else 0)
        lines = sum(1 for line in text.split(b"\n") if line.strip())
        self.broken += max(lines - frame_count, 0)
        self.frames += len(frames)
        counters = np.array(ticks, np.int64)
        return FrameBatch.of_bytes(
            frames, time, RSSI_OF_SIGNAL[np.array(signals, np.int64)], counters, counters == MLAT_TICKS
        )
