"""Detections of known aircraft, once a flight; the flights of a restart go on.

When a known aircraft was last in the picture is saved with the picture: the list itself has only the time at which
its flight was detected, and after a restart an aircraft of a long flight would count again.
"""

from __future__ import annotations

import threading

import msgspec

from skywatch.cannonball.tracking.identifying.interest import InterestTable
from skywatch.cannonball.tracking.storing.changes import Detection
from skywatch.core.database.engine import SessionFactory
from skywatch.picture.saving import picture as saved
from skywatch.picture.state.sky import Sky

NAME = "cannonball_detected"
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(dict[int, float])


class Detections:
    """When each known aircraft was last in the picture (unix s), by its id on the list."""

    def __init__(self, flight_gap_s: float) -> None:
        self._flight_gap_s = flight_gap_s
        self._seen_at: dict[int, float] = {}
        self._lock = threading.Lock()
        self._saved: bytes = b""

    def update(self, sky: Sky, interests: InterestTable) -> list[Detection]:
        """The known aircraft whose flight begins with this tick."""
        detections = []
        first_seen = sky.column("first_seen")
        with self._lock:
            for row in interests.known_rows.tolist():
                known_id = interests.known_id(row)
                last = self._seen_at.get(known_id)
                if last is None or sky.now - last > self._flight_gap_s:
                    detections.append(Detection(known_id, float(first_seen[row]), sky.now))
                self._seen_at[known_id] = sky.now
        return detections

    def restore(self, seen_at: dict[int, float]) -> None:
        """Take over what an earlier process saved."""
        with self._lock:
            self._seen_at = {**seen_at, **self._seen_at}

    def save(self, sessions: SessionFactory, now: float) -> None:
        """Save the times of flights that may go on, if there are new ones."""
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
