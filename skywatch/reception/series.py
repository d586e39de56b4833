"""What each receiver brought over the last 24 hours: messages a second and aircraft, in slots of ten minutes.

The tracker's process samples its receivers, publishes the series on the bus for the other processes, and saves it in
the table of the picture's state whenever a slot is over, so that a restart costs ten minutes at most. Nothing else is
stored: one row, which is overwritten.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any

import msgspec
import numpy as np

from skywatch.core.bus import Bus, BusError, Message
from skywatch.core.clock import to_datetime, unix_now
from skywatch.core.database.engine import SessionFactory, report_fault
from skywatch.core.process.periodic import WorkerThread
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.picture.state.sky import Sky
from skywatch.picture.storage import saved_picture as saved
from skywatch.receivers.base import ReceiverStatus, published_receivers
from skywatch.receivers.settings import SIMULATOR

log = logging.getLogger(__name__)
TOPIC = "reception"
SAVED = "reception"
SLOT_S = 600
# Interval of the samples (s), and that of publishing the series: it takes some kilobytes for each receiver.
SAMPLE_S, PUBLISH_EVERY_S = 10.0, 60.0
SLOTS = 144
SPAN_S = SLOT_S * SLOTS
# Receivers come and go with the feeders; beyond so many the ones sampled first are left out.
MAX_RECEIVERS = 200

_encoder = msgspec.json.Encoder()


class Means(msgspec.Struct, array_like=True):
    """The means of a slot, made of so many ``samples``: messages a second, aircraft whose last position came from the
    receiver, and of these the ones that are not military.
    """

    messages: float = 0.0
    aircraft: float = 0.0
    civil: float = 0.0
    samples: int = 0

    def add(self, messages: float, aircraft: int, civil: int) -> None:
        """Take one sample into the means."""
        self.samples += 1
        self.messages += (messages - self.messages) / self.samples
        self.aircraft += (aircraft - self.aircraft) / self.samples
        self.civil += (civil - self.civil) / self.samples


class ReceiverSeries(msgspec.Struct):
    """The slots of each receiver by name, the newest last; None is a slot without a sample.

    ``newest`` is the number of the newest slot: unix seconds divided by ``SLOT_S``. ``simulated`` are the names of
    simulators.
    """

    newest: int = 0
    receivers: dict[str, list[Means | None]] = {}
    simulated: set[str] = set()

    def observed_s(self, name: str) -> float:
        """How long a receiver was observed in the span, near enough (s)."""
        return SAMPLE_S * sum(slot.samples for slot in self.receivers.get(name, ()) if slot is not None)


_decoder = msgspec.json.Decoder(ReceiverSeries)


class ReceiverRecorder:
    """Samples the receivers of one tracker; used by one thread."""

    def __init__(self) -> None:
        self.series = ReceiverSeries()

    def take(self, at: float, statuses: Iterable[ReceiverStatus], sky: Sky | None) -> bool:
        """Add a sample of all receivers (``at`` is unix seconds); whether a slot was completed by that."""
        completed = self._advance(int(at // SLOT_S))
        counts = aircraft_by_receiver(sky) if sky is not None else {}
        receivers = self.series.receivers
        for status in statuses:
            if (status.name in self.series.simulated) != (status.kind == SIMULATOR):
                # The name of a simulator has become that of a receiver, or the reverse: another series.
                self.series.simulated ^= {status.name}
                receivers.pop(status.name, None)
            slots = receivers.get(status.name)
            if slots is None:
                if len(receivers) >= MAX_RECEIVERS:
                    continue
                slots = receivers[status.name] = [None] * SLOTS
            means = slots[-1]
            if means is None:
                means = slots[-1] = Means()
            means.add(status.message_rate, *counts.get(status.name, (0, 0)))
        return completed

    def _advance(self, slot: int) -> bool:
        """Begin a new slot where its time has come; a clock that was set back goes on in the newest one."""
        series = self.series
        passed = slot - series.newest
        if passed <= 0:
            return False
        gap = [None] * min(passed, SLOTS)
        shifted = {name: [*slots[len(gap) :], *gap] for name, slots in series.receivers.items()}
        completed = bool(series.newest)
        # What has had no sample for the whole span was removed.
        remaining = {name: slots for name, slots in shifted.items() if any(slots)}
        self.series = ReceiverSeries(slot, remaining, series.simulated & remaining.keys())
        return completed

    def save(self, sessions: SessionFactory) -> None:
        """Write the series over the saved one; raises SQLAlchemyError where the database is away."""
        saved.write(sessions, {SAVED: _encoder.encode(self.series)})

    def restore(self, sessions: SessionFactory) -> None:
        """Go on with the saved series; raises ValueError where it cannot be read, and SQLAlchemyError."""
        data = saved.read(sessions, SAVED, SPAN_S)
        if data is None:
            return
        try:
            series = _decoder.decode(data)
        except msgspec.MsgspecError as error:
            raise ValueError(f"the saved reception is damaged: {error}") from None
        if any(len(slots) != SLOTS for slots in series.receivers.values()):
            raise ValueError(f"the saved reception does not have {SLOTS} slots")
        self.series = series


class SeriesTask:
    """Records the series of the tracker in a thread of its own, which is idle most of the time."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._recorder = ReceiverRecorder()
        self._sky: Sky | None = None
        self._publish_at = 0.0
        self._is_restored = False
        self._faults = FaultLog(log, "the reception cannot be recorded", "the reception is recorded again")
        self._worker = WorkerThread("reception-series", self._work, self._failed)

    def start(self) -> None:
        """Go on with the saved series."""
        self._worker.start()

    def follow(self, sky: Sky) -> None:
        """Take the aircraft of the next sample from this sky."""
        self._sky = sky

    def close(self) -> None:
        """End, and save the series."""
        self._worker.close()
        if self._recorder.series.newest:
            self._try(self._save)

    def record(self) -> None:
        """Sample the receivers once; publish the series when it is time, and save it when a slot is over."""
        completed = self._recorder.take(unix_now(), published_receivers(self._runtime.bus), self._sky)
        if time.monotonic() >= self._publish_at:
            self._publish_at = time.monotonic() + PUBLISH_EVERY_S
            publish_reception(self._runtime.bus, self._recorder.series)
        if completed:
            self._save()

    def _work(self) -> float:
        if self._is_restored:
            self.record()
        else:
            self._is_restored = True
            self._recorder.restore(self._runtime.sessions)
        self._faults.succeeded()
        return SAMPLE_S

    def _save(self) -> None:
        self._recorder.save(self._runtime.sessions)

    def _failed(self, error: Exception) -> float:
        report_fault(self._faults, error)
        return SAMPLE_S

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            # Whatever it is, the tracker goes on to end.
            report_fault(self._faults, error)


def aircraft_by_receiver(sky: Sky) -> dict[str, tuple[int, int]]:
    """For each receiver, the aircraft whose last position came from it, and those of them that are not military."""
    columns = sky.columns
    has_position = ~np.isnan(columns["lat"])
    count = len(sky.receivers)
    every = np.bincount(columns["receiver"][has_position], minlength=count)
    civil = np.bincount(columns["receiver"][has_position & ~columns["military"]], minlength=count)
    sums: dict[str, tuple[int, int]] = {}
    # All feeders have one name.
    for name, aircraft, of_civil in zip(sky.receivers, every.tolist(), civil.tolist(), strict=True):
        before = sums.get(name, (0, 0))
        sums[name] = before[0] + aircraft, before[1] + of_civil
    return sums


def publish_reception(bus: Bus, series: ReceiverSeries) -> None:
    """Publish the series for the other processes."""
    bus.publish(Message(TOPIC, "reception", _encoder.encode(series), snapshot=True))


def last_reception(bus: Bus) -> ReceiverSeries | None:
    """The series published last; None before the first and while the bus is unreachable."""
    try:
        message = bus.last(TOPIC)
        return None if message is None else _decoder.decode(message.data)
    except (BusError, msgspec.MsgspecError):
        return None


def slots_of(series: ReceiverSeries | None, names: Collection[str], *, military: bool) -> list[dict[str, Any]]:
    """The slots of these receivers together where one of them was sampled; ``military``: with such aircraft."""
    if series is None:
        return []
    first = series.newest - SLOTS + 1
    slots: list[dict[str, Any]] = []
    for at in range(SLOTS):
        means = [slot for name in names if (slot := series.receivers.get(name, [None] * SLOTS)[at]) is not None]
        if means:
            messages = sum(one.messages for one in means)
            aircraft = sum(one.aircraft if military else one.civil for one in means)
            begin = to_datetime((first + at) * SLOT_S)
            slots.append({"at": begin, "messages_s": round(messages, 1), "aircraft": round(aircraft, 1)})
    return slots
