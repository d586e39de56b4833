"""``simulate aircraft=200 [seed=] [around=] [radius_nm=] [ground=] [separation=no]``: traffic without an antenna.

It behaves like a receiver of kind ``readsb``: once a second the whole state of every aircraft.
"""

from __future__ import annotations

import asyncio
import logging
import time

from skywatch.inputs.options import Options, Station, Words
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.simulator.airspace import sufficient_radius_nm
from skywatch.receivers.simulator.traffic import Traffic
from skywatch.sentences import sentence

log = logging.getLogger(__name__)

# Without a station: Zurich, as `make run` stores it.
DEFAULT_CENTRE = (47.45, 8.56)
PERIOD_S = 1.0
MAX_AIRCRAFT = 50_000
HALF_EQUATOR_NM = 10_800.0


class SimulateReceiver(RetryingReceiver):
    """Simulated traffic, once a second."""

    kind = "simulate"

    def __init__(
        self,
        name: str,
        aircraft: int,
        centre: tuple[float, float],
        radius_nm: float,
        ground: float,
        seed: int | None,
        separation: bool,
    ) -> None:
        used_nm = sufficient_radius_nm(aircraft, radius_nm) if separation else radius_nm
        how = "" if separation else " without separation"
        super().__init__(name, f"{aircraft} aircraft{how} within {used_nm:.0f} nm of {centre[0]:.2f},{centre[1]:.2f}")
        if used_nm > radius_nm:
            log.warning(
                "receiver %s: %d aircraft cannot be kept apart within %g nm and fly within %.0f nm",
                name,
                aircraft,
                radius_nm,
                used_nm,
            )
        self._aircraft = aircraft
        self._centre = centre
        self._radius_nm = radius_nm
        self._ground = ground
        self._seed = seed
        self._separation = separation

    async def session(self) -> None:
        """Advance the traffic once a second until cancelled; missed seconds are skipped."""
        # Creating thousands of aircraft takes a second, which must not block the loop.
        traffic = await asyncio.to_thread(
            Traffic,
            self._aircraft,
            self._centre,
            time.time(),
            radius_nm=self._radius_nm,
            ground_share=self._ground,
            seed=self._seed,
            separation=self._separation,
        )
        self.set_connected()
        last = 0.0
        due = time.monotonic()
        while True:
            now = time.time()
            messages = traffic.step(now)
            self.deliver(traffic.reports(), messages, traffic.positions_since(last))
            last = now
            due = max(due + PERIOD_S, time.monotonic())
            await asyncio.sleep(due - time.monotonic())


def create(name: str, words: Words, station: Station, context: ReceiverContext) -> SimulateReceiver:
    """Create the receiver; raises ValueError if an option is wrong."""
    options = Options(words)
    seed = options.text("seed")
    separation = options.text("separation")
    if separation not in (None, "yes", "no"):
        raise ValueError(sentence("receiver.separation", "separation must be yes or no"))
    receiver = SimulateReceiver(
        name,
        aircraft=options.whole("aircraft", 200, 0, MAX_AIRCRAFT),
        centre=options.point("around") or station or DEFAULT_CENTRE,
        radius_nm=options.number("radius_nm", 150.0, 10.0, 2 * HALF_EQUATOR_NM),
        ground=options.number("ground", 0.08, 0.0, 1.0),
        seed=_seed(seed) if seed is not None else None,
        separation=separation != "no",
    )
    options.finish()
    return receiver


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise ValueError(sentence("receiver.seed", "seed must be a whole number"))
    return int(text)
