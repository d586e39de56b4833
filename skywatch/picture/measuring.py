"""Sets the metrics and the health of the tracker."""

from __future__ import annotations

from skywatch.core.reporting import health
from skywatch.core.reporting.metrics import remove
from skywatch.picture import metrics
from skywatch.picture.receiving.admission import Admission
from skywatch.picture.sharing.statistics import TrackerStatistics
from skywatch.receivers.base import ReceiverStatus

FULL = "full: {} aircraft (setting picture_max_aircraft); new ones are dropped, or displace those received most seldom"


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
