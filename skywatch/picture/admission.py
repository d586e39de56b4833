"""``Admission``: decides which addresses become aircraft of the picture, so that invented ones cost next to nothing.

An address received only once waits until it is received again, by a second receiver, or until its receiver counts a
second message: noise and invented addresses seldom do. While many wait, the second message must come some seconds after
the first. The picture holds a limited number of aircraft. If it is full, a receiver with less than its share displaces
aircraft of the receiver with the most.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from operator import attrgetter

from msgspec import UNSET

from skywatch.picture.receiver_views import ReceiverViews
from skywatch.receivers.report import Report

# About 1 kB each. At 2,000 new addresses a second this is 5 s, in which an aircraft in range sends dozens of messages;
# each of them puts it at the end of the queue again.
MOST_WAITING = 10_000
# A flood: so large a share of that waits. An address is then proved by a message this long after the first one (s).
FLOOD_SHARE, FLOOD_APART_S = 0.1, 5.0
# Smallest time between two messages that prove an address (s): repetitions of one transmission do not.
APART_S = 0.05
# Share of the aircraft that is displaced at once: finding the oldest scans all.
ROOM_SHARE = 0.01

RECEIVED_ONCE, NO_ROOM, DISPLACED = "received_once", "no_room", "displaced"


@dataclass(frozen=True)
class _Waiting:
    receiver: str
    report: Report
    since: float


class Admission:
    """Holds at most ``maximum`` addresses; without ``proof`` an address is admitted at once.

    ``dropped`` counts, by reason, the reports of new addresses that were dropped (``received_once``: nothing followed
    that proves them; ``no_room``) and the aircraft that made room (``displaced``).
    """

    def __init__(self, maximum: int, proof: bool) -> None:
        self.maximum = maximum
        self.proof = proof
        self.dropped: Counter[str] = Counter()
        self._admitted: set[str] = set()
        self._no_room_before = 0
        self._turned_away = False
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()

    def __len__(self) -> int:
        return len(self._admitted)

    @property
    def is_full(self) -> bool:
        """Whether aircraft were turned away since the tick before the last."""
        return self._turned_away

    @property
    def waiting(self) -> int:
        """The number of addresses that wait for their proof."""
        return len(self._waiting)

    def filter(
        self,
        book: ReceiverViews,
        reports: Sequence[Report],
        books: Sequence[ReceiverViews],
        now: float,
        proven: bool = False,
    ) -> Sequence[Report]:
        """The accepted reports; an address that is admitted now is preceded by its earlier report.

        ``proven`` admits addresses that are received once. Displaced aircraft are removed from ``books``.
        """
        if self._admitted.issuperset(map(attrgetter("hex"), reports)):
            return reports
        accepted: list[Report] = []
        for report in reports:
            address = report.hex
            if address in self._admitted:
                accepted.append(report)
                continue
            before = self._waiting.get(address)
            if not proven and self.proof and not self._is_proof(book.name, report, before):
                self._wait_for_proof(book.name, report, before, now)
                continue
            if before is not None:
                del self._waiting[address]
            if len(self._admitted) >= self.maximum and not self._make_room(book, books):
                self.dropped[NO_ROOM] += 1
                continue
            self._admitted.add(address)
            if before is not None and before.receiver == book.name and not report.snapshot:
                accepted.append(before.report)
            accepted.append(report)
        return accepted

    def follow(self, books: Sequence[ReceiverViews], before: float) -> None:
        """Update the admitted addresses from the receivers' views; drop those that have waited since ``before``."""
        self._turned_away = self.dropped[NO_ROOM] > self._no_room_before
        self._no_room_before = self.dropped[NO_ROOM]
        self._admitted = set().union(*(book.views for book in books))
        while self._waiting and next(iter(self._waiting.values())).since <= before:
            self._waiting.popitem(last=False)
            self.dropped[RECEIVED_ONCE] += 1

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for address, waiting in self._waiting.items():
            waiting.report.at += step
            waiting.report.position_at += step
            self._waiting[address] = replace(waiting, since=waiting.since + step)

    def _wait_for_proof(self, receiver: str, report: Report, before: _Waiting | None, now: float) -> None:
        if before is not None:
            if report.at > before.report.at:
                self._waiting.move_to_end(report.hex)
            return
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.popitem(last=False)
            self.dropped[RECEIVED_ONCE] += 1
        self._waiting[report.hex] = _Waiting(receiver, report, now)

    def _make_room(self, book: ReceiverViews, books: Sequence[ReceiverViews]) -> bool:
        active = [other for other in books if other.views or other is book]
        largest = max(active, key=lambda other: len(other.views))
        if largest is book or len(book.views) >= self.maximum // len(active):
            return False
        others = set().union(*(other.views for other in active if other is not largest))
        alone = [view for view in largest.views.values() if view.hex not in others]
        oldest = nsmallest(max(1, int(self.maximum * ROOM_SHARE)), alone, key=attrgetter("at"))
        for view in oldest:
            del largest.views[view.hex]
            self._admitted.discard(view.hex)
        self.dropped[DISPLACED] += len(oldest)
        return bool(oldest)

    def _is_proof(self, receiver: str, report: Report, before: _Waiting | None) -> bool:
        if report.messages is not UNSET and report.messages > 1:
            return True
        if before is None:
            return False
        is_flood = len(self._waiting) >= MOST_WAITING * FLOOD_SHARE
        apart_s = FLOOD_APART_S if is_flood else APART_S
        return before.receiver != receiver or report.at - before.report.at > apart_s
