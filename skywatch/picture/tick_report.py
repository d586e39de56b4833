"""Reports each tick of the tracker: statistics and states of receivers on the bus, metrics, health."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from skywatch.core.bus import Bus, Message, topics
from skywatch.core.telemetry import health
from skywatch.core.telemetry.metrics import remove
from skywatch.picture import metrics
from skywatch.picture.counted import counted_rows
from skywatch.picture.distribution.statistics import TickMeter, TrackerStatistics
from skywatch.picture.merging.admission import Admission
from skywatch.picture.picture import Picture
from skywatch.picture.state.sky import Sky
from skywatch.receivers.base import ReceiverStatus
from skywatch.receivers.settings import SIMULATOR

_json = msgspec.json.Encoder()
FULL = "full: {} aircraft (setting picture_max_aircraft); new ones are dropped, or displace those received most seldom"


class TickReport:
    """The statistics of one tracker; those of ticks for which ``may_send`` is not true are not published."""

    def __init__(self, bus: Bus, picture: Picture, instance: str, may_send: Callable[[], bool] = lambda: True) -> None:
        self.statistics = TrackerStatistics(instance=instance, epoch=picture.epoch)
        self._bus = bus
        self._may_send = may_send
        self._picture = picture
        self._meter = TickMeter()
        self._counts_simulated = True
        # Messages of simulators by name: since the start of this tracker, and since that of the simulator.
        self._of_simulators: dict[str, int] = {}
        self._seen_of: dict[str, int] = {}

    def publish(
        self, sky: Sky, duration_s: float, skies_skipped: int, monitor_errors: Mapping[str, int],
        receivers: Sequence[ReceiverStatus], receiver_fault: str, *, simulated: bool,
    ) -> None:  # fmt: skip
        """Report a tick that took so long; ``receiver_fault`` is empty while all receivers run.

        ``simulated`` says whether simulated aircraft count, and the messages of simulators.
        """
        statistics = self.statistics
        statistics.skies_skipped = skies_skipped
        statistics.monitor_errors = dict(monitor_errors)
        self._leave_out(receivers)
        messages = sky.messages - (0 if simulated else sum(self._of_simulators.values()))
        if simulated != self._counts_simulated:
            self._counts_simulated = simulated
            self._meter.forget_messages()
        self._count(sky, counted_rows(sky, simulated=simulated))
        statistics.messages = messages
        self._meter.add(time.monotonic(), duration_s, messages)
        self._meter.fill(statistics)
        if self._may_send():
            self._bus.publish(Message(topics.TRACKER, "statistics", _json.encode(statistics), snapshot=True))
            self._bus.publish(Message(topics.RECEIVERS, "status", _json.encode(receivers), snapshot=True))
        metrics.TICK_SECONDS.observe(duration_s)
        measure_picture(statistics)
        metrics.PICTURE_TICK_AT.set(sky.now)
        metrics.PICTURE_MESSAGES.set(sky.messages)
        for status in receivers:
            measure_receiver(status)
        health.report("tracker", True, tick_s=statistics.tick_mean_s)
        health.report("receiver_tasks", not receiver_fault, receiver_fault, receivers=len(receivers))

    def _leave_out(self, receivers: Sequence[ReceiverStatus]) -> None:
        """Count what simulators have sent, also those that were removed."""
        for status in receivers:
            if status.kind == SIMULATOR:
                before = self._seen_of.get(status.name, 0)
                more = status.messages - before if status.messages >= before else status.messages
                self._of_simulators[status.name] = self._of_simulators.get(status.name, 0) + more
                self._seen_of[status.name] = status.messages

    def _count(self, sky: Sky, counted: npt.NDArray[np.bool_]) -> None:
        statistics = self.statistics
        statistics.at, statistics.seq = sky.now, sky.seq
        statistics.aircraft = int(np.count_nonzero(counted))
        positions, military = counted & ~np.isnan(sky.columns["lat"]), counted & sky.columns["military"]
        statistics.with_position = int(np.count_nonzero(positions))
        statistics.military = int(np.count_nonzero(military))
        statistics.military_with_position = int(np.count_nonzero(positions & military))
        statistics.implausible = {name: dict(counts) for name, counts in self._picture.validator.implausible.items()}
        measure_admission(statistics, self._picture.admission)

    @staticmethod
    def close() -> None:
        """Withdraw what was reported to health."""
        for component in ("tracker", "picture", "receiver_tasks"):
            health.withdraw(component)


def measure_picture(statistics: TrackerStatistics) -> None:
    """Set the metrics of the aircraft in the picture."""
    hidden, hidden_with_position = statistics.military, statistics.military_with_position
    metrics.PICTURE_AIRCRAFT.labels("false").set(statistics.aircraft - hidden)
    metrics.PICTURE_AIRCRAFT.labels("true").set(hidden)
    metrics.PICTURE_WITH_POSITION.labels("false").set(statistics.with_position - hidden_with_position)
    metrics.PICTURE_WITH_POSITION.labels("true").set(hidden_with_position)


def measure_receiver(status: ReceiverStatus) -> None:
    """Set the metrics of one receiver."""
    metrics.RECEIVER_UP.labels(status.name).set(status.is_active)
    metrics.RECEIVER_MESSAGE_RATE.labels(status.name).set(status.message_rate)
    metrics.RECEIVER_POSITION_RATE.labels(status.name).set(status.position_rate)
    metrics.RECEIVER_MESSAGES.labels(status.name).set(status.messages)
    metrics.RECEIVER_RECONNECTS.labels(status.name).set(status.reconnects)
    for field_name, count in status.invalid.items():
        metrics.RECEIVER_INVALID.labels(status.name, field_name).set(count)


def forget_receiver(status: ReceiverStatus) -> None:
    """Remove the metrics of a receiver that was removed."""
    for gauge in (
        metrics.RECEIVER_UP,
        metrics.RECEIVER_MESSAGE_RATE,
        metrics.RECEIVER_POSITION_RATE,
        metrics.RECEIVER_MESSAGES,
        metrics.RECEIVER_RECONNECTS,
    ):
        remove(gauge, status.name)
    for field_name in status.invalid:
        remove(metrics.RECEIVER_INVALID, status.name, field_name)


def measure_admission(statistics: TrackerStatistics, admission: Admission) -> None:
    """Count reports dropped since the last tick, and report a fault in health while aircraft are turned away."""
    metrics.PICTURE_WAITING.set(admission.waiting)
    for reason, count in admission.dropped.items():
        metrics.PICTURE_DROPPED.labels(reason).inc(count - statistics.dropped.get(reason, 0))
    statistics.waiting, statistics.dropped = admission.waiting, dict(admission.dropped)
    limit, dropped = admission.maximum, statistics.dropped
    health.report(
        "picture",
        not admission.is_full,
        FULL.format(limit) if admission.is_full else "",
        waiting=admission.waiting,
        **{f"dropped_{reason}": count for reason, count in dropped.items()},
    )
