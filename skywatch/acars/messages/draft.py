"""``Draft``: a message as it grows: who received it, how often it came again, the parts of its text."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import msgspec

from skywatch.acars.envelopes import Burst

# Stations of one message that are listed; a burst is heard by some, not by hundreds.
MAXIMUM_STATIONS = 32
MAXIMUM_PARTS = 26


@dataclass(frozen=True)
class Reception:
    """One station's reception. ``at`` is unix seconds."""

    station: str
    at: float
    level_db: float | None
    frequency_mhz: float | None


@dataclass(frozen=True)
class Snapshot:
    """The state of a draft at one moment, for the writer's thread."""

    burst: Burst
    at: float
    received_at: float
    text: str
    application: dict[str, Any] | None
    receptions: tuple[Reception, ...]
    repeats: int
    is_incomplete: bool


@dataclass(eq=False)
class Draft:
    """One message. ``id`` is set once it is stored; all else changes under ``lock``."""

    burst: Burst
    at: float
    received_at: float
    input: str = ""
    id: int | None = None
    receptions: list[Reception] = field(default_factory=list)
    repeats: int = 0
    parts: dict[str, Burst] = field(default_factory=dict)
    # Whether more parts follow the last one received so far.
    expects_more: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add_reception(self, reception: Reception) -> None:
        """Note one more station, unless another part of the text has named it."""
        receiver = (reception.station, reception.frequency_mhz)
        with self.lock:
            is_listed = any((one.station, one.frequency_mhz) == receiver for one in self.receptions)
            if not is_listed and len(self.receptions) < MAXIMUM_STATIONS:
                self.receptions.append(reception)

    def add_repeat(self) -> None:
        """Note that the same message came again."""
        with self.lock:
            self.repeats += 1

    def add_part(self, burst: Burst) -> None:
        """Add a part of the text."""
        with self.lock:
            if burst.sequence is not None and len(self.parts) < MAXIMUM_PARTS:
                self.parts[burst.sequence] = burst
                self.expects_more = burst.more

    def settle(self, row_id: int) -> None:
        """Note the identifier of its row, and let go of the envelope, which is stored with it."""
        with self.lock:
            self.id = row_id
            self.burst = msgspec.structs.replace(self.burst, raw={})
            self.parts = {letter: msgspec.structs.replace(part, raw={}) for letter, part in self.parts.items()}

    def snapshot(self) -> Snapshot:
        """What it is now."""
        with self.lock:
            text, application = self._whole()
            return Snapshot(
                self.burst,
                self.at,
                self.received_at,
                text,
                application,
                tuple(self.receptions),
                self.repeats,
                self.expects_more,
            )

    def _whole(self) -> tuple[str, dict[str, Any] | None]:
        """The text of all parts. Some decoders give the whole text with the last part: that one stands for all."""
        if len(self.parts) < 2:
            return self.burst.text, self.burst.application
        ordered = [self.parts[letter] for letter in sorted(self.parts)]
        application = next((part.application for part in reversed(ordered) if part.application), None)
        first = ordered[0].text.rstrip()
        for part in reversed(ordered[1:]):
            if first and part.text.startswith(first):
                return part.text, application
        return "".join(part.text for part in ordered), application
