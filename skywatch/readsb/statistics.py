"""The figures of readsb's stats.json, made of the states of the receivers and of what the picture shows.

Counters run since the start of the tracker. A sample of them is kept every ten seconds, and what a period counted is
the difference of two. What nobody counts here (the reception of a radio of our own) is 0 as with a readsb that has no
radio, and the noise, which cannot be 0, is left out.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from skywatch.core.geo import METRES_PER_NM
from skywatch.picture.state.own_antenna import heard
from skywatch.picture.state.sky import Sky
from skywatch.receivers.base import ReceiverStatus

SAMPLE_S = 10.0
# Name of a period -> its length (s).
PERIODS = {"last1min": 60.0, "last5min": 300.0, "last15min": 900.0}
MAX_S = max(PERIODS.values())
# A clock that was set leaves gaps; beyond so many samples the oldest go whatever their time.
MAX_SAMPLES = round(MAX_S / SAMPLE_S) + 2

# Reasons for which receivers refuse what they got, as readsb sorts them.
UNKNOWN_ADDRESS = "unknown_address"
BAD = ("bad_parity", "bad_length", "unsupported", "broken", "doubtful", "no_aircraft", "line", "too_long", "document")
BASESTATION_KINDS = frozenset({"sbs"})


@dataclass
class Traffic:
    """What was seen of the aircraft that some may see; ``farthest_nm`` and signal strengths since the last sample.

    Signal powers are sums over aircraft and ticks, on a linear scale.
    """

    tracks: int = 0
    single_message: int = 0
    farthest_nm: float = 0.0
    power: float = 0.0
    powers: int = 0
    peak_db: float = -math.inf


@dataclass(frozen=True)
class Sample:
    """The counters at a moment (unix seconds), and the traffic with and without military aircraft."""

    at: float
    counters: dict[str, int] = field(default_factory=dict)
    every: Traffic = field(default_factory=Traffic)
    civil: Traffic = field(default_factory=Traffic)

    def traffic(self, military: bool) -> Traffic:
        """The traffic that a caller may see."""
        return self.every if military else self.civil


class Figures:
    """Takes every tick and a sample of the receivers' counters every SAMPLE_S."""

    def __init__(self, started_at: float) -> None:
        self._samples: deque[Sample] = deque([Sample(started_at)], MAX_SAMPLES)
        self._first = self._samples[0]
        self._every, self._civil = Traffic(), Traffic()
        self._record = {True: 0.0, False: 0.0}
        self._last: Sky | None = None

    def take(self, sky: Sky, *, simulated: bool = True) -> None:
        """Count the aircraft of one tick, simulated ones only where these count."""
        columns = sky.columns
        every = np.ones(len(sky), "?") if simulated else ~columns["simulated"]
        is_new = columns["previous_row"] < 0
        reached = np.where(heard(sky), columns["distance_nm"], np.nan)
        gone, gone_civil = self._gone_after_one_message(sky, simulated)
        civil = every & ~columns["military"]
        for traffic, seen, left in ((self._every, every, gone), (self._civil, civil, gone_civil)):
            traffic.tracks += int(np.count_nonzero(is_new & seen))
            traffic.single_message += left
            distance = reached[seen]
            if len(distance):
                traffic.farthest_nm = max(traffic.farthest_nm, float(np.fmax.reduce(distance, initial=0.0)))
            level = columns["rssi_db"][seen]
            level = level[~np.isnan(level)]
            if len(level):
                traffic.power += float(np.power(10.0, level / 10.0).sum())
                traffic.powers += len(level)
                traffic.peak_db = max(traffic.peak_db, float(level.max()))
        self._last = sky

    def _gone_after_one_message(self, sky: Sky, simulated: bool) -> tuple[int, int]:
        """How many aircraft left after a single message, and how many civil ones among them."""
        last = self._last
        if last is None or not sky.left or last.epoch != sky.epoch:
            return 0, 0
        gone = np.ones(len(last), bool)
        before = sky.columns["previous_row"]
        gone[before[before >= 0]] = False
        gone &= last.columns["messages"] <= 1
        if not simulated:
            gone &= ~last.columns["simulated"]
        return int(np.count_nonzero(gone)), int(np.count_nonzero(gone & ~last.columns["military"]))

    def is_due(self, now: float) -> bool:
        """Whether it is time for a sample."""
        return not 0 <= now - self._samples[-1].at < SAMPLE_S

    def sample(self, now: float, counters: dict[str, int]) -> None:
        """Keep the counters and the traffic of this moment."""
        self._samples.append(Sample(now, counters, replace(self._every), replace(self._civil)))
        for military, traffic in ((True, self._every), (False, self._civil)):
            self._record[military] = max(self._record[military], traffic.farthest_nm)
            traffic.farthest_nm, traffic.power, traffic.powers, traffic.peak_db = 0.0, 0.0, 0, -math.inf
        while len(self._samples) > 2 and not 0 <= now - self._samples[1].at < MAX_S:
            self._samples.popleft()

    def periods(self, military: bool) -> dict[str, Any]:
        """The periods of stats.json for those who may see military aircraft, or may not."""
        last = self._samples[-1]
        made = {}
        for name, length_s in PERIODS.items():
            within = [sample for sample in self._samples if last.at - sample.at <= length_s]
            made[name] = _period(within, military)
        total = _period([self._first, last], military)
        total["max_distance"] = _metres(self._record[military])
        return {**made, "total": total}


def counters_of(statuses: Sequence[ReceiverStatus], cpu_s: float) -> dict[str, int]:
    """The counters of all receivers together, and the processor time of this process (ms)."""
    counts = {
        "messages": sum(status.messages for status in statuses),
        "basestation": sum(status.messages for status in statuses if status.kind in BASESTATION_KINDS),
        "positions": sum(status.positions for status in statuses),
        "cpu_ms": round(cpu_s * 1000),
        "bad": sum(status.invalid.get(reason, 0) for status in statuses for reason in BAD),
    }
    for name in (UNKNOWN_ADDRESS, "position_out_of_range", "position_too_fast"):
        counts[name] = sum(status.invalid.get(name, 0) for status in statuses)
    for name in ("airborne", "surface", "by_pair", "alone", "unresolved", "empty"):
        counts[name] = sum(status.cpr.get(name, 0) for status in statuses)
    return counts


def _period(samples: Sequence[Sample], military: bool) -> dict[str, Any]:
    """The members of one period, from its first sample to its last."""
    first, last = samples[0], samples[-1]
    traffic = [sample.traffic(military) for sample in samples]
    seen = traffic[1:]

    def counted(name: str) -> int:
        # A receiver that was restarted counts from 0 again.
        return max(0, last.counters.get(name, 0) - first.counters.get(name, 0))

    messages, basestation = counted("messages"), counted("basestation")
    accepted = max(0, messages - basestation)
    out_of_range, too_fast = counted("position_out_of_range"), counted("position_too_fast")
    local: dict[str, Any] = {
        "samples_processed": 0,
        "samples_dropped": 0,
        "samples_lost": 0,
        "modeac": 0,
        "modes": 0,
        "bad": 0,
        "unknown_icao": 0,
        "accepted": [0],
        "strong_signals": 0,
    }
    powers = sum(interval.powers for interval in seen)
    if powers:
        local["signal"] = round(10 * math.log10(sum(interval.power for interval in seen) / powers), 1)
        local["peak_signal"] = round(max(interval.peak_db for interval in seen), 1)
    return {
        "start": round(first.at, 1),
        "end": round(last.at, 1),
        "local": local,
        "messages_valid": messages,
        "position_count_total": counted("positions"),
        "remote": {
            "modeac": 0,
            "modes": accepted + counted("bad") + counted(UNKNOWN_ADDRESS),
            "basestation": basestation,
            "bad": counted("bad"),
            "unknown_icao": counted(UNKNOWN_ADDRESS),
            "accepted": [accepted],
        },
        "cpr": {
            "surface": counted("surface"),
            "airborne": counted("airborne"),
            "global_ok": counted("by_pair"),
            "global_bad": out_of_range + too_fast,
            "global_range": out_of_range,
            "global_speed": too_fast,
            "global_skipped": counted("unresolved"),
            "local_ok": counted("alone"),
            "local_aircraft_relative": counted("alone"),
            "local_receiver_relative": 0,
            "local_skipped": counted("unresolved"),
            "local_range": 0,
            "local_speed": 0,
            "filtered": counted("empty"),
        },
        "altitude_suppressed": 0,
        "cpu": {"demod": 0, "reader": 0, "background": counted("cpu_ms")},
        "tracks": {
            "all": traffic[-1].tracks - traffic[0].tracks,
            "single_message": traffic[-1].single_message - traffic[0].single_message,
        },
        "messages": messages,
        "max_distance": _metres(max((interval.farthest_nm for interval in seen), default=0.0)),
    }


def _metres(distance_nm: float) -> int:
    return round(distance_nm * METRES_PER_NM)
