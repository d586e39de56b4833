"""``MessageRates``: who holds the places of a full picture, how often each address is received, and so who makes room.

What ours hear displaces what only strangers hear, and what strangers agree on displaces what those of one owner hear
alone, never the other way. Among equals who has less than its share displaces aircraft of who has the most; any other
address displaces one that is received clearly less often. Strangers have a share for each owner, however many feeders
bring the aircraft; an own receiver has one for itself, and all trusted feeders have one together.

Whoever invents addresses has so many messages a second for all of them together. An aircraft is received every few
seconds at least: of a full picture, the addresses that are received most seldom are the invented ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from math import inf
from typing import NamedTuple

from msgspec import UNSET

from skywatch.picture.merging.receiver_views import ReceiverViews
from skywatch.receivers.reports.receiver_names import shown_receiver
from skywatch.receivers.reports.report import Report

# A rate is measured over at least this time (s): a burst of messages is no history.
MIN_MEASURED_S = 10.0
# An aircraft makes room for one that is received so many times as often: two alike do not displace each other in turn.
CLEARLY = 2.0
# Share of the maximum that is ranked at once, seldom received first: ranking looks at every aircraft.
RANKED_SHARE = 0.1
# Counts of addresses that have left are removed when there are so many times as many counts as after the last time.
SPARE, MIN_COUNTS = 2, 1000
# What one owner's strangers hear, what strangers agree on, what ours hear.
ALONE, AGREED, OURS = range(3)


class Holder(NamedTuple):
    """Whose share of a full picture an aircraft takes."""

    standing: int
    name: str


def holder_of(book: ReceiverViews) -> Holder:
    """Whose share the aircraft of these views take."""
    voice = book.voice
    if not voice.is_ours:
        return Holder(ALONE if voice.is_alone else AGREED, voice.owner)
    return Holder(OURS, shown_receiver(book.name))


@dataclass(slots=True)
class _Count:
    """A receiver's count of messages of an address at the time ``since`` (unix s)."""

    since: float
    messages: int


class _Allocation:
    """Who holds the places of a full picture as of a tick, and what was noted since."""

    def __init__(self, books: Sequence[ReceiverViews]) -> None:
        self.held: dict[Holder, set[str]] = {}
        # By standing: what holders above it hear, and their views, to which reports were added since the tick.
        self.above: dict[int, set[str]] = {standing: set() for standing in (ALONE, AGREED, OURS)}
        self._books_above: dict[int, list[ReceiverViews]] = {}
        self._books = 0
        # By holder and whether what its equals hear stays: rates and addresses, the most seldom received one last.
        self.ranked: dict[tuple[Holder, bool], list[tuple[float, str]]] = {}
        # Those of whom more was admitted than was ranked.
        self.grown: set[Holder] = set()
        # The standings of which nothing makes room.
        self.exhausted: set[int] = set()
        for book in books:
            if book.views:
                self.add(holder_of(book), book.views)

    def add(self, holder: Holder, addresses: Iterable[str]) -> None:
        """Note that a holder hears these."""
        self.held.setdefault(holder, set()).update(addresses)
        for standing in range(holder.standing):
            self.above[standing].update(addresses)

    def remove(self, address: str) -> None:
        """Note that an aircraft has left."""
        for addresses in (*self.held.values(), *self.above.values()):
            addresses.discard(address)

    def of(self, standing: int) -> list[Holder]:
        """The holders of a standing, who hears the most aircraft first."""
        equals = [holder for holder in self.held if holder.standing == standing]
        return sorted(equals, key=lambda holder: -len(self.held[holder]))

    def stays(self, address: str, holder: Holder, books: Sequence[ReceiverViews]) -> bool:
        """Whether somebody above a holder hears an address, or the holder does not."""
        return (
            address not in self.held[holder]
            or address in self.above[holder.standing]
            or any(address in book.views for book in self._above_of(holder, books))
        )

    def candidates(self, holder: Holder, books: Sequence[ReceiverViews], but: Sequence[Holder]) -> set[str]:
        """What a holder hears, but nobody above it, nor one of ``but``."""
        above = self.above[holder.standing]
        above.update(*(book.views for book in self._above_of(holder, books)))
        return self.held[holder] - above.union(*(self.held[other] for other in but))

    def _above_of(self, holder: Holder, books: Sequence[ReceiverViews]) -> list[ReceiverViews]:
        if len(books) != self._books:
            self._books = len(books)
            self._books_above = {
                standing: [book for book in books if holder_of(book).standing > standing] for standing in self.above
            }
        return self._books_above[holder.standing]


class MessageRates:
    """The rates of the addresses in a picture of at most ``maximum`` aircraft, for each receiver by itself."""

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._ranked_at_once = max(1, int(maximum * RANKED_SHARE))
        self._counts: dict[tuple[str, str], _Count] = {}
        self._most_counts = MIN_COUNTS
        # None until somebody asks for room after a tick.
        self._places: _Allocation | None = None

    def begin(self, receiver: str, holder: Holder, report: Report, since: float, messages: int) -> None:
        """Measure an address that is admitted with this report, after so many messages since that time (unix s)."""
        before = messages_of(report) - 1 if report.snapshot else 0
        self._counts[receiver, report.hex] = _Count(since, before - messages)
        if self._places is not None:
            self._places.add(holder, (report.hex,))
            self._places.grown.add(holder)

    def hold(self, holder: Holder, addresses: Iterable[str], books: Sequence[ReceiverViews]) -> None:
        """Note that a holder hears aircraft of a full picture."""
        self._since_tick(books).add(holder, addresses)

    def look_again(self, holder: Holder) -> None:
        """Note that views of a holder change: what was admitted now may make room from now on."""
        places = self._places
        if places is not None and holder in places.grown:
            places.grown.discard(holder)
            places.exhausted.discard(holder.standing)
            places.ranked.pop((holder, False), None)
            places.ranked.pop((holder, True), None)

    def make_room(self, holder: Holder, books: Sequence[ReceiverViews], below: float, now: float) -> str | None:
        """Remove the aircraft that makes room for a new one of ``holder`` from all views; its address.

        None, and nothing is removed, where there is none. One that is the holder's own, or an equal's while the holder
        has its share, makes room only where it is received less than ``below`` times a second.
        """
        places = self._since_tick(books)
        mine = places.held.setdefault(holder, set())
        for standing in range(holder.standing):
            if standing not in places.exhausted:
                for lower in places.of(standing):
                    displaced = self._displace(lower, books, inf, now)
                    if displaced is not None:
                        return displaced
                places.exhausted.add(standing)
        largest, *others = equals = places.of(holder.standing)
        room = self._maximum - len(places.above[holder.standing])
        if len(mine) < min(len(places.held[largest]), room // len(equals)):
            return self._displace(largest, books, inf, now, others)
        return self._displace(holder, books, below, now)

    def follow(self, admitted: set[str]) -> None:
        """A tick: look again when it is asked for, and forget the addresses that have left."""
        self._places = None
        if len(self._counts) > self._most_counts:
            self._counts = {key: count for key, count in self._counts.items() if key[1] in admitted}
            self._most_counts = SPARE * len(self._counts) + MIN_COUNTS

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for count in self._counts.values():
            count.since += step

    def _since_tick(self, books: Sequence[ReceiverViews]) -> _Allocation:
        if self._places is None:
            self._places = _Allocation(books)
        return self._places

    def _displace(
        self, holder: Holder, books: Sequence[ReceiverViews], below: float, now: float, but: Sequence[Holder] = ()
    ) -> str | None:
        """Remove the aircraft that is received most seldom of those that a holder, and nobody above it, hears.

        What others hear, ``but``, stays, too.
        """
        places = self._since_tick(books)
        key = holder, bool(but)
        ranked = places.ranked.get(key)
        if ranked:
            while ranked and places.stays(ranked[-1][1], holder, books):
                ranked.pop()
            # Only so many are ranked at once: there may be more.
            ranked = ranked or None
        if ranked is None:
            ranked = places.ranked[key] = self._rank(places.candidates(holder, books, but), books, now)
        if not ranked or ranked[-1][0] >= below:
            return None
        _, address = ranked.pop()
        if not ranked:
            del places.ranked[key]
        for book in books:
            book.views.pop(address, None)
        places.remove(address)
        return address

    def _rank(self, candidates: set[str], books: Sequence[ReceiverViews], now: float) -> list[tuple[float, str]]:
        """Rates and addresses, the most seldom received one last; the best rate of an aircraft counts."""
        rates: dict[str, tuple[float, float]] = {}
        for book in books:
            for address in candidates.intersection(book.views):
                view = book.views[address]
                rates[address] = max(rates.get(address, (0.0, 0.0)), (self._rate(book.name, view, now), view.at))
        weakest = nsmallest(self._ranked_at_once, ((rate, at, address) for address, (rate, at) in rates.items()))
        return [(rate, address) for rate, _, address in reversed(weakest)]

    def _rate(self, receiver: str, view: Report, now: float) -> float:
        messages = messages_of(view)
        count = self._counts.get((receiver, view.hex))
        if count is None:
            # Admitted at another receiver, or before a restart: taken as received once a second until now.
            count = _Count(now - MIN_MEASURED_S, messages - int(MIN_MEASURED_S))
            self._counts[receiver, view.hex] = count
        return rate_of(messages - count.messages, count.since, now)


def rate_of(messages: int, since: float, now: float) -> float:
    """Messages a second since a time (unix s); 0 where the receiver has restarted its count."""
    return max(0, messages) / max(MIN_MEASURED_S, now - since)


def messages_of(report: Report) -> int:
    """The messages that a report stands for, or a snapshot's count of them; 0 where that is not known."""
    return 0 if report.messages is UNSET else report.messages
