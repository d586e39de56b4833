"""The part in the tracker: counts what stats.json shows and publishes it every ten seconds."""

from __future__ import annotations

import time

import msgspec

from skywatch.core.bus import Bus, Message
from skywatch.core.runtime import Runtime
from skywatch.picture.state.sky import Sky
from skywatch.readsb.statistics import Figures, counters_of
from skywatch.readsb.topics import EVENT, STATISTICS
from skywatch.receivers.base import published_receivers
from skywatch.receivers.settings import SIMULATOR

_encode = msgspec.json.Encoder().encode


class StatisticsMonitor:
    """Counts every tick; reads the receivers' counters from what the tracker publishes of them."""

    name = "readsb"

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._figures: Figures | None = None
        # Whether simulated aircraft were counted, and whether a real one was there: then they count no more.
        self._counted_simulated = self._hears_real = False

    def start(self) -> None:
        pass

    def on_tick(self, sky: Sky) -> None:
        simulated = sky.column("simulated")
        if not self._hears_real and not simulated.all():
            self._hears_real = True
            if self._counted_simulated:
                self._figures = None
        self._counted_simulated = self._counted_simulated or bool(simulated.any())
        figures = self._figures
        is_first = figures is None
        if figures is None:
            figures = self._figures = Figures(sky.now)
        figures.take(sky, simulated=not self._hears_real)
        if is_first or figures.is_due(sky.now):
            statuses = published_receivers(self._bus)
            if self._hears_real:
                statuses = [status for status in statuses if status.kind != SIMULATOR]
            figures.sample(sky.now, counters_of(statuses, time.process_time()))
            periods = {name: figures.periods(military) for name, military in (("every", True), ("civil", False))}
            self._bus.publish(Message(STATISTICS, EVENT, _encode(periods), snapshot=True))

    def close(self) -> None:
        pass


def create(runtime: Runtime) -> StatisticsMonitor:
    """The monitor of this feature."""
    return StatisticsMonitor(runtime.bus)
