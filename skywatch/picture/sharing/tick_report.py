"""Reports each tick of the tracker: statistics and states of receivers on the bus, metrics, health."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from skywatch.core.bus import Bus, Message, topics
from skywatch.core.reporting import health
from skywatch.picture import measuring, metrics
from skywatch.picture.picture import Picture
from skywatch.picture.sharing.statistics import TickMeter, TrackerStatistics
from skywatch.picture.state.sky import Sky
from skywatch.receivers.base import ReceiverStatus

_json = msgspec.json.Encoder()


class TickReport:
    """The statistics of one tracker."""

    def __init__(self, bus: Bus, picture: Picture, instance: str) -> None:
        self.statistics = TrackerStatistics(instance=instance, epoch=picture.epoch)
        self._bus = bus
        self._picture = picture
        self._meter = TickMeter()

    def publish(
        self, sky: Sky, duration_s: float, skies_skipped: int, monitor_errors: Mapping[str, int],
        receivers: Sequence[ReceiverStatus], receiver_fault: str,
    ) -> None:  # fmt: skip
        """Report a tick that took so long; ``receiver_fault`` is empty while all receivers run."""
        statistics = self.statistics
        statistics.skies_skipped = skies_skipped
        statistics.monitor_errors = dict(monitor_errors)
        self._count(sky)
        self._meter.add(time.monotonic(), duration_s, sky.messages)
        self._meter.fill(statistics)
        self._bus.publish(Message(topics.TRACKER, "statistics", _json.encode(statistics), snapshot=True))
        metrics.TICK_SECONDS.observe(duration_s)
        measuring.measure_picture(statistics)
        metrics.PICTURE_TICK_AT.set(sky.now)
        metrics.PICTURE_MESSAGES.set(sky.messages)
        self._bus.publish(Message(topics.RECEIVERS, "status", _json.encode(receivers), snapshot=True))
        for status in receivers:
            measuring.measure_receiver(status)
        health.report("tracker", True, tick_s=statistics.tick_mean_s)
        health.report("receiver_tasks", not receiver_fault, receiver_fault, receivers=len(receivers))

    def _count(self, sky: Sky) -> None:
        statistics = self.statistics
        statistics.at, statistics.seq = sky.now, sky.seq
        statistics.aircraft = len(sky)
        positions, military = ~np.isnan(sky.columns["lat"]), sky.columns["military"]
        statistics.with_position = int(np.count_nonzero(positions))
        statistics.military = int(np.count_nonzero(military))
        statistics.military_with_position = int(np.count_nonzero(positions & military))
        statistics.messages = sky.messages
        statistics.implausible = {name: dict(counts) for name, counts in self._picture.validator.implausible.items()}
        measuring.measure_admission(statistics, self._picture.admission)

    @staticmethod
    def close() -> None:
        """Withdraw what was reported to health."""
        for component in ("tracker", "picture", "receiver_tasks"):
            health.withdraw(component)
