"""The state of a rule between ticks: which aircraft match since when, and which of them were announced."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from skywatch.alerts.engine.data.bits import WORD, Words, clear, count_of, is_set, slots_of
from skywatch.alerts.engine.data.environment import Environment
from skywatch.alerts.engine.program import Compiled
from skywatch.alerts.engine.rule import NOBODY, Adopted, Cleared, Pair, Rule, Stored

# Time for which a matching aircraft without reception, or with unknown values, still counts as matching (s).
UNSEEN_S = 60.0
# Largest number of aircraft followed for one rule; a rule that matches more is too wide to be of use.
MAXIMUM_PAIRS = 5_000


class Matching:
    """The state of one rule: takes the slots that changed, and decides which aircraft are announced or cleared."""

    def __init__(self, rule: Rule, compiled: Compiled, stored: Mapping[str, Stored], now: float) -> None:
        self.rule = rule
        self.compiled = compiled
        self.before: Words = np.zeros(0, np.uint64)
        """Where the rule was true at the last tick."""
        self._bytes = b""
        self.pairs: dict[str, Pair] = {
            address: Pair(active=match.active, true_until=now, fired_at=match.fired_at)
            for address, match in stored.items()
        }
        self.limbo = {address for address, pair in self.pairs.items() if pair.active}
        """Aircraft that were announced and are not surely matching now."""
        self.waiting: dict[str, None] = {}
        """Aircraft that match and were not announced yet, in order."""
        self.cooling = {address for address, pair in self.pairs.items() if not pair.active}
        """Aircraft that do not match and are in their cooldown."""
        self.due_at = now if stored else math.inf
        """The next time at which an aircraft may be announced, or its state dropped."""
        self.is_new = True
        self.state_holds: bool | None = None
        """Of a rule on a state of the installation: whether it holds at this tick, None where that is unknown."""
        self.adopts_late = False
        """Whether what matches for the first time in a picture that is not complete may have matched before."""

    def take_over(self, other: Matching) -> None:
        """Continue with the state of the same rule under another compilation."""
        self.before, self.pairs, self.limbo = other.before, other.pairs, other.limbo
        self.waiting, self.cooling, self._bytes = other.waiting, other.cooling, b""
        self.due_at, self.is_new, self.adopts_late = other.due_at, other.is_new, other.adopts_late

    def adopt(self, environment: Environment, now: float) -> Adopted:
        """Treat the present matches as announced, those that were not."""
        rule = self.rule
        if rule.state is not None:
            addresses = [NOBODY] if self.state_holds else []
        elif rule.count is not None:
            addresses = [NOBODY] if self._count_holds(environment) else []
        else:
            slots = slots_of(self.compiled.true.bits)[:MAXIMUM_PAIRS]
            addresses = [environment.board.addresses[slot] for slot in slots.tolist()]
        adopted = [address for address in addresses if not self.pairs.setdefault(address, Pair()).active]
        for address in adopted:
            pair = self.pairs[address]
            pair.active, pair.true_until = True, now
            self.waiting.pop(address, None)
            self.limbo.add(address)
        is_last = environment.is_complete or not self.adopts_late
        return Adopted(rule.id, rule.revision, tuple(adopted), now, is_last)

    def follow(self, environment: Environment, now: float) -> None:
        """Update with the changes of a tick."""
        step = self.compiled.true
        bits = step.bits
        if len(self.before) != len(bits):
            before = np.zeros(len(bits), np.uint64)
            before[: len(self.before)] = self.before[: len(bits)]
            self.before = before
        elif not step.changed and self._bytes:
            return
        # Comparing bytes is the fastest way to detect no change, which is the case at most ticks.
        now_bytes = bits.tobytes()
        if now_bytes == self._bytes:
            return
        addresses = environment.board.addresses
        slots = slots_of(bits ^ self.before)
        for slot, is_true in zip(slots.tolist(), is_set(bits, slots).tolist(), strict=True):
            if is_true:
                self.begin(addresses[slot], now)
            elif addresses[slot]:
                self.end(addresses[slot], now)
        self.before, self._bytes = bits.copy(), now_bytes

    def follow_count(self, environment: Environment, now: float) -> None:
        """Update with the number of matching aircraft at a tick; an unknown number is not true."""
        self._follow_nobody(self._count_holds(environment), now)

    def follow_state(self, now: float) -> None:
        """Update with ``state_holds``; a state that is unknown stays as it was."""
        if self.state_holds is not None:
            self._follow_nobody(self.state_holds, now)

    def _follow_nobody(self, holds: bool | None, now: float) -> None:
        pair = self.pairs.get(NOBODY)
        if holds and (pair is None or not pair.is_true):
            self.begin(NOBODY, now)
        elif not holds and pair is not None and pair.is_true:
            self.end(NOBODY, now)

    def begin(self, address: str, now: float) -> None:
        """Record that the conditions became true."""
        pair = self.pairs.get(address)
        if pair is None:
            if len(self.pairs) >= MAXIMUM_PAIRS:
                return
            pair = self.pairs[address] = Pair()
        pair.is_true, pair.since, pair.true_until = True, now, now
        if pair.active:
            self.limbo.discard(address)
        else:
            self.waiting[address] = None
            self.due_at = min(self.due_at, pair.ready_at(self.rule))

    def end(self, address: str, true_until: float) -> None:
        """Record that the conditions are no longer true, or the aircraft left; they were true until ``true_until``."""
        pair = self.pairs.get(address)
        if pair is None:
            return
        if pair.is_true:
            pair.is_true, pair.true_until = False, true_until
        self.waiting.pop(address, None)
        if pair.active:
            self.limbo.add(address)
        elif pair.fired_at is None:
            del self.pairs[address]
        else:
            self.cooling.add(address)
            self.due_at = min(self.due_at, pair.fired_at + self.rule.cooldown_s)

    def forget_slots(self, slots: npt.NDArray[np.intp]) -> None:
        """Clear slots whose aircraft left: the next aircraft in a slot must not inherit its state."""
        if len(self.before):
            clear(self.before, slots[slots < WORD * len(self.before)])
            self._bytes = b""

    def due(self, now: float) -> Iterator[str]:
        """Aircraft that may be announced now; call ``fire`` for those that are, the others stay due."""
        if now < self.due_at:
            return
        for address in list(self.waiting):
            if self.pairs[address].ready_at(self.rule) <= now:
                yield address
        self._forget_cooled(now)
        cooling = (pair for address in self.cooling if (pair := self.pairs.get(address)) is not None)
        idle = [*(self.pairs[address] for address in self.waiting), *cooling]
        self.due_at = min((pair.ready_at(self.rule) for pair in idle), default=math.inf)

    def fire(self, address: str, now: float) -> None:
        """Record that an aircraft was announced."""
        pair = self.pairs[address]
        pair.active, pair.fired_at, pair.true_until = True, now, now
        self.waiting.pop(address, None)
        if not pair.is_true:
            self.limbo.add(address)

    def clear(self, environment: Environment, now: float) -> list[Cleared]:
        """Clear announced aircraft that are surely beyond the margin, or were not received for a minute.

        In a picture that is not complete the absence of aircraft clears nothing.
        """
        if not self.limbo:
            return []
        if self.rule.state is not None:
            over: Iterable[str] = list(self.limbo) if self.state_holds is False else []
        elif self.rule.count is not None:
            over = self._over_count(environment)
        else:
            over = self._over(environment, now)
        for address in over:
            self.limbo.discard(address)
            pair = self.pairs[address]
            pair.active = False
            if pair.fired_at is None or pair.fired_at + self.rule.cooldown_s <= now:
                del self.pairs[address]
            else:
                self.cooling.add(address)
                self.due_at = min(self.due_at, pair.fired_at + self.rule.cooldown_s)
        return [Cleared(self.rule.id, self.rule.revision, address, now) for address in over]

    def _over(self, environment: Environment, now: float) -> list[str]:
        board = environment.board
        present = [(address, slot) for address in self.limbo if (slot := board.slot(address)) is not None]
        over: list[str] = []
        if present:
            slots = np.array([slot for _, slot in present], np.intp)
            holds = self.compiled.true.at(environment, slots, 1)
            for index in np.flatnonzero(holds).tolist():
                self.pairs[present[index][0]].true_until = now
            others = np.flatnonzero(~holds)
            if len(others):
                fails = self.compiled.false.at(environment, slots[others], -1)
                over = [present[index][0] for index in others[fails].tolist()]
        if environment.is_complete:
            over += [a for a in self.limbo if now - self.pairs[a].true_until >= UNSEEN_S]
        return list(dict.fromkeys(over))

    def _count_holds(self, environment: Environment) -> bool | None:
        """Whether the number of aircraft that match meets the count; None if that is unknown."""
        assert self.rule.count is not None
        return self.rule.count.holds(count_of(self.compiled.true.bits), is_complete=environment.is_complete)

    def _over_count(self, environment: Environment) -> Iterable[str]:
        assert self.rule.count is not None
        slots = np.flatnonzero(environment.board.present)
        number = int(np.count_nonzero(self.compiled.true.at(environment, slots, 1)))
        holds = self.rule.count.holds(number, is_complete=environment.is_complete)
        return list(self.limbo) if holds is False else []

    def _forget_cooled(self, now: float) -> None:
        """Drop the state of aircraft whose cooldown is over."""
        for address in list(self.cooling):
            pair = self.pairs.get(address)
            if pair is None or pair.is_true or pair.active:
                self.cooling.discard(address)
            elif pair.fired_at is None or pair.fired_at + self.rule.cooldown_s <= now:
                self.cooling.discard(address)
                del self.pairs[address]
