"""``Reception``: how often each address is received, and so which aircraft make room in a full picture.

Whoever invents addresses has so many messages a second for all of them together. An aircraft is received every few
seconds at least: of a full picture, the addresses that are received most seldom are the invented ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

from msgspec import UNSET

from skywatch.picture.receiving.receiver_views import ReceiverViews
from skywatch.receivers.reports.report import Report

# A rate is measured over at least this time (s): a burst of messages is no history.
LEAST_MEASURED_S = 10.0
# An aircraft makes room for one that is received so many times as often: two alike do not displace each other in turn.
CLEARLY = 2.0
# Share of the maximum that is ranked at once, seldom received first: ranking looks at every aircraft.
RANKED_SHARE = 0.1
# Counts of addresses that have left are removed when there are so many times as many counts as after the last time.
SPARE, LEAST_COUNTS = 2, 1000


@dataclass(slots=True)
class _Count:
    """A receiver's count of messages of an address at the time ``since`` (unix s)."""

    since: float
    messages: int


class Reception:
    """The rates of the addresses in a picture of at most ``maximum`` aircraft, for each receiver by itself."""

    def __init__(self, maximum: int) -> None:
        self._ranked_at_once = max(1, int(maximum * RANKED_SHARE))
        self._counts: dict[tuple[str, str], _Count] = {}
        self._most_counts = LEAST_COUNTS
        # By receiver and ``alone``: rates and addresses since the last tick, the most seldom received one last.
        self._ranked: dict[tuple[str, bool], list[tuple[float, str]]] = {}

    def begin(self, receiver: str, report: Report, since: float, messages: int) -> None:
        """Measure an address that is admitted with this report, after so many messages since that time (unix s)."""
        before = messages_of(report) - 1 if report.snapshot else 0
        self._counts[receiver, report.hex] = _Count(since, before - messages)

    def displace(
        self, source: ReceiverViews, books: Sequence[ReceiverViews], below: float, now: float, *, alone: bool
    ) -> str | None:
        """Remove the aircraft that ``source`` receives most seldom from all views; its address.

        None, and nothing is removed, where its rate is not below so many messages a second. ``alone`` looks only at
        aircraft that no other receiver of ``books`` receives; else the best rate of an aircraft counts.
        """
        key = source.name, alone
        if key not in self._ranked:
            others = [book for book in books if book is not source and book.views]
            self._ranked[key] = self._rank(source, others, now, alone)
        ranked = self._ranked[key]
        while ranked and ranked[-1][1] not in source.views:
            ranked.pop()
        if not ranked or ranked[-1][0] >= below:
            return None
        _, address = ranked.pop()
        if not ranked:
            del self._ranked[key]
        for book in books:
            book.views.pop(address, None)
        return address

    def follow(self, admitted: set[str]) -> None:
        """A tick: rank again when it is asked for, and forget the addresses that have left."""
        self._ranked.clear()
        if len(self._counts) > self._most_counts:
            self._counts = {key: count for key, count in self._counts.items() if key[1] in admitted}
            self._most_counts = SPARE * len(self._counts) + LEAST_COUNTS

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for count in self._counts.values():
            count.since += step

    def _rank(
        self, source: ReceiverViews, others: list[ReceiverViews], now: float, alone: bool
    ) -> list[tuple[float, str]]:
        name, rates = source.name, []
        for address, view in source.views.items():
            rate = self._rate(name, view, now)
            for other in others:
                elsewhere = other.views.get(address)
                if elsewhere is not None:
                    if alone:
                        break
                    rate = max(rate, self._rate(other.name, elsewhere, now))
            else:
                rates.append((rate, view.at, address))
        weakest = nsmallest(self._ranked_at_once, rates)
        return [(rate, address) for rate, _, address in reversed(weakest)]

    def _rate(self, receiver: str, view: Report, now: float) -> float:
        messages = messages_of(view)
        count = self._counts.get((receiver, view.hex))
        if count is None:
            # Admitted at another receiver, or before a restart: taken as received once a second until now.
            count = _Count(now - LEAST_MEASURED_S, messages - int(LEAST_MEASURED_S))
            self._counts[receiver, view.hex] = count
        return rate_of(messages - count.messages, count.since, now)


def rate_of(messages: int, since: float, now: float) -> float:
    """Messages a second since a time (unix s); 0 where the receiver has restarted its count."""
    return max(0, messages) / max(LEAST_MEASURED_S, now - since)


def messages_of(report: Report) -> int:
    """The messages that a report stands for, or a snapshot's count of them; 0 where that is not known."""
    return 0 if report.messages is UNSET else report.messages
