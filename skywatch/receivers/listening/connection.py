"""``FeederConnection``: the frames and counts of one connection of a feeder."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from skywatch.core.network.rate_limit import RateLimit
from skywatch.inputs.meter import RateMeter
from skywatch.inputs.options import Station
from skywatch.receivers.documents import ReportBatch
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.framing.beast import MLAT_TICKS, BeastFramer
from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.kinds.mode_s_stream import ArrivalTimes, Framer, FrameReports
from skywatch.receivers.listening.hub import SILENT_S, Clock, KnownFeeder

# Bytes without a single good frame after which a connection ends.
MAX_GARBAGE = 1 << 16
# Aircraft that count as heard now were heard within this time (s).
AIRCRAFT_S = 60.0
CLOCK_AFTER_FRAMES = 50
DAY_S = 86_400
# Radarcape counts seconds of the day above 30 bits of nanoseconds; its clock agrees with ours so well (s).
GPS_AGREES_S = 60


class FeederConnection:
    """Decodes what one feeder sends with a decoder of its own: no other feeder's frames can mislead it."""

    framer: type[Framer] = BeastFramer
    # Whether the feeder has sent its UUID; else the setting of the port names it.
    has_uuid = True

    def __init__(
        self,
        feeder: KnownFeeder,
        peer: tuple[str, int],
        network: str,
        messages_s: int,
        station: Station,
        invalid: Counter[str],
        cpr: Counter[str],
        tap: FrameTap | None,
        end: Callable[[], None],
    ) -> None:
        now = time.monotonic()
        self.feeder = feeder
        self.network = network
        host, port = peer
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.since = time.time()
        self.last_frame_at: float | None = None
        self.clock: Clock | None = None
        self.positions = 0
        # Positions that were refused of the feeder's earlier connections.
        self.refused_before = 0
        self._heard_at = now
        self._end = end
        self._limit = RateLimit(messages_s)
        self._framer = self.framer()
        self._invalid = invalid
        self._reports = FrameReports(station, invalid, cpr, tap)
        self._times = ArrivalTimes()
        self._message_meter, self._position_meter, self._byte_meter = (RateMeter(now) for _ in range(3))
        self._aircraft: dict[str, float] = {}
        self._garbage = 0
        self._stamped: list[int] = []

    @property
    def is_garbage(self) -> bool:
        """Whether so much has come without a frame that it is no feeder."""
        return self._garbage > MAX_GARBAGE

    def silent_s(self) -> float:
        """Seconds since its last frame, or since it began."""
        return time.monotonic() - self._heard_at

    def close(self) -> None:
        """End it; returns at once."""
        self._end()

    def feed(self, received: bytes, received_at: float) -> ReportBatch:
        """The reports of the frames that these bytes complete (``received_at`` in unix seconds)."""
        now = time.monotonic()
        self._byte_meter.add(len(received), now)
        frames = self._framer.feed(received, received_at)
        self._reports.count("broken", self._framer.broken)
        if len(frames):
            allowed = self._within_limit(len(frames), now)
            frames = frames[:allowed] if allowed < len(frames) else frames
        if len(frames):
            frames.time = self._times.of(frames, received_at)
            self._note_clock(frames, received_at)
            if not self.feeder.shows_signal:
                frames.rssi = np.full(len(frames), np.nan, np.float32)
        batch = self._reports.decode(frames)
        self._count(batch, len(received), now)
        return batch

    def rates(self) -> tuple[float, float, int, float]:
        """Messages and positions a second, aircraft heard now, bytes a second."""
        now = time.monotonic()
        self._aircraft = {address: at for address, at in self._aircraft.items() if now - at <= AIRCRAFT_S}
        meters = self._message_meter, self._position_meter, self._byte_meter
        messages_s, positions_s, bytes_s = (round(meter.rate(now), 2) for meter in meters)
        return messages_s, positions_s, len(self._aircraft), bytes_s

    def _within_limit(self, frames: int, now: float) -> int:
        """How many of these frames the feeder's rate allows; the others are counted and dropped."""
        allowed = self._limit.take_up_to(frames, now)
        if allowed < frames:
            self._invalid["too_many"] += frames - allowed
        return allowed

    def _count(self, batch: ReportBatch, size: int, now: float) -> None:
        self._garbage = 0 if batch.messages else self._garbage + size
        if batch.messages:
            self._heard_at, self.last_frame_at = now, time.time()
            self._aircraft.update((report.hex, now) for report in batch.reports)
        self.positions += batch.positions
        self._message_meter.add(batch.messages, now)
        self._position_meter.add(batch.positions, now)

    def _note_clock(self, frames: FrameBatch, received_at: float) -> None:
        if self.clock is not None:
            return
        self._stamped += frames.ticks[frames.ticks != MLAT_TICKS].tolist()
        if len(self._stamped) >= CLOCK_AFTER_FRAMES or time.time() - self.since >= SILENT_S:
            self.clock = clock_of(self._stamped, received_at)
            self._stamped = []


def clock_of(ticks: list[int], received_at: float) -> Clock:
    """The clock that counters are of: ``none``, ``gps`` (Radarcape's second of the day and nanosecond) or ``free``."""
    if not any(ticks):
        return "none"
    of_day = received_at % DAY_S
    apart = [abs((tick >> 30) - of_day) for tick in ticks]
    is_gps = all((tick & 0x3FFFFFFF) < 1_000_000_000 for tick in ticks) and all(
        min(seconds, DAY_S - seconds) <= GPS_AGREES_S for seconds in apart
    )
    return "gps" if is_gps else "free"
