"""Detections of known aircraft, once a flight; the flights of a restart go on.

When a known aircraft was last in the picture is saved with the picture: the list itself has only the time at which
its flight was detected, and after a restart an aircraft of a long flight would count again.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

import msgspec

from skywatch.cannonball.tracker.interests.interest import InterestTable
from skywatch.core.database.engine import SessionFactory
from skywatch.picture.state.sky import Sky
from skywatch.picture.storage import saved_picture as saved

NAME = "cannonball_detected"
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(dict[int, float])


@dataclass(frozen=True, slots=True)
class Detection:
    """A known aircraft in the picture: when it entered, and when that was detected (unix s)."""

    known_id: int
    since: float
    at: float


class Detections:
    """When each known aircraft was last in the picture (unix s), by its id on the list."""

    def __init__(self, flight_gap_s: float) -> None:
        self._flight_gap_s = flight_gap_s
        self._seen_at: dict[int, float] = {}
        self._lock = threading.Lock()
        self._saving = threading.Lock()
        self._saved: bytes = b""

    def update(self, sky: Sky, interests: InterestTable) -> list[Detection]:
        """The known aircraft whose flight begins with this tick; simulated ones have never been there."""
        rows, now, gap_s = interests.known_rows, sky.now, self._flight_gap_s
        rows = rows[~sky.column("simulated")[rows]]
        ids = interests.known_ids(rows)
        long_ago = -math.inf
        with self._lock:
            seen_at = self._seen_at
            fresh = [place for place, known_id in enumerate(ids) if now - seen_at.get(known_id, long_ago) > gap_s]
            seen_at.update(dict.fromkeys(ids, now))
        first_seen = sky.column("first_seen")
        return [Detection(ids[place], float(first_seen[rows[place]]), now) for place in fresh]

    def restore(self, seen_at: dict[int, float]) -> None:
        """Take over what an earlier process saved."""
        with self._lock:
            self._seen_at = {**seen_at, **self._seen_at}

    def save(self, sessions: SessionFactory, now: float) -> None:
        """Save the times of flights that may go on, if there are new ones."""
        # The periodic task may be saving while the monitor closes: the first row would be added twice.
        with self._saving:
            with self._lock:
                self._seen_at = {k: at for k, at in self._seen_at.items() if now - at <= self._flight_gap_s}
                data = _encoder.encode(self._seen_at)
            if data != self._saved:
                saved.write(sessions, {NAME: data})
                self._saved = data

    def read(self, sessions: SessionFactory) -> dict[int, float]:
        """What was saved last; empty if nothing was or it cannot be read."""
        try:
            data = saved.read(sessions, NAME, self._flight_gap_s)
            return _decoder.decode(data) if data is not None else {}
        except (ValueError, msgspec.MsgspecError):
            return {}
