"""Messages on their way to a server: putting one never waits, and a server that hangs costs messages, not time.

What waits is bounded. Of snapshots of one topic only the newest waits; when the queue is full the oldest message goes.
"""

from __future__ import annotations

import threading
import time

from skywatch.core.bus.base import Message

# Some seconds of a busy installation; subscribers read stored messages that they missed from the database.
MAX_MESSAGES, MAX_BYTES = 2000, 8 * 1024 * 1024
# What leaves together.
BATCH_MESSAGES = 100


class PublishQueue:
    """A bounded queue with one reader."""

    def __init__(self, max_messages: int = MAX_MESSAGES, max_bytes: int = MAX_BYTES) -> None:
        self._max_messages, self._max_bytes = max_messages, max_bytes
        self._changed = threading.Condition()
        self._waiting: dict[int, Message] = {}  # in their order
        self._snapshots: dict[str, int] = {}
        self._bytes = 0
        self._number = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, message: Message) -> int:
        """Add a message and return at once; how many had to go for it, older snapshots of its topic apart."""
        dropped = 0
        with self._changed:
            if message.snapshot and message.topic in self._snapshots:
                self._remove(self._snapshots[message.topic])
            self._number += 1
            self._waiting[self._number] = message
            self._bytes += message.size
            if message.snapshot:
                self._snapshots[message.topic] = self._number
            while len(self._waiting) > 1 and (len(self._waiting) > self._max_messages or self._bytes > self._max_bytes):
                self._remove(next(iter(self._waiting)))
                dropped += 1
            self._changed.notify()
        return dropped

    def take(self, wait_s: float) -> list[Message]:
        """The oldest messages, at most a batch; waits up to so long for the first."""
        with self._changed:
            deadline = time.monotonic() + wait_s
            while not self._waiting:
                remaining_s = deadline - time.monotonic()
                if remaining_s <= 0 or not self._changed.wait(remaining_s):
                    break
            numbers = list(self._waiting)[:BATCH_MESSAGES]
            return [self._remove(number) for number in numbers]

    def _remove(self, number: int) -> Message:
        message = self._waiting.pop(number)
        self._bytes -= message.size
        if self._snapshots.get(message.topic) == number:
            del self._snapshots[message.topic]
        return message
