"""How many alerts the service stores for one person: so many a minute, and so many bytes.

A person is a user with their service accounts. What they have is counted in memory, in the minute in which an alert was
decided: those of many minutes wait while the database is away. The sums over the table are read once a person after a
start, and again where the count reaches the limit, at most once a minute: others may have deleted alerts meanwhile. A
transaction works on a ``Draft``, which counts once it is committed.

Alerts about what only strangers hear, or nobody vouches for (``Fired.of_strangers``), have a share of their own: they
take the place of one another, never of other alerts, which take theirs.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from skywatch.alerts.engine.engine import URGENT
from skywatch.alerts.engine.rule import RuleKey
from skywatch.alerts.metrics import UNSTORED
from skywatch.alerts.models import Alert, User
from skywatch.core.storage.retention import MEGABYTE
from skywatch.sentences import sentence

# Alerts of one person that are stored in a minute, besides critical ones.
PER_MINUTE = 600
# What strangers have of that, once more for critical ones, and of the bytes.
STRANGERS_SHARE = 0.25
MINUTE_S = 60.0
# What an alert takes besides its texts: the other columns, and the entries of the indexes.
ROW_BYTES = 400
# So many minutes of kinds of alerts of one person are remembered: alerts of one kind come nearly in order.
COUNTS_KEPT = 30
# An alert is stored with the events of its beginning and its end, in two forms each: with and without details.
COPIES = 5
# Where room is made, so much more is made (share of the limit), in steps of so many rows.
SPARE, STEP_ROWS = 0.01, 500
_alerts: Any = Alert.__table__
_encode = msgspec.json.Encoder().encode


class Reason(StrEnum):
    """Why alerts were not stored."""

    MINUTE = "minute"
    SIZE = "size"
    WAITING = "waiting"
    STRANGERS = "strangers"


def size_of(values: Mapping[str, Any], channels: int = 0) -> int:
    """The size of an alert in the database with its events and deliveries, near enough (bytes)."""
    texts = len(values["message"].encode()) + len(_encode(values["aircraft"])) + len(_encode(values["matched"]))
    # Deliveries have no codes.
    words = len(_encode(values.get("words"))) * COPIES
    return (texts + ROW_BYTES) * (COPIES + channels) + words


# Whether alerts are of strangers, and whether they are urgent.
_Kind = tuple[bool, bool]


@dataclass
class _Use:
    """What one person has: alerts stored by minute and kind, and bytes altogether and of strangers."""

    users: tuple[int, ...]
    stored: Counter[tuple[int, _Kind]]
    bytes: int
    strangers_bytes: int
    # The minute in which the bytes were summed, and those in which nothing was left to delete for alerts that are not
    # urgent, of strangers and not.
    summed: int
    exhausted: dict[bool, int] = field(default_factory=dict)

    def copy(self) -> _Use:
        """One to be changed, without the counts that were begun long ago."""
        kept = dict([*self.stored.items()][-COUNTS_KEPT:])
        return dataclasses.replace(self, stored=Counter(kept), exhausted=dict(self.exhausted))

    def add(self, size: int, of_strangers: bool) -> None:
        """Add bytes, or take them off."""
        self.bytes += size
        self.strangers_bytes += size if of_strangers else 0


# By rule and user; then by the reason, and whether they are of strangers.
Unstored = dict[RuleKey, Counter[tuple[Reason, bool]]]


class Loss(NamedTuple):
    """How many alerts of a rule and user were not stored, and why most of them; whether all are of strangers."""

    key: RuleKey
    number: int
    reason: Reason
    of_strangers: bool


class Quota:
    """The counts of all people. ``megabytes`` is the limit of one person, 0 for none; used by the writer's thread."""

    def __init__(self, megabytes: Callable[[], float]) -> None:
        self.minute = 0
        """The latest of those in which alerts were decided."""
        self.counted = 0
        """The one in which the next alerts count; an older one where urgent alerts went before others."""
        self.uses: dict[int, _Use] = {}
        """By the id of the user who is the person."""
        self.persons: dict[int, int] = {}
        """That id, by the id of each user."""
        self.unstored: Unstored = {}
        """How many alerts of each rule and user were not stored in this minute."""
        self._megabytes = megabytes
        self._last: tuple[int, int] = (0, 0)

    def is_due(self, now: float) -> bool:
        """Whether a minute is over in which alerts were not stored; may be asked from any thread."""
        return bool(self.unstored) and _minute_of(now) > self.minute

    def unstored_before(self, now: float) -> int:
        """How many alerts were not stored in the minute before this one; may be asked from any thread."""
        minute, number = self._last
        return number if minute >= _minute_of(now) - 1 else 0

    def draft(self, connection: sa.Connection) -> Draft:
        """The counts as one transaction sees them."""
        return Draft(connection, self, self._megabytes() * MEGABYTE)

    def commit(self, draft: Draft) -> None:
        """The transaction of this draft is committed."""
        if draft.ended is not None:
            for reason, number in draft.ended.items():
                UNSTORED.labels(reason.value).inc(number)
            self._last = self.minute, sum(draft.ended.values())
        self.minute, self.counted, self.unstored = draft.minute, draft.counted, draft.unstored
        self.uses.update(draft.uses)


class Draft:
    """Decides within a transaction what is stored."""

    def __init__(self, connection: sa.Connection, base: Quota, most_bytes: float) -> None:
        self.minute, self.counted = base.minute, base.counted
        self.uses: dict[int, _Use] = {}
        """Those that this transaction changes."""
        self.unstored: Unstored = {key: of_rule.copy() for key, of_rule in base.unstored.items()}
        self.ended: Counter[Reason] | None = None
        """How many alerts were not stored in the minute that has ended, if one has."""
        self._base = base
        self._connection = connection
        self._most_bytes = most_bytes

    def advance(self, now: float) -> list[Loss]:
        """Set the time of what comes next; returns what was not stored of each rule in a minute that ended."""
        minute = self.counted = _minute_of(now)
        if minute <= self.minute:
            return []
        unstored, self.unstored, self.minute = self.unstored, {}, minute
        self.ended = Counter() if self.ended is None else self.ended
        losses = []
        for key, of_rule in unstored.items():
            by_reason: Counter[Reason] = Counter()
            for (reason, _), number in of_rule.items():
                by_reason[reason] += number
            self.ended += by_reason
            ((most, _),) = by_reason.most_common(1)
            of_strangers = all(is_strangers for _, is_strangers in of_rule)
            losses.append(Loss(key, by_reason.total(), most, of_strangers))
        return losses

    def take(self, key: RuleKey, size: int, priority: str, *, of_strangers: bool = False) -> bool:
        """Count an alert of this size for its person; False, counted as well, where it must not be stored."""
        use = self._use(key[1])
        is_urgent = priority == URGENT
        kind = of_strangers, is_urgent
        most = STRANGERS_SHARE * PER_MINUTE if of_strangers else math.inf if is_urgent else PER_MINUTE
        if use.stored[self.counted, kind] >= most:
            self.refuse(key, 1, Reason.STRANGERS if of_strangers else Reason.MINUTE, of_strangers=of_strangers)
            return False
        if not self._make_room(use, size, kind):
            self.refuse(key, 1, Reason.STRANGERS if of_strangers else Reason.SIZE, of_strangers=of_strangers)
            return False
        use.stored[self.counted, kind] += 1
        return True

    def words_of(self, reason: Reason, number: int) -> str:
        """What the alert says that stands for ``number`` others."""
        because = {
            Reason.MINUTE: sentence("alerts.lost_minute", "you had more than {most} in a minute", most=PER_MINUTE),
            Reason.SIZE: sentence(
                "alerts.lost_size",
                "yours take {size} MB, the most that a user may have; acknowledged ones make room",
                size=f"{self._most_bytes / MEGABYTE:g}",
            ),
            Reason.WAITING: sentence(
                "alerts.lost_waiting", "they ended before their turn, because too many alerts were waiting"
            ),
            Reason.STRANGERS: sentence(
                "alerts.lost_strangers",
                "what only feeders report that managers do not trust has at most a quarter of what you may have",
            ),
        }[reason]
        return sentence(
            "alerts.lost",
            "{n} more alert was not stored: {because}|{n} more alerts were not stored: {because}",
            n=number,
            because=because,
        )

    def take_note(self, user_id: int, size: int, *, of_strangers: bool) -> bool:
        """Count an alert that says how many were not stored; False where there is no room for it."""
        return self._make_room(self._use(user_id), size, (of_strangers, True))

    def refuse(self, key: RuleKey, number: int, reason: Reason, *, of_strangers: bool = False) -> None:
        """Count alerts that are not stored."""
        if number:
            self.unstored.setdefault(key, Counter())[reason, of_strangers] += number

    def _use(self, user_id: int) -> _Use:
        if user_id not in self._base.persons:
            owner = sa.select(sa.func.coalesce(User.owner_id, User.id)).where(User.id == user_id)
            self._base.persons[user_id] = self._connection.scalar(owner) or user_id
        person = self._base.persons[user_id]
        use = self.uses.get(person)
        if use is None:
            before = self._base.uses.get(person)
            use = self.uses[person] = before.copy() if before is not None else self._read(person)
        if user_id not in use.users:
            use.users = *use.users, user_id
        return use

    def _read(self, person: int) -> _Use:
        whose = sa.select(User.id).where(sa.or_(User.id == person, User.owner_id == person))
        use = _Use(tuple(self._connection.scalars(whose)), Counter(), 0, 0, self.minute)
        since, until = (datetime.fromtimestamp(begin * MINUTE_S, UTC) for begin in (self.counted, self.counted + 1))
        kind, at = (_alerts.c.of_strangers, _alerts.c.priority == URGENT), _alerts.c.triggered_at
        recent = sa.select(*kind, sa.func.count()).where(_of(use), at >= since, at < until).group_by(*kind)
        for of_strangers, is_urgent, number in self._connection.execute(recent):
            use.stored[self.counted, (bool(of_strangers), bool(is_urgent))] = number
        self._sum(use)
        return use

    def _sum(self, use: _Use) -> None:
        column = _alerts.c.of_strangers
        sums = sa.select(column, sa.func.sum(_alerts.c.size_bytes)).where(_of(use)).group_by(column)
        use.summed, use.bytes, use.strangers_bytes = self.minute, 0, 0
        for of_strangers, size in self._connection.execute(sums):
            use.add(int(size or 0), bool(of_strangers))

    def _make_room(self, use: _Use, size: int, kind: _Kind) -> bool:
        """Add a size to what a person has, and make room for it if needed; False where there is none."""
        of_strangers, is_urgent = kind
        if self._lacking(use, size, kind) > 0:
            if use.summed != self.minute:
                self._sum(use)
            # What may be deleted is looked for once a minute where there was nothing.
            if is_urgent or use.exhausted.get(of_strangers) != self.minute:
                for which in _deleted_for(kind):
                    self._delete(use, which, self._lacking(use, size, kind))
            if self._lacking(use, size, kind) > 0 and kind != (False, True):
                use.exhausted[of_strangers] = self.minute
                return False
        use.add(size, of_strangers)
        return True

    def _lacking(self, use: _Use, size: int, kind: _Kind) -> float:
        """How much more room an alert needs than there is (bytes)."""
        of_strangers, is_urgent = kind
        if not self._most_bytes:
            return 0.0
        # The last of the room is for what is stored in any case: what makes way for that makes none for others.
        most = self._most_bytes if is_urgent else (1 - 2 * SPARE) * self._most_bytes
        lacking = use.bytes + size - most
        return max(lacking, use.strangers_bytes + size - STRANGERS_SHARE * most) if of_strangers else lacking

    def _delete(self, use: _Use, which: sa.ColumnElement[bool], lacking: float) -> None:
        """Delete the oldest alerts of a condition until there is what is lacking, and room to spare, or none left."""
        if lacking <= 0:
            return
        target = use.bytes - lacking - SPARE * self._most_bytes
        oldest = (
            sa.select(_alerts.c.id, _alerts.c.size_bytes, _alerts.c.of_strangers)
            .where(_of(use), which)
            .order_by(_alerts.c.triggered_at, _alerts.c.id)
            .limit(STEP_ROWS)
        )
        while use.bytes > target:
            ids = []
            for row_id, row_bytes, of_strangers in self._connection.execute(oldest):
                if use.bytes <= target:
                    break
                ids.append(row_id)
                use.add(-row_bytes, of_strangers)
            if not ids:
                return
            self._connection.execute(sa.delete(_alerts).where(_alerts.c.id.in_(ids)))


def _deleted_for(kind: _Kind) -> list[sa.ColumnElement[bool]]:
    """What is deleted to make room for an alert, in this order."""
    of_strangers, is_urgent = kind
    deleted = [_alerts.c.acknowledged, _alerts.c.of_strangers]
    if of_strangers:
        deleted = [sa.and_(_alerts.c.of_strangers, _alerts.c.acknowledged)]
    if is_urgent:
        scope = _alerts.c.of_strangers if of_strangers else sa.true()
        deleted += [sa.and_(scope, _alerts.c.priority != URGENT), scope]
    return deleted


def _of(use: _Use) -> sa.ColumnElement[bool]:
    condition: sa.ColumnElement[bool] = _alerts.c.user_id.in_(use.users)
    return condition


def _minute_of(now: float) -> int:
    return int(now // MINUTE_S)
