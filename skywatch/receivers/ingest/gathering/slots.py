"""``FeederSlots``: small numbers for the feeders that are connected, by which columns name them."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.ingest.voices import Voice

# A number is given to somebody else after this time (s): frames of its last holder may still be compared.
REST_S = 5.0


class FeederSlots:
    """Numbers of connections; ``lane``, ``owner`` and ``network`` i8[n] and ``shows_signal`` ?[n] by number.

    A lane belongs to a feeder as long as the process lives, so that a reconnection goes on where it was.
    """

    def __init__(self) -> None:
        self.holders: list[Any] = []
        self.lane, self.owner, self.network = (np.empty(0, np.int64) for _ in range(3))
        self.shows_signal = np.empty(0, np.bool_)
        self._free: deque[tuple[float, int]] = deque()
        self._lanes: dict[str, int] = {}
        self._texts: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.holders)

    def take(self, holder: Any, receiver: str, voice: Voice | None, shows_signal: bool) -> int:
        """The number of a new connection of ``receiver``; without a ``voice`` it is trusted."""
        now = time.monotonic()
        if self._free and now - self._free[0][0] >= REST_S:
            slot = self._free.popleft()[1]
        else:
            slot = len(self.holders)
            self.holders.append(None)
            self.lane, self.owner, self.network = map(_longer, (self.lane, self.owner, self.network))
            self.shows_signal = _longer(self.shows_signal)
        self.holders[slot] = holder
        self.lane[slot] = self._lanes.setdefault(receiver, len(self._lanes) + 1)
        self.owner[slot] = self._number(f"owner {voice.owner}" if voice else f"trusted {receiver}")
        self.network[slot] = self._number(f"network {voice.network}" if voice else f"trusted {receiver}")
        self.shows_signal[slot] = shows_signal
        return slot

    def release(self, slot: int) -> None:
        """Give a number back."""
        self.holders[slot] = None
        self._free.append((time.monotonic(), slot))

    def _number(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))


def _longer(column: Column) -> Column:
    return np.append(column, np.zeros(1, column.dtype))
