"""``Corroboration``: which aircraft only one untrusted feeder has ever heard, and how many such ones it may bring.

An aircraft is confirmed once a receiver of ours, a trusted feeder, or two feeders that are independent of each other
heard it. What was heard is remembered for an hour at least.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from skywatch.receivers.ingest.voices import Voice
from skywatch.receivers.reports.report import Report

REMEMBERED_S = 3600.0
# Addresses that a single feeder has heard and nobody else; the oldest go first.
MAX_ALONE = 200_000
MINUTE_S = 60.0
_address = attrgetter("hex")


@dataclass(slots=True)
class _Alone:
    """The only one who heard an address, and when last (unix s)."""

    receiver: str
    voice: Voice
    at: float


class Corroboration:
    """``limit`` is how many addresses a minute a feeder may bring alone; ``dropped`` counts the reports of the rest."""

    def __init__(self, limit: int = 200) -> None:
        self.limit = limit
        self.dropped: Counter[str] = Counter()
        # Untrusted feeders by the name of their receiver.
        self.voices: dict[str, Voice] = {}
        self._alone: OrderedDict[str, _Alone] = OrderedDict()
        # Confirmed addresses of this hour and of the one before.
        self._confirmed: set[str] = set()
        self._confirmed_before: set[str] = set()
        self._turned_at: float | None = None
        self._brought: Counter[str] = Counter()
        self._minute = 0

    def confirm(self, addresses: Iterable[str], now: float) -> None:
        """Note what somebody heard whose word is enough."""
        self._turn(now)
        self._confirmed.update(addresses)

    def is_single(self, address: str) -> bool:
        """Whether only one untrusted feeder ever heard an aircraft."""
        return address in self._alone and not self._is_confirmed(address)

    def has_single(self) -> bool:
        """Whether there is any such aircraft."""
        return bool(self._alone)

    def filter(self, receiver: str, voice: Voice, reports: Sequence[Report], now: float) -> Sequence[Report]:
        """The reports of an untrusted feeder without those of addresses beyond its limit."""
        self._turn(now)
        self.voices[receiver] = voice
        if self._confirmed.issuperset(map(_address, reports)):
            return reports
        return [report for report in reports if self._admits(receiver, voice, report.hex, now)]

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for alone in self._alone.values():
            alone.at += step
        if self._turned_at is not None:
            self._turned_at += step

    def _admits(self, receiver: str, voice: Voice, address: str, now: float) -> bool:
        if self._is_confirmed(address):
            # As long as somebody hears it, it stays what it is.
            self._confirmed.add(address)
            return True
        alone = self._alone.get(address)
        if alone is None:
            if self._brought[receiver] >= self.limit:
                self.dropped[receiver] += 1
                return False
            self._brought[receiver] += 1
            self._alone[address] = _Alone(receiver, voice, now)
            if len(self._alone) > MAX_ALONE:
                self._alone.popitem(last=False)
        elif alone.receiver == receiver:
            alone.at = now
            self._alone.move_to_end(address)
        elif voice.is_independent(alone.voice):
            del self._alone[address]
            self._confirmed.add(address)
        return True

    def _is_confirmed(self, address: str) -> bool:
        return address in self._confirmed or address in self._confirmed_before

    def _turn(self, now: float) -> None:
        if self._turned_at is None or now - self._turned_at > REMEMBERED_S:
            self._confirmed_before, self._confirmed = self._confirmed, set()
            self._turned_at = now
        if int(now // MINUTE_S) != self._minute:
            self._minute = int(now // MINUTE_S)
            self._brought.clear()
            while self._alone and now - next(iter(self._alone.values())).at > REMEMBERED_S:
                self._alone.popitem(last=False)
