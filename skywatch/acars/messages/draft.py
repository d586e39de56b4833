"""``Draft``: a message as it grows: who received it, how often it came again, the parts of its text."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import msgspec

from skywatch.acars.envelopes import Burst

# Stations of one message that are listed; a burst is heard by some, not by hundreds.
MAX_STATIONS = 32
# The parts of a text are lettered, beginning with the first letter (ARINC 618).
FIRST_PART, MAX_PARTS = "A", 26
# What names the aircraft.
_NAMES = ("icao_hex", "registration", "flight")


@dataclass(frozen=True)
class BurstReception:
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
    receptions: tuple[BurstReception, ...]
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
    receptions: list[BurstReception] = field(default_factory=list)
    repeats: int = 0
    parts: dict[str, Burst] = field(default_factory=dict)
    # Whether parts are missing: before the first one received, between two, or behind the last.
    is_incomplete: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add_reception(self, reception: BurstReception) -> None:
        """Note one more station, unless another part of the text has named it."""
        receiver = (reception.station, reception.frequency_mhz)
        with self.lock:
            is_listed = any((reception.station, reception.frequency_mhz) == receiver for reception in self.receptions)
            if not is_listed and len(self.receptions) < MAX_STATIONS:
                self.receptions.append(reception)

    def add_repeat(self) -> None:
        """Note that the same message came again."""
        with self.lock:
            self.repeats += 1

    def add_part(self, burst: Burst) -> None:
        """Add a part of the text, wherever it belongs."""
        with self.lock:
            self._identify(burst)
            if burst.sequence is not None and len(self.parts) < MAX_PARTS:
                self.parts[burst.sequence] = burst
                self.is_incomplete = self._misses_parts()

    def identify(self, burst: Burst) -> None:
        """Take from another reception what the first one did not name: programs differ in what they write."""
        with self.lock:
            self._identify(burst)

    def _identify(self, burst: Burst) -> None:
        missing = {name: getattr(burst, name) for name in _NAMES if getattr(self.burst, name) is None}
        if any(value is not None for value in missing.values()):
            self.burst = msgspec.structs.replace(self.burst, **missing)

    def _misses_parts(self) -> bool:
        letters = sorted(self.parts)
        if any(part.is_whole for part in self.parts.values()):
            return False
        return (
            letters[0] != FIRST_PART
            or ord(letters[-1]) - ord(FIRST_PART) >= len(letters)
            or self.parts[letters[-1]].more
        )

    def settle(self, row_id: int) -> None:
        """Note the identifier of its row, and let go of the envelope, which is stored with it."""
        with self.lock:
            self.id = row_id
            self.burst = msgspec.structs.replace(self.burst, raw={})
            self.parts = {letter: msgspec.structs.replace(part, raw={}) for letter, part in self.parts.items()}

    def snapshot(self) -> Snapshot:
        """What it is now."""
        with self.lock:
            text, sublabel, application = self._whole()
            return Snapshot(
                msgspec.structs.replace(self.burst, sublabel=sublabel),
                self.at,
                self.received_at,
                text,
                application,
                tuple(self.receptions),
                self.repeats,
                self.is_incomplete,
            )

    def _whole(self) -> tuple[str, str | None, dict[str, Any] | None]:
        """Text, sublabel and application of all parts. Some programs give the whole text with the last part."""
        if not self.parts:
            return self.burst.text, self.burst.sublabel, self.burst.application
        ordered = [self.parts[letter] for letter in sorted(self.parts)]
        application = next((part.application for part in reversed(ordered) if part.application), None)
        sublabel = next((part.sublabel for part in ordered if part.sublabel), None)
        first = ordered[0].text.rstrip()
        for part in reversed(ordered):
            if part.is_whole or (part is not ordered[0] and first and part.text.startswith(first)):
                return part.text, sublabel, application
        return "".join(part.text for part in ordered), sublabel, application
