"""``Admission``: decides which addresses become aircraft of the picture, so that invented ones cost next to nothing.

An address received only once waits until it is received again, by a second receiver, or until its receiver counts a
second message: noise and invented addresses seldom do. While many wait, the second message must come some seconds after
the first; those of strangers wait apart from ours. The picture holds a limited number of aircraft; who makes room in a
full one, ``capacity`` decides.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import UNSET

from skywatch.picture.merging.capacity import ALONE, CLEARLY, OURS, Holder, MessageRates, holder_of, rate_of
from skywatch.picture.merging.receiver_views import ReceiverViews
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import ReportColumns

# About 1 kB each. At 2,000 new addresses a second this is 5 s, in which an aircraft in range sends dozens of messages;
# each of them puts it at the end of the queue again.
MAX_WAITING = 10_000
# A flood: so large a share of that waits. An address is then proved by a message this long after the first one (s).
FLOOD_SHARE, FLOOD_APART_S = 0.1, 5.0
# So many messages an address sends before it displaces another one of its receiver.
MIN_MESSAGES = 4
# Smallest time between two messages that prove an address (s): repetitions of one transmission do not.
APART_S = 0.05

RECEIVED_ONCE, NO_ROOM, DISPLACED = "received_once", "no_room", "displaced"


@dataclass(slots=True)
class _Waiting:
    """An address, with its first report at ``receiver``, which is ``holder``'s. Times are unix seconds.

    ``latest_at`` is that of its latest report, which was put at ``renewed_at``; ``is_proved`` says that it waits for
    room alone, and that its reports are counted as dropped.
    """

    receiver: str
    holder: Holder
    report: Report
    since: float
    latest_at: float
    renewed_at: float
    messages: int = 1
    is_proved: bool = False

    def rate(self, report: Report, now: float) -> float:
        """Messages a second with this one; 0 while they are few, and for snapshots without counts, which have none."""
        messages = self.messages + 1
        if messages < MIN_MESSAGES or (report.snapshot and report.messages is UNSET):
            return 0.0
        return rate_of(messages, self.since, now)


class Admission:
    """Holds at most ``maximum`` addresses; without ``proof`` an address is admitted at once.

    ``dropped`` counts, by reason, the reports of new addresses that were dropped (``received_once``: nothing followed
    that proves them; ``no_room``: the picture is full) and the aircraft that made room (``displaced``).
    """

    def __init__(self, maximum: int, proof: bool) -> None:
        self.maximum = maximum
        self.proof = proof
        self.dropped: Counter[str] = Counter()
        self._admitted: set[str] = set()
        self._rates = MessageRates(maximum)
        self._full_before = 0
        self._is_full = False
        # Of strangers, and of ours.
        self._waiting: dict[bool, OrderedDict[str, _Waiting]] = {False: OrderedDict(), True: OrderedDict()}

    def __len__(self) -> int:
        return len(self._admitted)

    @property
    def is_full(self) -> bool:
        """Whether aircraft were turned away or made room since the tick before the last."""
        return self._is_full

    @property
    def waiting(self) -> int:
        """The number of addresses that wait for their proof."""
        return sum(map(len, self._waiting.values()))

    def holds(self, addresses: Sequence[str]) -> bool:
        """Whether all of these are admitted, so that there is nothing to filter."""
        return self._admitted.issuperset(addresses)

    def filter_columns(
        self, book: ReceiverViews, columns: ReportColumns, books: Sequence[ReceiverViews], now: float
    ) -> Sequence[Report]:
        """As ``filter``, but only reports of new addresses are made while the picture has room for them."""
        is_new = np.array([address not in self._admitted for address in columns.hexes], "?")
        if len(self._admitted) + int(np.count_nonzero(is_new)) > self.maximum:
            return self.filter(book, list(columns), books, now)
        new = columns.make(np.flatnonzero(is_new).tolist())
        accepted = self.filter(book, new, books, now)
        if len(accepted) == len(new):
            return columns
        return columns.take([row for row, address in enumerate(columns.hexes) if address in self._admitted])

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
        accepted: list[Report] = []
        displaced_before = self.dropped[DISPLACED]
        holder = holder_of(book)
        present = {report.hex for report in reports}
        if len(present | self._admitted) > self.maximum:
            # Before the first of them makes room for another one.
            self._rates.hold(holder, present & self._admitted, books)
        for report in reports:
            address = report.hex
            if address in self._admitted:
                accepted.append(report)
                continue
            waiting = self._waiting[True].get(address) or self._waiting[False].get(address)
            if not proven and self.proof and not self._is_proof(book.name, holder, report, waiting):
                self._wait(book.name, holder, report, waiting, now)
                continue
            if len(self._admitted) >= self.maximum and not self._make_room(holder, books, report, waiting, now):
                self.dropped[NO_ROOM] += 1
                # It goes on being counted: received often enough, it displaces another one.
                self._wait(book.name, holder, report, waiting, now).is_proved = True
                continue
            self._admit(book.name, holder, report, waiting, now)
            if waiting is not None and waiting.receiver == book.name and not report.snapshot:
                accepted.append(waiting.report)
            accepted.append(report)
        self._rates.look_again(holder)
        if self.dropped[DISPLACED] > displaced_before:
            accepted = [report for report in accepted if report.hex in self._admitted]
        return accepted

    def follow(self, books: Sequence[ReceiverViews], before: float) -> None:
        """Update the admitted addresses from the receivers' views; drop those that have waited since ``before``."""
        full = self.dropped[NO_ROOM] + self.dropped[DISPLACED]
        self._full_before, self._is_full = full, full > self._full_before
        self._admitted = set().union(*(book.addresses for book in books))
        self._rates.follow(self._admitted)
        for waiting in self._waiting.values():
            while waiting and next(iter(waiting.values())).renewed_at <= before:
                self._drop_oldest(waiting)

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for waiting in (*self._waiting[False].values(), *self._waiting[True].values()):
            waiting.report.at += step
            waiting.report.position_at += step
            waiting.since += step
            waiting.latest_at += step
            waiting.renewed_at += step
        self._rates.shift(step)

    def _admit(self, receiver: str, holder: Holder, report: Report, waiting: _Waiting | None, now: float) -> None:
        since, messages = (waiting.since, waiting.messages) if waiting is not None else (now, 0)
        if waiting is not None:
            del self._queue(waiting.holder)[report.hex]
        self._admitted.add(report.hex)
        self._rates.begin(receiver, holder, report, since, messages)

    def _queue(self, holder: Holder) -> OrderedDict[str, _Waiting]:
        return self._waiting[holder.standing == OURS]

    def _wait(self, receiver: str, holder: Holder, report: Report, waiting: _Waiting | None, now: float) -> _Waiting:
        """Let an address wait for its proof or for room, and count its messages."""
        if waiting is None:
            queue = self._queue(holder)
            if len(queue) >= MAX_WAITING:
                self._drop_oldest(queue)
            waiting = queue[report.hex] = _Waiting(receiver, holder, report, now, report.at, now)
        elif report.at > waiting.latest_at:
            # Repetitions of one transmission are one message.
            waiting.messages += report.at > waiting.latest_at + APART_S
            waiting.latest_at, waiting.renewed_at = report.at, now
            self._queue(waiting.holder).move_to_end(report.hex)
        return waiting

    def _drop_oldest(self, queue: OrderedDict[str, _Waiting]) -> None:
        _, oldest = queue.popitem(last=False)
        if not oldest.is_proved:
            self.dropped[RECEIVED_ONCE] += 1

    def _make_room(
        self, holder: Holder, books: Sequence[ReceiverViews], report: Report, waiting: _Waiting | None, now: float
    ) -> bool:
        """Displace an aircraft for a new one; whether there was one to displace."""
        below = waiting.rate(report, now) / CLEARLY if waiting is not None else 0.0
        displaced = self._rates.make_room(holder, books, below, now)
        if displaced is None:
            return False
        self._admitted.discard(displaced)
        self.dropped[DISPLACED] += 1
        return True

    def _is_proof(self, receiver: str, holder: Holder, report: Report, before: _Waiting | None) -> bool:
        if report.messages is not UNSET and report.messages > 1:
            return True
        if before is None:
            return False
        if before.receiver != receiver and (holder.standing != ALONE or before.holder != holder):
            return True
        is_flood = len(self._queue(before.holder)) >= MAX_WAITING * FLOOD_SHARE
        return report.at - before.report.at > (FLOOD_APART_S if is_flood else APART_S)
