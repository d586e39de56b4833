"""The generator: writes ``aircraft.json`` once a second, ``python -m benchmarks._whole.world FOLDER AIRCRAFT``.

Traffic of the simulator: kept apart, climbing, descending, landing, circling. Up to 1,500 aircraft fly around one
place, more around several, as all over the world. The simulator's light aircraft and helicopters circle for as long as
they fly; of a real sky's only few do, so most of them are left out (``CIRCLING``).
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import msgspec
import numpy as np

from skywatch.receivers.reports.report import Report
from skywatch.receivers.simulator.fleet import WAITING
from skywatch.receivers.simulator.placement import Kind
from skywatch.receivers.simulator.traffic import Traffic

MAX_REGION = 1500
# One of so many light aircraft and helicopters is in the world: some in a hundred of its aircraft circle.
CIRCLING = 25
# Steps in which the places of those that are left out are taken by others before the world begins.
FIRST_STEPS = 6
# The centres of the regions; those of neighbours are more than 400 nm apart. The first one is the station.
CENTRES = (
    (47.45, 8.56), (33.9, -118.4), (40.6, -73.8), (35.5, 139.8), (51.5, -8.5), (25.2, 55.4), (1.3, 103.9),
    (41.9, -87.9),
    (-33.9, 151.2), (31.2, 121.3), (28.5, 77.1), (-23.4, -46.5), (60.3, 25.0), (29.9, -95.3), (37.9, 23.9),
    (19.4, -99.1), (-26.1, 28.2), (55.6, 37.3), (22.3, 113.9), (40.5, -3.6),
)  # fmt: skip
# Written in the middle of a second: the picture ticks on the full one.
PHASE_S = 0.5
# What a receiver adds to the fields of the document.
OWN_FIELDS = re.compile(rb',"at":[^,]+,"position_at":[^,]+,"snapshot":[a-z]+')


def regions(aircraft: int) -> list[tuple[tuple[float, float], int]]:
    """The centres that are used for so many aircraft, and how many fly around each."""
    count = min(len(CENTRES), -(-aircraft // MAX_REGION)) or 1
    share = [aircraft // count + (number < aircraft % count) for number in range(count)]
    return list(zip(CENTRES, share, strict=False))


class World:
    """All regions together; an address that another region has already becomes another one."""

    def __init__(self, aircraft: int, now: float) -> None:
        self._traffic = [
            Traffic(count, centre, now, seed=1 + number) for number, (centre, count) in enumerate(regions(aircraft))
        ]
        self._messages = 0
        self._addresses: list[dict[str, str]] = [{} for _ in self._traffic]
        self._taken: set[str] = set()
        for _ in range(FIRST_STEPS):
            for traffic in self._traffic:
                _leave_out(traffic)
                traffic.step(now)

    def document(self, now: float) -> bytes:
        """The ``aircraft.json`` of a moment."""
        reports: list[Report] = []
        for traffic, addresses in zip(self._traffic, self._addresses, strict=True):
            self._messages += traffic.step(now)
            _leave_out(traffic)
            for report in traffic.reports():
                address = addresses.get(report.hex) or self._own(addresses, report.hex)
                report.hex = address
                reports.append(report)
        body = OWN_FIELDS.sub(b"", msgspec.json.encode(reports))
        return b'{"now":%.3f,"messages":%d,"aircraft":%b}' % (now, self._messages, body)

    def _own(self, addresses: dict[str, str], drawn: str) -> str:
        address = int(drawn, 16)
        while f"{address:06x}" in self._taken:
            address = (address + 1) % (1 << 24)
        own = addresses[drawn] = f"{address:06x}"
        self._taken.add(own)
        return own


def _leave_out(traffic: Traffic) -> None:
    """Let most light aircraft and helicopters be silent; the next step gives their rows to others."""
    state = traffic.state
    rows = np.flatnonzero(np.isin(state["kind"], (Kind.LIGHT, Kind.HELICOPTER)) & (state["voice"] != WAITING))
    left_out = [row for row in rows.tolist() if int(traffic.texts["hex"][row], 16) % CIRCLING]
    state["voice"][left_out] = WAITING


def main() -> None:
    """Write until killed."""
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    world = World(count, time.time())
    (folder / "receiver.json").write_text('{"refresh": 1000}')
    hidden = folder / "aircraft.new"
    while True:
        hidden.write_bytes(world.document(time.time()))
        hidden.replace(folder / "aircraft.json")
        time.sleep(1.0 - (time.time() - PHASE_S) % 1.0)


if __name__ == "__main__":
    main()
