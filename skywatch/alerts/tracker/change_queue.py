"""``ChangeQueue``: the decisions that wait for the database, of people by turns, those of critical rules first."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from itertools import count

from skywatch.alerts.engine.rule import Change, Decision, Fired, Rule, RuleKey, Tick
from skywatch.core.limits import FairQueue
from skywatch.core.storage.queue import WriteQueue
from skywatch.notify.vocabulary import PRIORITIES

# Those of one person, urgent or not.
Lane = tuple[str, bool]
# So many decisions of one person are written in one turn, at most.
TURN = 50


class ChangeQueue(WriteQueue[Change]):
    """See ``WriteQueue``; at most ``limit`` decisions of one person wait. Those of one rule stay in their order.

    A rule that becomes critical, or is no longer, goes on as it was while decisions of it wait. Before each turn goes
    the time at which it was decided (``Tick``); a time without decisions comes after all turns.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.announcements = 0
        """How many announcements wait."""
        self._turns: FairQueue[tuple[int, str, Tick, list[Decision]]] = FairQueue()
        self._waiting: Counter[str] = Counter()
        # How many decisions of each rule wait, and where.
        self._of_rules: Counter[RuleKey] = Counter()
        self._lanes: dict[RuleKey, Lane] = {}
        # When each turn that waits was put, by its number, the oldest first.
        self._since: dict[int, float] = {}
        self._numbers = count()
        self._tick: Tick | None = None

    def _depth(self) -> int:
        return self._waiting.total() + self._taken + (self._tick is not None)

    @property
    def people(self) -> int:
        """Of how many people decisions wait."""
        return len(self._waiting)

    def put(self, tick: Tick, changes: Iterable[tuple[Rule, Decision]]) -> int:
        """Put the decisions of a tick behind those of the same people; returns how many were dropped."""
        by_lane: dict[Lane, list[Decision]] = {}
        dropped = 0
        with self._lock:
            for rule, change in changes:
                lane = rule.person, rule.priority == PRIORITIES[-1]
                by_lane.setdefault(self._lanes.get(rule.id, lane), []).append(change)
            self._tick = tick if not by_lane else None
            for lane, of_lane in by_lane.items():
                room = max(0, self.limit - self._waiting[lane[0]])
                dropped += max(0, len(of_lane) - room)
                for first in range(0, min(room, len(of_lane)), TURN):
                    self._put_turn(lane, tick, of_lane[first : min(first + TURN, room)])
            self._waiting = +self._waiting
            self.dropped += dropped
        self.arrived.set()
        return dropped

    def _put_turn(self, lane: Lane, tick: Tick, changes: list[Decision]) -> None:
        person, is_urgent = lane
        number = next(self._numbers)
        self._since[number] = time.monotonic()
        self._turns.put(person, (number, person, tick, changes), urgent=is_urgent)
        self._waiting[person] += len(changes)
        self.announcements += _announcements(changes)
        for change in changes:
            self._of_rules[change.rule_id] += 1
            self._lanes[change.rule_id] = lane

    def behind_s(self) -> float:
        with self._lock:
            since = [self._taken_since] if self._taken else []
            since += [next(iter(self._since.values()))] if self._since else []
        return time.monotonic() - min(since) if since else 0.0

    def delay_s(self) -> float:
        return 0.0 if self._turns or self._tick is not None else float("inf")

    def take(self, limit: int) -> list[Change]:
        """Whole turns, at least one, up to ``limit`` decisions or a few more."""
        with self._lock:
            entries: list[Change] = []
            latest: Tick | None = None
            self._taken_since = time.monotonic()
            while len(entries) < limit and (taken := self._turns.take(1)):
                ((number, person, tick, changes),) = taken
                self._taken_since = min(self._taken_since, self._since.pop(number))
                self._waiting[person] -= len(changes)
                self.announcements -= _announcements(changes)
                self._forget_rules(changes)
                entries += changes if tick is latest else [tick, *changes]
                latest = tick
            if not self._turns and self._tick is not None:
                entries.append(self._tick)
                self._tick = None
            self._waiting = +self._waiting
            self._taken += len(entries)
        return entries

    def _forget_rules(self, changes: list[Decision]) -> None:
        for change in changes:
            self._of_rules[change.rule_id] -= 1
            if not self._of_rules[change.rule_id]:
                del self._of_rules[change.rule_id], self._lanes[change.rule_id]


def _announcements(changes: list[Decision]) -> int:
    return sum(isinstance(change, Fired) for change in changes)
