"""The figures of the tracker as metrics and in health."""

from __future__ import annotations

from skywatch.core import health
from skywatch.core.metrics import remove
from skywatch.picture import metrics
from skywatch.picture.admission import Admission
from skywatch.picture.statistics import TrackerStatistics
from skywatch.receivers.base import ReceiverStatus


def measure_picture(statistics: TrackerStatistics) -> None:
    """Set the metrics of the aircraft in the picture."""
    hidden, hidden_with_position = statistics.military, statistics.military_with_position
    metrics.PICTURE_AIRCRAFT.labels("false").set(statistics.aircraft - hidden)
    metrics.PICTURE_AIRCRAFT.labels("true").set(hidden)
    metrics.PICTURE_WITH_POSITION.labels("false").set(statistics.with_position - hidden_with_position)
    metrics.PICTURE_WITH_POSITION.labels("true").set(hidden_with_position)


def measure_receiver(status: ReceiverStatus) -> None:
    """Set the metrics of one receiver."""
    metrics.RECEIVER_UP.labels(status.name).set(status.state == "connected")
    metrics.RECEIVER_MESSAGE_RATE.labels(status.name).set(status.message_rate)
    metrics.RECEIVER_POSITION_RATE.labels(status.name).set(status.position_rate)
    metrics.RECEIVER_MESSAGES.labels(status.name).set(status.messages)
    metrics.RECEIVER_RECONNECTS.labels(status.name).set(status.reconnects)
    for why, count in status.invalid.items():
        metrics.RECEIVER_INVALID.labels(status.name, why).set(count)


def forget_receiver(status: ReceiverStatus) -> None:
    """Export a receiver no more that has been removed."""
    for gauge in (
        metrics.RECEIVER_UP,
        metrics.RECEIVER_MESSAGE_RATE,
        metrics.RECEIVER_POSITION_RATE,
        metrics.RECEIVER_MESSAGES,
        metrics.RECEIVER_RECONNECTS,
    ):
        remove(gauge, status.name)
    for why in status.invalid:
        remove(metrics.RECEIVER_INVALID, status.name, why)


def measure_admission(statistics: TrackerStatistics, admission: Admission) -> None:
    """Count what was dropped since the tick before; the picture is not well while it turns aircraft away."""
    metrics.PICTURE_WAITING.set(admission.waiting)
    for reason, count in admission.dropped.items():
        metrics.PICTURE_DROPPED.labels(reason).inc(count - statistics.dropped.get(reason, 0))
    statistics.waiting, statistics.dropped = admission.waiting, dict(admission.dropped)
    limit, dropped = admission.maximum, statistics.dropped
    health.report(
        "picture",
        not admission.is_full,
        f"full: {limit} aircraft (setting picture_max_aircraft); new ones are dropped" if admission.is_full else "",
        waiting=admission.waiting,
        **{f"dropped_{reason}": count for reason, count in dropped.items()},
    )
