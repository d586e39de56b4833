"""``SnapshotClient``: takes the whole picture from another process that follows it, any one but the tracker.

Of those that offer theirs, one of the newest is asked, at random. One that has died, is frozen or sends what cannot be
read, or lacks columns of this release, costs a moment, and the next one is asked.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from typing import NamedTuple

from skywatch.core.bus import Bus, Message
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.picture.distribution.snapshot_messages import (
    ALL,
    REQUEST,
    SEARCH,
    Offer,
    Request,
    Search,
    Snapshot,
    encode,
)
from skywatch.picture.state.sky import Sky, from_bytes

log = logging.getLogger(__name__)
# How long the first offer is waited for, then others (s).
FIRST_OFFER_S, OTHER_OFFERS_S = 1.0, 0.05
# How long one process may take to send its picture (s), and how many are asked at most.
ANSWER_WITHIN_S, MAX_ASKED = 3.0, 3
# Offers that are so much older than the newest one are not taken (s): followers receive a tick at different moments.
SAME_TICK_S = 1.5
# Offers that are read at most.
MAX_OFFERS = 100


class Found(NamedTuple):
    """A picture, and for how long its tracker has published nothing (s)."""

    sky: Sky
    silent_s: float


class SnapshotClient:
    """``find`` is called by one thread at a time; ``offered`` and ``received`` in a thread of the bus."""

    def __init__(self, bus: Bus, topic: str) -> None:
        self._bus = bus
        self._topic = topic
        self._changed = threading.Condition()
        self._offers: dict[str, float] = {}
        self._snapshot: Snapshot | None = None
        self._asked = ""
        self._faults = FaultLog(
            log, "the picture of another process cannot be read", "the picture of another process is read"
        )

    def find(self, newer_than: float) -> Found | None:
        """The whole picture of a process, made after ``newer_than`` (unix s); None where there is none.

        Waits ``FIRST_OFFER_S`` where there is no such process, and at most ``MAX_ASKED`` times ``ANSWER_WITHIN_S``.
        """
        for holder in self._holders(newer_than)[:MAX_ASKED]:
            snapshot = self._ask(holder)
            if snapshot is None:
                continue
            try:
                found = Found(from_bytes(snapshot.sky), snapshot.silent_s)
            except ValueError as error:
                self._faults.failed(str(error))
                continue
            self._faults.succeeded()
            # What follows may build upon columns that a process of an earlier release does not have.
            if found.sky.now > newer_than and not found.sky.missing:
                return found
        return None

    def offered(self, offer: Offer) -> None:
        """Take an offer."""
        with self._changed:
            if len(self._offers) < MAX_OFFERS:
                self._offers[offer.holder] = offer.now
                self._changed.notify()

    def received(self, snapshot: Snapshot) -> None:
        """Take the picture of the process that was asked; one that comes too late is dropped."""
        with self._changed:
            if snapshot.holder == self._asked:
                self._snapshot = snapshot
                self._changed.notify()

    def _holders(self, newer_than: float) -> list[str]:
        """Who has the newest picture, in random order, then the others, the newer first."""
        with self._changed:
            self._offers.clear()
        self._bus.publish(Message(ALL, SEARCH, encode(Search(self._topic, newer_than))))
        with self._changed:
            self._changed.wait_for(lambda: self._offers, FIRST_OFFER_S)
        if self._offers:
            time.sleep(OTHER_OFFERS_S)
        with self._changed:
            offers = list(self._offers.items())
        newest = max((now for _, now in offers), default=0.0)
        random.shuffle(offers)
        offers.sort(key=lambda offer: 0.0 if newest - offer[1] < SAME_TICK_S else newest - offer[1])
        return [holder for holder, _ in offers]

    def _ask(self, holder: str) -> Snapshot | None:
        with self._changed:
            self._asked, self._snapshot = holder, None
        self._bus.publish(Message(holder, REQUEST, encode(Request(self._topic))))
        with self._changed:
            self._changed.wait_for(lambda: self._snapshot, ANSWER_WITHIN_S)
            snapshot, self._asked, self._snapshot = self._snapshot, "", None
        return snapshot
