"""The figures of this process, for Prometheus.

A room declares its metrics in its ``metrics.py`` with ``counter``, ``gauge`` and ``histogram``; those that all share
are here.

Names follow Prometheus' rules (unit last, ``_total`` for counters). ``export`` gives all values as bytes that travel
over the bus, ``exposition`` writes one page from the figures of several processes, each with its own ``process``
label, so that one scrape of any API process shows the whole installation.
"""

from __future__ import annotations

import contextlib
import math
import os
import socket
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
REGISTRY = CollectorRegistry(auto_describe=False)
ProcessCollector(registry=REGISTRY)

# Latency bounds (s): from a cached answer to the slowest export that still begins in time.
LATENCY_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# Bounds of what is done on every tick (s).
TICK_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)


class Declared(NamedTuple):
    """What the manual says of a metric."""

    name: str
    meaning: str
    labels: tuple[str, ...]


# Every metric of the modules that are imported, in the order of their declaration.
DECLARED: list[Declared] = []


def counter(name: str, meaning: str, *labels: str) -> Counter:
    """Declare a counter; the name ends with ``_total``."""
    DECLARED.append(Declared(name, meaning, labels))
    return Counter(name, meaning, labels, registry=REGISTRY)


def gauge(name: str, meaning: str, *labels: str) -> Gauge:
    """Declare a gauge."""
    DECLARED.append(Declared(name, meaning, labels))
    return Gauge(name, meaning, labels, registry=REGISTRY)


def histogram(name: str, meaning: str, *labels: str, buckets: Sequence[float] = LATENCY_S) -> Histogram:
    """Declare a histogram of seconds; the name ends with ``_seconds``."""
    DECLARED.append(Declared(name, meaning, labels))
    return Histogram(name, meaning, labels, buckets=buckets, registry=REGISTRY)


def remove(metric: Gauge, *labels: str) -> None:
    """Export the value of these labels no more, where there is one."""
    with contextlib.suppress(KeyError):
        metric.remove(*labels)


# Queues, database and retention
def boolean_label(value: object) -> str:
    """A label that says yes or no; of ``military`` the service leaves out what a caller may not see."""
    return "true" if value else "false"


QUEUE_DEPTH = gauge("skywatch_queue_depth", "Entries waiting in a bounded queue", "queue")
DATABASE_WRITES = counter("skywatch_database_writes_total", "Transactions committed by a background writer", "writer")
DATABASE_WRITE_SECONDS = histogram(
    "skywatch_database_write_duration_seconds", "Time of one transaction of a background writer", "writer"
)
DATABASE_WRITE_ERRORS = counter("skywatch_database_write_errors_total", "Transactions that failed", "writer")
DATABASE_WRITE_DROPPED = counter(
    "skywatch_database_write_dropped_total", "Entries of a background writer that were not written", "writer", "reason"
)
RETENTION_ROWS = counter("skywatch_retention_rows_total", "Rows removed by retention", "kind")
RETENTION_BYTES = gauge("skywatch_retention_bytes", "Size of a kind of data (estimated)", "kind")
BUS_BYTES = counter("skywatch_bus_published_bytes_total", "Bytes handed to the bus, however many receive them")
LEADING = gauge(
    "skywatch_tracker_leading", "1 where this process is the leading tracker, 0 where it stands by or ended"
)
BUS_DROPPED = counter("skywatch_bus_dropped_total", "Messages dropped because the bus was away or too slow")
ERRORS = counter("skywatch_log_errors_total", "Log lines of level error and above", "logger")


def process_name(role: str = "") -> str:
    """A name for this process that differs between hosts and processes: ``role@host:pid``."""
    return f"{role or 'skywatch'}@{socket.gethostname()}:{os.getpid()}"


class _Sample(msgspec.Struct, array_like=True):
    name: str
    labels: dict[str, str]
    value: float | str  # infinities, which JSON lacks, are sent as text


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
    def __init__(self, processes: Mapping[str, bytes], without: Collection[tuple[str, str]]) -> None:
        self.processes = processes
        self.without = frozenset(without)

    def collect(self) -> Iterator[Metric]:
        merged: dict[str, Metric] = {}
        for process, data in sorted(self.processes.items()):
            for family in _decode(data):
                metric = merged.get(family.name)
                if metric is None:
                    metric = merged[family.name] = Metric(family.name, family.meaning, family.kind)
                for sample in family.samples:
                    if not self.without.isdisjoint(sample.labels.items()):
                        continue
                    metric.add_sample(sample.name, {**sample.labels, "process": process}, float(sample.value))
        yield from merged.values()


def _decode(data: bytes) -> Iterable[_Family]:
    try:
        return _decoder.decode(data)
    except msgspec.MsgspecError:
        return ()  # A process of another version, about to be replaced: its figures are not worth an error page.


def exposition(processes: Mapping[str, bytes], without: Collection[tuple[str, str]] = ()) -> bytes:
    """The page that Prometheus reads; ``processes`` maps a process' name to its ``export``.

    Samples that bear one of the labels in ``without`` (name and value) are left out.
    """
    registry: Any = CollectorRegistry(auto_describe=False)
    registry.register(_Merged(processes, without))
    return generate_latest(registry)
