"""``Corroboration``: which aircraft only one stranger has ever heard, and how many such ones an owner may bring.

An aircraft is confirmed once a receiver of ours, a trusted feeder, or two feeders that are independent of each other
heard it. What was heard is remembered for an hour at least.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from skywatch.receivers.feeder_streams.new_addresses import AddressBudgets
from skywatch.receivers.feeder_streams.reducer.columns import number_of
from skywatch.receivers.feeder_streams.voices import UNKNOWN, Voice
from skywatch.receivers.framing.frames import Column
from skywatch.receivers.reports.report import Report

REMEMBERED_S = 3600.0
# Addresses that a single feeder has heard and nobody else; the oldest go first.
MAX_ALONE = 200_000
_address = attrgetter("hex")


@dataclass(slots=True)
class _Alone:
    """The voice of the only one who heard an address, and when last (unix s)."""

    voice: Voice
    at: float


class Corroboration:
    """``limit`` is how many addresses a minute the feeders of an owner may bring alone.

    ``dropped`` counts the reports of the rest by receiver. Where feeders send frames, ``ingest.new_addresses`` has
    limited them before; here the same owner's feeders in different processes are counted together.
    """

    def __init__(self, limit: int = 200) -> None:
        self.limit = limit
        self.dropped: Counter[str] = Counter()
        self._alone: OrderedDict[str, _Alone] = OrderedDict()
        # Confirmed addresses of this hour and of the one before.
        self._confirmed: set[str] = set()
        self._confirmed_before: set[str] = set()
        self._turned_at: float | None = None
        self._has_strangers = False
        self._budgets = AddressBudgets()

    def confirm(self, addresses: Iterable[str], now: float) -> None:
        """Note what somebody heard whose word is enough."""
        self._turn(now)
        self._confirmed.update(addresses)

    def heard(self) -> Column:
        """All addresses i8[n] of the last hour at least, as numbers (``number_of``)."""
        addresses = self._confirmed.union(self._confirmed_before, self._alone)
        return np.fromiter(map(number_of, addresses), np.int64, len(addresses))

    def single(self, addresses: list[str]) -> list[bool] | None:
        """Of each aircraft whether it is not known that more than one stranger heard it; None where of none."""
        if not self._has_strangers or self._confirmed.issuperset(addresses):
            return None
        is_single = [not self._is_confirmed(address) for address in addresses]
        return is_single if True in is_single else None

    def restore(self, receiver: str, voice: Voice, addresses: Iterable[str], now: float) -> None:
        """Note whom a receiver heard before a restart.

        A feeder of which it is not known whose it was (``SavedBook.whose``) neither is confirmed nor confirms.
        """
        self._turn(now)
        self._has_strangers |= voice.is_alone
        for address in addresses if voice != UNKNOWN else ():
            alone = self._alone.get(address)
            if not voice.is_alone or (alone is not None and voice.is_independent(alone.voice)):
                self._confirmed.add(address)
            elif alone is None:
                self._alone[address] = _Alone(voice, now)

    def filter(self, receiver: str, voice: Voice, reports: Sequence[Report], now: float) -> Sequence[Report]:
        """The reports of an untrusted feeder without those of addresses beyond its limit."""
        self._turn(now)
        self._has_strangers = True
        if self._confirmed.issuperset(map(_address, reports)):
            return reports
        return [report for report in reports if self._admits(receiver, voice, report.hex, now)]

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for alone in self._alone.values():
            alone.at += step
        if self._turned_at is not None:
            self._turned_at += step
        self._budgets = AddressBudgets()

    def _admits(self, receiver: str, voice: Voice, address: str, now: float) -> bool:
        if self._is_confirmed(address):
            # As long as somebody hears it, it stays what it is.
            self._confirmed.add(address)
            return True
        alone = self._alone.get(address)
        if alone is None:
            if not self._budgets.left(voice.owner, self.limit, now):
                self.dropped[receiver] += 1
                return False
            self._budgets.spend(voice.owner, 1, now)
            self._alone[address] = _Alone(voice, now)
            if len(self._alone) > MAX_ALONE:
                self._alone.popitem(last=False)
        elif voice.is_independent(alone.voice):
            del self._alone[address]
            self._confirmed.add(address)
        else:
            alone.at = now
            self._alone.move_to_end(address)
        return True

    def _is_confirmed(self, address: str) -> bool:
        return address in self._confirmed or address in self._confirmed_before

    def _turn(self, now: float) -> None:
        if self._turned_at is None or now - self._turned_at > REMEMBERED_S:
            self._confirmed_before, self._confirmed = self._confirmed, set()
            self._turned_at = now
        while self._alone and now - next(iter(self._alone.values())).at > REMEMBERED_S:
            self._alone.popitem(last=False)
