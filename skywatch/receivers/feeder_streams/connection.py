"""``FeederConnection``: what one connection of a feeder has brought, until it is decoded with that of all others."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from skywatch.core.limits import RateLimit
from skywatch.inputs.meter import RateMeter
from skywatch.receivers.feeder_streams.feeder import SILENT_S, Clock, KnownFeeder
from skywatch.receivers.feeder_streams.hub import FeederHub
from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.framing.beast import MLAT_TICKS, BeastFramer
from skywatch.receivers.framing.frames import Column, FrameBatch
from skywatch.receivers.reports.documents import ReportBatch

# Bytes without a single good frame after which a connection ends.
MAX_GARBAGE = 1 << 16
CLOCK_AFTER_FRAMES = 50
DAY_S = 86_400
# Radarcape counts seconds of the day above 30 bits of nanoseconds; its clock agrees with ours so well (s).
GPS_AGREES_S = 60


class FeederConnection:
    """One connection between ``FeederHub.claim`` and ``release``; ``slot`` is its number meanwhile.

    ``invalid`` counts what is refused of lines, by reason; ``end`` ends the connection and returns at once. This class
    takes Beast; subclasses (``formats``) have other bytes.
    """

    # Whether the feeder has sent its UUID; else the setting of the port names it.
    has_uuid = True
    # Extracts frames from what ``mirror`` gets; None where the feeder sends none.
    framer: type[BeastFramer] | type[AvrFramer] | None = BeastFramer

    def __init__(
        self,
        feeder: KnownFeeder,
        peer: tuple[str, int],
        network: str,
        messages_s: int,
        invalid: Counter[str],
        hub: FeederHub,
        end: Callable[[], None],
    ) -> None:
        self.feeder = feeder
        self.network = network
        host, port = peer
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.since = time.time()
        self.slot = -1
        self.clock: Clock | None = None
        self.last_frame_at: float | None = None
        self.heard_at = now = time.monotonic()
        # Heard within a minute; the hub counts them.
        self.aircraft = 0
        self.invalid = invalid
        # Called with all bytes that come.
        self.mirror: Callable[[bytes], None] | None = None
        self._hub = hub
        self._end = end
        self._limit = RateLimit(messages_s)
        self._received: list[bytes] = []
        self._frames: list[FrameBatch] = []
        self._garbage = 0
        self._is_framed_elsewhere = False
        self._stamped: list[int] = []
        self._meters = {name: RateMeter(now) for name in ("messages", "positions", "bytes")}
        self._counted: dict[str, int] = {}
        # Counters when ``take_grown`` was called last.
        self._taken: dict[str, int] = {}
        self._waiting_bytes = 0
        self._when_taken: Callable[[], None] | None = None

    @property
    def is_garbage(self) -> bool:
        """Whether so much has come without a frame that it is no feeder."""
        return self._garbage > MAX_GARBAGE

    @property
    def has_clock(self) -> bool:
        """Whether it is known what clock its counters are of."""
        return self.clock is not None

    def silent_s(self) -> float:
        """Seconds since its last frame, or since it began."""
        return time.monotonic() - self.heard_at

    def close(self) -> None:
        """End it; returns at once."""
        self._end()

    def receive(self, received: bytes) -> None:
        """Take bytes of Beast; they are decoded within 50 ms."""
        self._received.append(received)
        self._waiting_bytes += len(received)
        if self.slot >= 0:
            self._hub.gatherer.add(self)

    def receive_frames(self, frames: FrameBatch, size: int) -> None:
        """Take frames that came in so many bytes of another form than Beast."""
        self._garbage = 0 if len(frames) else self._garbage + size
        if len(frames):
            self._frames.append(frames)
            self._hub.gatherer.add(self)
        self._hub.gatherer.count_bytes(self.slot, size)

    def deliver(self, batch: ReportBatch, size: int) -> None:
        """Take what the feeder decoded itself, which came in so many bytes."""
        self._garbage = 0 if batch.messages else self._garbage + size
        if batch.messages:
            self.heard_at, self.last_frame_at = time.monotonic(), time.time()
        self._hub.gatherer.count_bytes(self.slot, size)
        self._hub.put(self, batch)

    def limit_to(self, messages_s: int) -> None:
        """Set how many messages a second are taken from now on."""
        if messages_s != self._limit.rate:
            self._limit.rate = messages_s

    def within_limit(self, count: int) -> int:
        """How many of so many lines the feeder's rate allows; the others are counted."""
        allowed = self._limit.take_up_to(count, time.monotonic())
        if allowed < count:
            self.invalid["too_many"] += count - allowed
        return allowed

    @property
    def waiting_bytes(self) -> int:
        """Bytes that have not been decoded yet."""
        return self._waiting_bytes

    def when_taken(self, call: Callable[[], None]) -> None:
        """Call this once what waits has been taken."""
        self._when_taken = call

    def take(self) -> tuple[bytes, FrameBatch | None]:
        """See ``shared_decoder.gatherer.Stream``."""
        received, self._received = b"".join(self._received), []
        frames, self._frames = self._frames, []
        self._is_framed_elsewhere = bool(frames)
        self._waiting_bytes = 0
        if self._when_taken is not None:
            call, self._when_taken = self._when_taken, None
            call()
        return received, FrameBatch.concatenate(frames) if frames else None

    def put_back(self, rest: bytes, frames: int, behind: int) -> int:
        """See ``shared_decoder.gatherer.Stream``."""
        if rest:
            self._received.append(rest)
            self._waiting_bytes += len(rest)
        if behind or rest:
            self._garbage = (0 if frames else self._garbage) + behind - len(rest)
        elif frames and not self._is_framed_elsewhere:
            self._garbage = 0
        if not frames:
            return 0
        self.heard_at, self.last_frame_at = time.monotonic(), time.time()
        return self._limit.take_up_to(frames, self.heard_at)

    def count(self, counts: dict[str, int]) -> dict[str, int]:
        """Take its counters, once a second; what they have grown by."""
        now = time.monotonic()
        before = self._counted
        grown = {name: count - before[name] for name, count in counts.items()} if before else dict(counts)
        self._counted = counts
        for name, meter in self._meters.items():
            meter.add(grown[name], now)
        return grown

    def take_grown(self) -> Counter[str]:
        """What its counters have grown by since this was asked last."""
        before, self._taken = self._taken, self._counted
        return Counter({name: count - before.get(name, 0) for name, count in self._counted.items()})

    def rates(self) -> tuple[float, float, int, float]:
        """Messages and positions a second (over the last ten), aircraft heard now, bytes a second."""
        now = time.monotonic()
        messages_s, positions_s, bytes_s = (round(meter.rate(now), 2) for meter in self._meters.values())
        return messages_s, positions_s, self.aircraft, bytes_s

    def note_clock(self, ticks: Column, received_at: float) -> None:
        """Learn from counters i8[n] of frames what clock they are of."""
        self._stamped += ticks[ticks != MLAT_TICKS].tolist()
        if len(self._stamped) >= CLOCK_AFTER_FRAMES or time.time() - self.since >= SILENT_S:
            self.clock = clock_of(self._stamped, received_at)
            self._stamped = []


def clock_of(ticks: list[int], received_at: float) -> Clock:
    """The clock that counters are of: ``none``, ``gps`` (Radarcape's second of the day and nanosecond) or ``free``."""
    if not any(ticks):
        return "none"
    of_day = received_at % DAY_S
    return "gps" if all(_is_gps(tick, of_day) for tick in ticks) else "free"


def _is_gps(tick: int, of_day: float) -> bool:
    """Whether a counter reads as a second of the day near ``of_day`` and its nanoseconds."""
    seconds, nanoseconds = tick >> 30, tick & 0x3FFFFFFF
    # A free-running counter reads as more than a day once it has run for 90: that is no place on the circle of a day.
    if seconds >= DAY_S or nanoseconds >= 1_000_000_000:
        return False
    apart = abs(seconds - of_day)
    return min(apart, DAY_S - apart) <= GPS_AGREES_S
