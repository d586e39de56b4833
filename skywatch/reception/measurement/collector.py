"""``QualityCollector``: samples each receiver of the picture every ten seconds or more and adds up its hours.

Receivers are sampled at different ticks, so that no tick bears the work of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from skywatch.feeders.names import is_anonymous
from skywatch.picture.merging.delivery_counts import DeliveryCounts
from skywatch.picture.picture import Picture
from skywatch.picture.state.own_antenna import ELSEWHERE, ORIGIN_BITS, ORIGIN_SHIFT
from skywatch.picture.state.sky import Sky
from skywatch.receivers.reports.report_columns import ReportColumns
from skywatch.reception.measurement.hour import HOUR_S, MINUTE_S, Hour
from skywatch.reception.measurement.sample import sample

# Interval of the samples of a receiver (s): this, and more for each receiver beyond some hundreds, up to the last one.
SAMPLE_S, SAMPLE_EACH_S, MAX_SAMPLE_S = 10.0, 0.03, 30.0
# Two samples further apart do not belong together (s): the service stood still, or the clock was set.
MAX_APART_S = 60.0
# What a crash loses (s), and for each receiver: thousands of feeders must not write the disk full.
FLUSH_S, FLUSH_EACH_S = 60.0, 0.3

Origin = tuple[float, float] | None


@dataclass(frozen=True)
class Entry:
    """An hour of a receiver as measured so far, which begins at ``at``."""

    receiver: str
    at: datetime
    hour: Hour
    simulated: bool = False


@dataclass
class _Meter:
    """What is measured of one receiver; times are unix seconds."""

    due_at: float
    flush_at: float
    begins_at: int
    hour: Hour
    sampled_at: float
    messages: int
    positions: int
    duplicates: int
    refused: int
    simulated: bool

    def is_due(self, now: float) -> bool:
        """Whether it is time for a sample; a clock that was set back does not stop it."""
        return now >= self.due_at or self.due_at - now > MAX_SAMPLE_S + 1.0


@dataclass
class QualityCollector:
    """``origin_of`` returns where a feeder stands, None where that is not known or the receiver is no feeder."""

    origin_of: Callable[[str], Origin]
    _meters: dict[str, _Meter] = field(default_factory=dict)
    _sample_s: float = SAMPLE_S

    def tick(self, picture: Picture, sky: Sky) -> Iterator[Entry]:
        """Sample the receivers whose turn it is; yields hours that are to be written."""
        counts = picture.counts.snapshot()
        flush_s = max(FLUSH_S, FLUSH_EACH_S * len(counts))
        for name in self._meters.keys() - counts.keys():
            # A simulator that was switched off.
            del self._meters[name]
        self._sample_s = min(max(SAMPLE_S, SAMPLE_EACH_S * len(counts)), MAX_SAMPLE_S)
        for number, (name, count) in enumerate(counts.items()):
            if is_anonymous(name):
                continue  # Nobody could read what is measured of it.
            meter = self._meters.get(name)
            begins_anew = meter is not None and (
                meter.simulated != picture.is_simulated(name) or count.messages < meter.messages
            )
            if meter is None or begins_anew:
                self._meters[name] = self._begin(number, picture, name, count, sky.now, flush_s)
            elif meter.is_due(sky.now):
                yield from self._measure(meter, picture, name, count, sky, flush_s)

    def collect(self) -> Iterator[Entry]:
        """All hours as measured so far."""
        for name, meter in self._meters.items():
            if not meter.hour.is_empty:
                yield _entry(name, meter)

    def _begin(
        self, number: int, picture: Picture, name: str, count: DeliveryCounts, now: float, flush_s: float
    ) -> _Meter:
        origin = self.origin_of(name) or picture.origin_of(name)
        return _Meter(
            due_at=now + 1.0 + number % self._sample_s,
            flush_at=now + flush_s,
            begins_at=_hour_of(now),
            hour=Hour(origin),
            sampled_at=now,
            messages=count.messages,
            positions=count.positions,
            duplicates=count.duplicates,
            refused=picture.validator.refused_positions(name),
            simulated=picture.is_simulated(name),
        )

    def _measure(
        self, meter: _Meter, picture: Picture, name: str, count: DeliveryCounts, sky: Sky, flush_s: float
    ) -> Iterator[Entry]:
        now = sky.now
        origin = self.origin_of(name) or picture.origin_of(name)
        if meter.begins_at != _hour_of(now):
            if not meter.hour.is_empty:
                yield _entry(name, meter)
            meter.begins_at, meter.hour = _hour_of(now), Hour(origin)
        if origin != meter.hour.origin:
            meter.hour.move(origin)
        self._add(meter, picture, name, count, sky)
        meter.due_at = now + self._sample_s
        if now >= meter.flush_at or meter.flush_at - now > flush_s + MAX_SAMPLE_S:
            meter.flush_at = now + flush_s
            if not meter.hour.is_empty:
                yield _entry(name, meter)

    @staticmethod
    def _add(meter: _Meter, picture: Picture, name: str, count: DeliveryCounts, sky: Sky) -> None:
        elapsed_s = sky.now - meter.sampled_at
        refused = picture.validator.refused_positions(name)
        if 0.0 < elapsed_s <= MAX_APART_S:
            views = picture.views_of(name)
            # What a network knows says nothing of an antenna.
            is_elsewhere = picture.origins.get(name, 0) >> ORIGIN_SHIFT & ORIGIN_BITS == ELSEWHERE
            origin = None if is_elsewhere else meter.hour.origin
            moment = sample(views.by_field() if views else ReportColumns.of(()), sky, meter.sampled_at, origin)
            second = int(sky.now - meter.begins_at)
            minute = meter.hour.minutes[second // MINUTE_S]
            minute["seconds"] += round(elapsed_s)
            minute["samples"] += 1
            minute["messages"] += count.messages - meter.messages
            minute["positions"] += count.positions - meter.positions
            minute["duplicates"] += count.duplicates - meter.duplicates
            minute["refused"] += refused - meter.refused
            minute["aircraft"] += moment.aircraft
            meter.hour.count_signals(second, moment.rssi)
            meter.hour.note_ranges(second, moment.bearing_deg, moment.distance_nm)
        meter.sampled_at, meter.refused = sky.now, refused
        meter.messages, meter.positions, meter.duplicates = count.messages, count.positions, count.duplicates


def _hour_of(now: float) -> int:
    return int(now // HOUR_S) * HOUR_S


def _entry(name: str, meter: _Meter) -> Entry:
    return Entry(name, datetime.fromtimestamp(meter.begins_at, UTC), meter.hour.copy(), meter.simulated)
