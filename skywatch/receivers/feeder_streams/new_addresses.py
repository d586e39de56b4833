"""``AddressLimit``: how many addresses that nobody else hears the feeders of an owner may bring in a minute.

It stands before the work that it limits: a frame of an address beyond the limit is neither decoded nor reduced, and
nobody is remembered to have heard it. Of strangers the feeders of one owner share a limit, one of ours that is trusted
has ten times as much for itself. What feeders agree on has a limit apart, ten times as much of who sent it first: two
who invent the same may not do so without end. What somebody has heard within the hour costs nothing.

Each process of the role ingest counts by itself; the tracker counts once more (``Corroboration``), so that an owner
whose feeders are spread over several brings no more into the picture.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

import numpy as np

from skywatch.core.arrays import distinct
from skywatch.receivers.feeder_streams.reducer.columns import ADDRESS_BITS, AGREED
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.framing.frames import Column

# What exceeds the limit is counted under this name.
TOO_MANY_AIRCRAFT = "too_many_aircraft"
# What was heard is remembered for an hour at least.
REMEMBERED_S = 3600.0
MINUTE_S = 60
# Trust says what is believed, not how much may come; nor does agreement.
TRUSTED_FACTOR = AGREED_FACTOR = 10


class AddressBudgets:
    """How many addresses each owner has brought in any 60 seconds; times are monotonic.

    No ``RateLimit``: its burst comes on top of the rate, so that it would let twice as many in a minute.
    """

    def __init__(self) -> None:
        # Of each owner the seconds in which it brought any, and how many.
        self._spent: dict[Hashable, deque[tuple[int, int]]] = {}
        self._tidied_at = 0

    def left(self, owner: Hashable, limit: int, now: float) -> int:
        """How many of its ``limit`` an owner may still bring."""
        second = int(now)
        if second - self._tidied_at > MINUTE_S:
            self._tidied_at = second
            self._spent = {each: spent for each, spent in self._spent.items() if second - spent[-1][0] <= MINUTE_S}
        spent = self._spent.get(owner)
        if not spent:
            return limit
        while spent and second - spent[0][0] > MINUTE_S:
            spent.popleft()
        return max(0, limit - sum(count for _, count in spent))

    def spend(self, owner: Hashable, count: int, now: float) -> None:
        """Count so many addresses of an owner."""
        if count:
            spent = self._spent.setdefault(owner, deque())
            before = spent.pop()[1] if spent and spent[-1][0] == int(now) else 0
            spent.append((int(now), before + count))


class HeardAddresses:
    """The addresses that were heard within an hour, of two at most: a bit for each that there can be."""

    def __init__(self) -> None:
        self._now, self._before = _no_bits(), _no_bits()
        self._turned_at: float | None = None

    def turn(self, now: float) -> None:
        """Forget what was not heard for an hour; ``now`` is monotonic."""
        if self._turned_at is None or now - self._turned_at > REMEMBERED_S:
            self._now, self._before, self._turned_at = _no_bits(), self._now, now

    def hold(self, addresses: Column) -> Column:
        """?[n]: which addresses i8[n] are known."""
        places = addresses >> 3
        result: Column = ((self._now[places] | self._before[places]) >> (addresses & 7)) & 1 > 0
        return result

    def add(self, addresses: Column) -> None:
        """Note that these were heard."""
        missing = addresses[(self._now[addresses >> 3] >> (addresses & 7)) & 1 == 0]
        if len(missing):
            # Several share a byte: repeated places need the unbuffered form.
            np.bitwise_or.at(self._now, missing >> 3, (1 << (missing & 7)).astype(np.uint8))


class AddressLimit:
    """The limit of one process; ``limit`` is that of an owner and minute."""

    def __init__(self, limit: int = 200) -> None:
        self.limit = limit
        self._heard = HeardAddresses()
        self._budgets = AddressBudgets()
        # Of each lane whose budget it spends, and the share of the limit that this has.
        self._payer, self._factor = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._payers: dict[str, int] = {}

    def enter(self, lane: int, receiver: str, voice: Voice) -> None:
        """A feeder connects, whose frames are in this lane."""
        if lane >= len(self._payer):
            longer = np.zeros(2 * lane + 1 - len(self._payer), np.int64)
            self._payer, self._factor = np.append(self._payer, longer), np.append(self._factor, longer)
        payer = f"feeder {receiver}" if voice.is_ours else f"owner {voice.owner}"
        self._payer[lane] = self._payers.setdefault(payer, len(self._payers))
        self._factor[lane] = TRUSTED_FACTOR if voice.is_ours else 1

    def hear(self, addresses: Column) -> None:
        """Note addresses i8[n] that others hear: own receivers, and feeders of other processes."""
        self._heard.add(addresses & ADDRESS_BITS)

    def admit(self, addresses: Column, lanes: Column, payers: Column, now: float) -> Column:
        """?[n]: which frames of addresses i8[n] (bit 24: not ICAO's) are within the limit; ``now`` is monotonic.

        ``lanes`` i8[n] are those of the frames, ``payers`` i8[n] those of the feeders that sent them first.
        """
        self._heard.turn(now)
        admitted = self._heard.hold(addresses)
        if not admitted.all():
            new = np.flatnonzero(~admitted)
            admitted[new] = self._charge(addresses[new], lanes[new] == AGREED, payers[new], now)
        self._heard.add(addresses[admitted])
        return admitted

    def _charge(self, addresses: Column, is_agreed: Column, lanes: Column, now: float) -> Column:
        """Which of these that nobody has heard the budgets of their owners allow, in the order in which they came."""
        admitted = np.zeros(len(addresses), np.bool_)
        budgets = 2 * self._payer[lanes] + is_agreed
        for budget in distinct(budgets).tolist():
            mine = np.flatnonzero(budgets == budget)
            factor = AGREED_FACTOR if is_agreed[mine[0]] else int(self._factor[lanes[mine[0]]])
            left = self._budgets.left(budget, self.limit * factor, now)
            if left:
                own, first = np.unique(addresses[mine], return_index=True)
                own = own[np.argsort(first)[:left]]
                self._budgets.spend(budget, len(own), now)
                admitted[mine] = np.isin(addresses[mine], own)
        return admitted


def _no_bits() -> Column:
    return np.zeros((ADDRESS_BITS + 1) >> 3, np.uint8)
