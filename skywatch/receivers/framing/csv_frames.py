"""Extracts frames from CSV lines: unix time, hexadecimal frame; further columns and a header are ignored."""

from __future__ import annotations

import math

import numpy as np

from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.framing.text import TextFramer

HEX_DIGITS = (14, 28)
MAX_LINE = 4096


class CsvFramer(TextFramer):
    """Reads CSV lines, each with its own time."""

    longest_line = MAX_LINE

    def _read_lines(self, text: bytes, time: float) -> FrameBatch:
        times: list[float] = []
        frames: list[bytes] = []
        for line in text.splitlines():
            if not line.strip():
                continue
            parsed = parse_line(line)
            if parsed is None:
                self.broken += 1
            else:
                times.append(parsed[0])
                frames.append(parsed[1])
        self.frames += len(frames)
        return FrameBatch.of_bytes(frames, np.array(times, np.float64))


def parse_line(line: bytes) -> tuple[float, bytes] | None:
    """Unix seconds and frame of one line, or None."""
    fields = line.split(b",", 2)
    if len(fields) < 2:
        return None
    digits = fields[1].strip(b" \t\r\"'")
    if len(digits) not in HEX_DIGITS:
        return None
    try:
        seconds = float(fields[0].strip(b" \t\"'\xef\xbb\xbf"))
        frame = bytes.fromhex(digits.decode("ascii"))
    except ValueError:
        return None
    return (seconds, frame) if math.isfinite(seconds) and len(frame) * 2 == len(digits) else None
