"""``InstallationFeeders``: what all feeders of an installation bring, whichever process they are connected to.

One for a tracker (``runtime.shared``). Who wants to know which feeder heard what asks here: ``links`` for the
connections and their rates, ``hearers`` for an aircraft, ``heard_by`` for a feeder.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skywatch.receivers.feeder_streams.heard_log import HeardLog, Hearer, ids_by_lane
from skywatch.receivers.feeder_streams.hub import FeederHub, feeder_hub
from skywatch.receivers.feeder_streams.reduction import Link, Reduction
from skywatch.receivers.framing.frames import Column

# A process that says nothing for so long is gone, and its connections with it (s).
GONE_S = 3.5


@dataclass
class _Totals:
    """What a connection has brought since it began; ``positions`` counts each aircraft once a second."""

    since: float
    refused_before: int
    refused: int
    frames: int = 0
    duplicates: int = 0
    positions: int = 0


class InstallationFeeders:
    """``take`` is called on the tracker's loop; the rest from any thread.

    It does not hide how strongly feeders hear whose place others may not know.
    """

    def __init__(self, runtime: Any) -> None:
        self._hub: FeederHub = runtime.shared(feeder_hub)
        self._of_process: dict[str, tuple[float, dict[int, Link]]] = {}
        self._totals: dict[int, _Totals] = {}
        # Of other processes; that of this one is the hub's.
        self._heard = HeardLog()

    def take(self, process: str, reduction: Reduction, refused: Callable[[str], int]) -> None:
        """Take what the feeders of a process (empty: this one) brought in a second.

        ``refused(receiver)`` is how many positions of a receiver the picture has refused.
        """
        self._of_process[process] = time.monotonic(), {link.feeder_id: link for link in reduction.links}
        ids = {lane: of_lane.feeder_id for lane, of_lane in reduction.lanes.items()}
        if process:
            self._heard.add(reduction.heard, ids, reduction.at)
        heard = reduction.heard
        self._count(reduction.links, ids_by_lane(ids)[heard.feeder[heard.has_position]], refused)

    def hear(self, addresses: Column) -> None:
        """Tell the listeners of this process which addresses i8[n] somebody has heard within the hour."""
        self._hub.limit.hear(addresses)

    def hearers(self, address: str) -> list[Hearer]:
        """The feeders that heard an aircraft (``4b1617``, ``~4b1617``) within a minute, the latest first."""
        latest: dict[int, Hearer] = {}
        for hearer in (*self._hub.heard.hearers(address), *self._heard.hearers(address)):
            other = latest.get(hearer.feeder_id)
            if other is None or hearer.last_at > other.last_at:
                latest[hearer.feeder_id] = hearer
        return sorted(latest.values(), key=lambda hearer: -hearer.last_at)

    def heard_by(self, feeder_id: int) -> list[tuple[str, float, float]]:
        """The addresses that a feeder heard within a minute, when (unix s) and how strongly (dBFS, NaN)."""
        return [*self._hub.heard.heard_by(feeder_id), *self._heard.heard_by(feeder_id)]

    def aircraft(self) -> dict[int, int]:
        """How many aircraft each feeder heard within a minute, by the feeder's id."""
        return self._heard.aircraft() | self._hub.heard.aircraft()

    def links(self) -> dict[int, Link]:
        """The connections of feeders, by the feeder's id."""
        now = time.monotonic()
        links: dict[int, Link] = {}
        for at, of_process in list(self._of_process.values()):
            if now - at > GONE_S:
                continue
            for number, link in of_process.items():
                # One that has moved is connected where it came last.
                if number not in links or link.since > links[number].since:
                    links[number] = link
        return links

    def duplicates_share(self, feeder_id: int) -> float:
        """The share of a feeder's frames that another one sent within 50 ms before, since it connected."""
        totals = self._totals.get(feeder_id)
        return round(totals.duplicates / totals.frames, 4) if totals is not None and totals.frames else 0.0

    def disputes_share(self, feeder_id: int) -> float:
        """The share of a feeder's positions that the picture refused, since it connected."""
        totals = self._totals.get(feeder_id)
        if totals is None or not totals.positions:
            return 0.0
        return round(min(1.0, (totals.refused - totals.refused_before) / totals.positions), 4)

    def _count(self, links: list[Link], positions: Column, refused: Callable[[str], int]) -> None:
        numbers, counts = np.unique(positions, return_counts=True)
        positions_of = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
        for link in links:
            totals = self._totals.get(link.feeder_id)
            count = refused(link.receiver)
            if totals is None or totals.since != link.since:
                totals = self._totals[link.feeder_id] = _Totals(link.since, count, count)
            totals.refused = count
            totals.frames += link.counts["frames"]
            totals.duplicates += link.counts["duplicates"]
            totals.positions += positions_of.get(link.feeder_id, 0)
