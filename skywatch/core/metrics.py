"""The figures of this process, for Prometheus: every metric is named here once and counted wherever things happen.

Names follow Prometheus' rules (unit last, ``_total`` for counters). ``export`` gives all values as bytes that travel
over the bus, ``exposition`` writes one page from the figures of several processes, each with its own ``process``
label, so that one scrape of any API process shows the whole installation.
"""

from __future__ import annotations

import math
import os
import socket
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
REGISTRY = CollectorRegistry(auto_describe=False)
ProcessCollector(registry=REGISTRY)

# Latency bounds (s): from a cached answer to the slowest export that still begins in time.
_LATENCY = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_TICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)


def _counter(name: str, meaning: str, *labels: str) -> Counter:
    return Counter(name, meaning, labels, registry=REGISTRY)


def _gauge(name: str, meaning: str, *labels: str) -> Gauge:
    return Gauge(name, meaning, labels, registry=REGISTRY)


# REST API
HTTP_REQUESTS = _counter("skywatch_http_requests_total", "Requests answered", "method", "route", "status")
HTTP_LATENCY = Histogram(
    "skywatch_http_request_duration_seconds",
    "Time until the answer began",
    ("method", "route"),
    buckets=_LATENCY,
    registry=REGISTRY,
)
HTTP_IN_FLIGHT = _gauge("skywatch_http_requests_in_flight", "Requests being answered")
THROTTLED = _counter("skywatch_http_throttled_total", "Requests refused by a rate limit", "scope")

# Picture and receivers
TICK_SECONDS = Histogram(
    "skywatch_tick_duration_seconds", "Time one tick of the picture took", buckets=_TICK, registry=REGISTRY
)
MONITOR_SECONDS = Histogram(
    "skywatch_monitor_duration_seconds",
    "Time a monitor took for one tick",
    ("monitor",),
    buckets=_TICK,
    registry=REGISTRY,
)
MONITOR_ERRORS = _counter("skywatch_monitor_errors_total", "Ticks on which a monitor failed", "monitor")
PICTURE_AIRCRAFT = _gauge("skywatch_picture_aircraft", "Aircraft in the picture")
PICTURE_WITH_POSITION = _gauge(
    "skywatch_picture_aircraft_with_position", "Aircraft in the picture that have a position"
)
PICTURE_TICK_AT = _gauge("skywatch_picture_tick_timestamp_seconds", "Unix time of the last tick")
PICTURE_MESSAGES = _gauge("skywatch_picture_messages", "Messages merged since the start")
RECEIVER_UP = _gauge("skywatch_receiver_up", "1 where the receiver is connected", "receiver")
RECEIVER_MESSAGE_RATE = _gauge("skywatch_receiver_messages_per_second", "Messages a second", "receiver")
RECEIVER_POSITION_RATE = _gauge("skywatch_receiver_positions_per_second", "Positions a second", "receiver")
RECEIVER_MESSAGES = _gauge("skywatch_receiver_messages", "Messages since the start", "receiver")
RECEIVER_RECONNECTS = _gauge("skywatch_receiver_reconnects", "Reconnects since the start", "receiver")
RECEIVER_INVALID = _gauge("skywatch_receiver_invalid", "Messages refused since the start", "receiver", "reason")

# Real-time channel
REALTIME_CONNECTIONS = _gauge("skywatch_realtime_connections", "Open connections", "protocol")
REALTIME_SUBSCRIBERS = _gauge("skywatch_realtime_subscribers", "Subscriptions", "topic")
REALTIME_SENT = _counter("skywatch_realtime_messages_sent_total", "Messages sent", "topic")
REALTIME_DROPPED = _counter("skywatch_realtime_messages_dropped_total", "Messages replaced or dropped", "topic")
REALTIME_CLOSED = _counter("skywatch_realtime_closed_total", "Connections ended by the service", "code")

# Queues, database and history
QUEUE_DEPTH = _gauge("skywatch_queue_depth", "Entries waiting in a bounded queue", "queue")
DATABASE_WRITES = _counter("skywatch_database_writes_total", "Transactions committed by a background writer", "writer")
DATABASE_WRITE_SECONDS = Histogram(
    "skywatch_database_write_duration_seconds",
    "Time of one transaction of a background writer",
    ("writer",),
    buckets=_LATENCY,
    registry=REGISTRY,
)
DATABASE_WRITE_ERRORS = _counter("skywatch_database_write_errors_total", "Transactions that failed", "writer")
HISTORY_POSITIONS = _counter("skywatch_history_positions_total", "Positions taken into history")
HISTORY_POINTS = _counter("skywatch_history_points_total", "Track points kept after thinning")
HISTORY_FLIGHTS = _counter("skywatch_history_flights_total", "Flights begun")
HISTORY_LOST = _counter("skywatch_history_points_lost_total", "Track points dropped because the database was away")
RETENTION_ROWS = _counter("skywatch_retention_rows_total", "Rows removed by retention", "kind")
RETENTION_BYTES = _gauge("skywatch_retention_bytes", "Size of a kind of data (estimated)", "kind")
ERRORS = _counter("skywatch_log_errors_total", "Log lines of level error and above", "logger")


def process_name(role: str = "") -> str:
    """A name for this process that differs between hosts and processes: ``role@host:pid``."""
    return f"{role or 'skywatch'}@{socket.gethostname()}:{os.getpid()}"


class _Sample(msgspec.Struct, array_like=True):
    name: str
    labels: dict[str, str]
    value: float | str  # infinities, which JSON does not know, travel as text


class _Family(msgspec.Struct, array_like=True):
    name: str
    kind: str
    meaning: str
    samples: list[_Sample]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(list[_Family])


def export() -> bytes:
    """Every figure of this process, for ``exposition`` there or in another process."""
    families = []
    for metric in REGISTRY.collect():
        samples = [
            _Sample(s.name, dict(s.labels), s.value if math.isfinite(s.value) else str(s.value))
            for s in metric.samples
            if not s.name.endswith("_created")
        ]
        families.append(_Family(metric.name, metric.type, metric.documentation, samples))
    return _encoder.encode(families)


class _Merged(Collector):
    def __init__(self, processes: Mapping[str, bytes]) -> None:
        self.processes = processes

    def collect(self) -> Iterator[Metric]:
        merged: dict[str, Metric] = {}
        for process, data in sorted(self.processes.items()):
            for family in _decode(data):
                metric = merged.get(family.name)
                if metric is None:
                    metric = merged[family.name] = Metric(family.name, family.meaning, family.kind)
                for sample in family.samples:
                    metric.add_sample(sample.name, {**sample.labels, "process": process}, float(sample.value))
        yield from merged.values()


def _decode(data: bytes) -> Iterable[_Family]:
    try:
        return _decoder.decode(data)
    except msgspec.MsgspecError:
        return ()  # A process of another version, about to be replaced: its figures are not worth an error page.


def exposition(processes: Mapping[str, bytes]) -> bytes:
    """The page that Prometheus reads; ``processes`` maps a process' name to its ``export``."""
    registry: Any = CollectorRegistry(auto_describe=False)
    registry.register(_Merged(processes))
    return generate_latest(registry)
