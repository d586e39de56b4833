"""``FeederNumbers``: small numbers for the feeders that are connected, by which columns name them."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

import numpy as np

from skywatch.receivers.feeder_streams.reducer.columns import FIRST_LANE
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.framing.frames import Column

# A number is given to somebody else after this time (s): frames of its last holder may still be compared.
REST_S = 5.0


class FeederNumbers:
    """Numbers of connections; by number ``lane``, ``speaker``, ``network`` i8[n]; ``is_ours``, ``shows_signal`` ?[n].

    A lane belongs to a feeder as long as the process lives, so that a reconnection goes on where it was.
    """

    def __init__(self) -> None:
        self.holders: list[Any] = []
        self.lane, self.speaker, self.network = (np.empty(0, np.int64) for _ in range(3))
        self.is_ours, self.shows_signal = np.empty(0, np.bool_), np.empty(0, np.bool_)
        self._free: deque[tuple[float, int]] = deque()
        self._lanes: dict[str, int] = {}
        self._texts: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.holders)

    def take(self, holder: Any, receiver: str, voice: Voice, shows_signal: bool) -> int:
        """The number of a new connection of ``receiver``."""
        now = time.monotonic()
        if self._free and now - self._free[0][0] >= REST_S:
            slot = self._free.popleft()[1]
        else:
            slot = len(self.holders)
            self.holders.append(None)
            self.lane, self.speaker, self.network = map(_longer, (self.lane, self.speaker, self.network))
            self.is_ours, self.shows_signal = _longer(self.is_ours), _longer(self.shows_signal)
        self.holders[slot] = holder
        self.lane[slot] = self._lanes.setdefault(receiver, len(self._lanes) + FIRST_LANE)
        self.speaker[slot] = self._number(f"ours {receiver}" if voice.is_ours else f"speaker {voice.speaker}")
        self.network[slot] = self._number(f"ours {receiver}" if voice.is_ours else f"network {voice.network}")
        self.is_ours[slot], self.shows_signal[slot] = voice.is_ours, shows_signal
        return slot

    def release(self, slot: int) -> None:
        """Give a number back."""
        self.holders[slot] = None
        self._free.append((time.monotonic(), slot))

    def _number(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))


def _longer(column: Column) -> Column:
    return np.append(column, np.zeros(1, column.dtype))
