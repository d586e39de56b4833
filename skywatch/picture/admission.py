"""``Admission``: which addresses become aircraft of the picture, so that invented ones cost next to nothing.

An address that was received once only waits apart until it is received again, or by a second receiver, or until its
receiver counts a second message: noise and invented addresses seldom are. The picture holds a limited number of
aircraft. Where it is full, a receiver that has less than its share gets room at the cost of the one that has most.
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

# About 1 kB each. At 2,000 new addresses a second this is 10 s, in which an aircraft in range sends dozens of messages.
MOST_WAITING = 20_000
# Two messages of one transmission, or one that came twice, are no proof (s).
APART_S = 0.05
# Where room is made, it is made for this share of the aircraft at once: to find the oldest takes a look at all.
ROOM_SHARE = 0.01

HEARD_ONCE, NO_ROOM, DISPLACED = "received_once", "no_room", "displaced"


@dataclass(frozen=True)
class _Waiting:
    receiver: str
    report: Report
    since: float


class Admission:
    """Holds at most ``maximum`` addresses; without ``proof`` an address is admitted at once.

    ``dropped`` counts, by reason, the reports of new addresses that were dropped (``received_once``: nothing followed;
    ``no_room``) and the aircraft that made room (``displaced``).
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
        """How many addresses wait for their proof."""
        return len(self._waiting)

    def filter(
        self,
        book: ReceiverViews,
        reports: Sequence[Report],
        books: Sequence[ReceiverViews],
        now: float,
        proven: bool = False,
    ) -> Sequence[Report]:
        """The reports to be taken; where an address is admitted now, what was received of it before comes first.

        ``proven`` admits addresses that are received once. Where room is made, aircraft go from ``books``.
        """
        if self._admitted.issuperset(map(attrgetter("hex"), reports)):
            return reports
        taken: list[Report] = []
        for report in reports:
            address = report.hex
            if address in self._admitted:
                taken.append(report)
                continue
            before = self._waiting.get(address)
            if not proven and self.proof and not _is_proof(book.name, report, before):
                self._hold(book.name, report, before, now)
                continue
            if before is not None:
                del self._waiting[address]
            if len(self._admitted) >= self.maximum and not self._make_room(book, books):
                self.dropped[NO_ROOM] += 1
                continue
            self._admitted.add(address)
            if before is not None and before.receiver == book.name and not report.snapshot:
                taken.append(before.report)
            taken.append(report)
        return taken

    def follow(self, books: Sequence[ReceiverViews], before: float) -> None:
        """Bring what is admitted in line with what the receivers hold; drop what has waited since ``before``."""
        self._turned_away = self.dropped[NO_ROOM] > self._no_room_before
        self._no_room_before = self.dropped[NO_ROOM]
        self._admitted = set().union(*(book.views for book in books))
        while self._waiting and next(iter(self._waiting.values())).since <= before:
            self._waiting.popitem(last=False)
            self.dropped[HEARD_ONCE] += 1

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for address, waiting in self._waiting.items():
            waiting.report.at += step
            waiting.report.position_at += step
            self._waiting[address] = replace(waiting, since=waiting.since + step)

    def _hold(self, receiver: str, report: Report, before: _Waiting | None, now: float) -> None:
        if before is not None:
            return
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.popitem(last=False)
            self.dropped[HEARD_ONCE] += 1
        self._waiting[report.hex] = _Waiting(receiver, report, now)

    def _make_room(self, book: ReceiverViews, books: Sequence[ReceiverViews]) -> bool:
        heard = [other for other in books if other.views or other is book]
        largest = max(heard, key=lambda other: len(other.views))
        if largest is book or len(book.views) >= self.maximum // len(heard):
            return False
        others = set().union(*(other.views for other in heard if other is not largest))
        alone = [view for view in largest.views.values() if view.hex not in others]
        oldest = nsmallest(max(1, int(self.maximum * ROOM_SHARE)), alone, key=attrgetter("at"))
        for view in oldest:
            del largest.views[view.hex]
            self._admitted.discard(view.hex)
        self.dropped[DISPLACED] += len(oldest)
        return bool(oldest)


def _is_proof(receiver: str, report: Report, before: _Waiting | None) -> bool:
    if report.messages is not UNSET and report.messages > 1:
        return True
    if before is None:
        return False
    return before.receiver != receiver or report.at - before.report.at > APART_S
