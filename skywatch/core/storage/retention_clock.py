"""How far retention believes the clock, and how much it deletes by age in one run.

What is too old follows from the clock, and a clock that is three years ahead would delete all there is. Retention
therefore remembers each run, in one row beside the stored settings. It waits where the clock has leapt against the
running time of the machine since a run, or where everything that a run has seen would be too old at once: until
somebody confirms the clock, the clock is back, or a week has passed without another leap. What has become old in
between, because the service stood still, a limit was shortened or no run is known yet, goes in portions: three days of
data an hour.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import EARLIEST, earlier, to_iso
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.database.models import StoredSetting
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.sentences import Sentence, joined, reworded, sentence, worded

# Rows of the stored settings that are no settings.
ROW, ROWS = "(retention {name})", "rows"
CONFIRMED = "retention.clock_confirmed"
# A clock that is set by no more is believed, such as one of the wrong zone; so little data needs no portion.
LEAP = timedelta(hours=3)
# So long after it has leapt, or was doubted, a clock is believed without a word.
PROBATION = timedelta(days=7)
# The data of so long goes in one portion, and one portion in an hour; what is kept for no longer is one portion.
PORTION, PORTION_EVERY = timedelta(days=3), timedelta(hours=1)
# Hosts and starts of hosts whose clocks are remembered.
MAX_BOOTS = 8
# Kinds that health names.
MAX_NAMED = 3
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Reading:
    """The clock at one moment: ``offset_s`` is the time of day less the time since the machine's start ``boot``."""

    now: datetime
    offset_s: float
    boot: str


@dataclass(frozen=True)
class Stored:
    """What there is of a kind of data: how long it is kept (0: for ever), its oldest row and its newest up to now."""

    name: str
    keep: timedelta
    oldest: datetime | None
    newest: datetime | None


class Hold(msgspec.Struct, frozen=True):
    """Why retention waits, and the clock at that moment; ``why`` is for people."""

    since: datetime
    why: str
    is_leap: bool
    boot: str
    offset_s: float
    is_confirmed: bool = False
    why_code: str | None = None
    why_params: dict[str, Any] | None = None

    @property
    def reason(self) -> str:
        """Why it waits, as the sentence that it was made of."""
        return reworded(self.why, self.why_code, self.why_params)

    @property
    def until(self) -> datetime:
        """When retention goes on by itself if the clock does not leap again."""
        return self.since + PROBATION


class Record(msgspec.Struct, frozen=True):
    """What retention remembers of its runs.

    ``at`` is the last run that believed the clock, ``witness`` the newest row that it saw, or the moment at which the
    clock was confirmed; ``offsets`` are the clocks by the machine's start; ``cutoffs`` is how far each kind is emptied,
    ``portions`` when a portion of it went last, ``left`` the days of data that wait for their portion.
    """

    at: datetime | None = None
    witness: datetime | None = None
    offsets: dict[str, float] = {}
    cutoffs: dict[str, datetime] = {}
    portions: dict[str, datetime] = {}
    left: dict[str, float] = {}
    hold: Hold | None = None

    def describe(self) -> str:
        """What waits, for health: the reason to wait, or the kinds with the most data that is to go; else nothing."""
        if self.hold is not None:
            day = self.hold.until.date().isoformat()
            return sentence(
                "retention.held",
                "{why}: confirm the clock in the console under Retention, or by `skywatch history prune FILE.ini"
                " --yes`; on {day} it goes on by itself",
                why=self.hold.reason,
                day=day,
            )
        if not self.left:
            return ""
        most = sorted(self.left.items(), key=lambda item: -item[1])[:MAX_NAMED]
        kinds = [
            sentence("retention.days_of", "{days:,} days of {name}", days=round(days), name=name) for name, days in most
        ]
        return sentence(
            "retention.portions",
            "{kinds} wait: {days} days of data go in an hour",
            kinds=joined(kinds, ", "),
            days=PORTION.days,
        )


def uptime_s() -> float:
    """The time since the machine started, its sleep included where the system counts it (s)."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


@functools.cache
def boot_id() -> str:
    """The start of this machine, or of this process where the system does not name that."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return uuid4().hex


def read_clock() -> Reading:
    """The clock now."""
    now = time.time()
    return Reading(datetime.fromtimestamp(now, UTC), now - uptime_s(), boot_id())


def judge(record: Record, clock: Reading, stored: Iterable[Stored]) -> Record:
    """The record with the clock believed, or with the reason to wait."""
    stored, hold = list(stored), record.hold
    witness = max((kind.newest for kind in stored if kind.newest is not None), default=None)
    if hold is not None and _is_void(record, hold, clock):
        hold = None
    if hold is None:
        hold = _doubt(record, clock, stored, record.witness or witness)
    else:
        leap = _leap(hold.offset_s, hold.boot, clock)
        if leap is not None:
            hold = _hold(clock, _leap_text(leap), is_leap=True)
        elif hold.is_confirmed or clock.now >= hold.until:
            hold = None
        witness = clock.now
    if hold is not None:
        return msgspec.structs.replace(record, hold=hold)
    seen = [at for at in (record.witness, witness) if at is not None]
    witness = min(max(seen), clock.now) if seen else None
    others = {boot: offset for boot, offset in record.offsets.items() if boot != clock.boot}
    offsets = dict([*others.items(), (clock.boot, clock.offset_s)][-MAX_BOOTS:])
    return msgspec.structs.replace(record, at=clock.now, witness=witness, offsets=offsets, hold=None)


def _is_void(record: Record, hold: Hold, clock: Reading) -> bool:
    """Whether the clock is where it was before the doubt."""
    if clock.now < hold.since - LEAP:
        return True
    trusted = record.offsets.get(clock.boot)
    return hold.is_leap and trusted is not None and _leap(trusted, clock.boot, clock) is None


def _doubt(record: Record, clock: Reading, stored: list[Stored], witness: datetime | None) -> Hold | None:
    trusted = record.offsets.get(clock.boot)
    leap = _leap(trusted, clock.boot, clock) if trusted is not None else None
    if leap is not None:
        return _hold(clock, _leap_text(leap), is_leap=True)
    if witness is None:
        return None
    doubtful = [kind.name for kind in stored if kind.keep > PORTION and earlier(clock.now, kind.keep) > witness]
    if not doubtful:
        return None
    at = to_iso(witness.replace(microsecond=0))
    why = sentence("retention.too_old", "all that was stored up to {at} would be too old now", at=at)
    return _hold(clock, why, is_leap=False)


def _hold(clock: Reading, why: Sentence, *, is_leap: bool) -> Hold:
    return Hold(clock.now, is_leap=is_leap, boot=clock.boot, offset_s=clock.offset_s, **worded("why", why))


def _leap(offset_s: float, boot: str, clock: Reading) -> timedelta | None:
    """By how much the clock was set since it had an offset; None for little, and after a start of the machine."""
    leap = timedelta(seconds=clock.offset_s - offset_s)
    return leap if boot == clock.boot and abs(leap) > LEAP else None


def _leap_text(leap: timedelta) -> Sentence:
    hours = abs(leap) / timedelta(hours=1)
    if hours >= 48:
        days = round(hours / 24)
        if leap > timedelta():
            return sentence("retention.forward_days", "the clock was set forward by {days:,} days", days=days)
        return sentence("retention.back_days", "the clock was set back by {days:,} days", days=days)
    if leap > timedelta():
        return sentence("retention.forward_hours", "the clock was set forward by {hours} hours", hours=f"{hours:.0f}")
    return sentence("retention.back_hours", "the clock was set back by {hours} hours", hours=f"{hours:.0f}")


def portion(record: Record, now: datetime, stored: Iterable[Stored], *, at_once: bool = False) -> Record:
    """The record with how far each kind may be emptied in this run; ``at_once`` leaves no portion for later."""
    cutoffs, portions, left = dict(record.cutoffs), dict(record.portions), {}
    for kind in stored:
        if not kind.keep:
            cutoffs.pop(kind.name, None)
            continue
        target, last = earlier(now, kind.keep), portions.get(kind.name)
        reached = max((at for at in (cutoffs.get(kind.name), kind.oldest) if at is not None), default=target)
        if kind.oldest is None or at_once or target - reached <= LEAP:
            reached = target
        elif last is None or not timedelta() <= now - last < PORTION_EVERY:
            reached = min(target, reached + PORTION)
            portions[kind.name] = now
        else:
            reached = cutoffs.get(kind.name, reached)
        cutoffs[kind.name] = reached
        if kind.oldest is not None and reached < target:
            left[kind.name] = (target - max(reached, kind.oldest)) / timedelta(days=1)
    return msgspec.structs.replace(record, cutoffs=cutoffs, portions=portions, left=left)


class RetentionClock:
    """The clock that one deleter asks: retention (``rows``), and the archive (``archive``).

    ``at_once``: a person runs it and has confirmed the clock, so that all that is too old goes.
    """

    def __init__(
        self,
        sessions: SessionFactory,
        name: str = ROWS,
        *,
        at_once: bool = False,
        read: Callable[[], Reading] = read_clock,
    ) -> None:
        self._sessions = sessions
        self._row = ROW.format(name=name)
        self._at_once = at_once
        self._read = read
        self.record = Record()

    def now(self) -> datetime:
        """The time of day, believed or not."""
        return self._read().now

    def believed(self) -> datetime:
        """The time of day by which others may decide what is deleted: where it is doubted, that of the last run."""
        if self.record.hold is None:
            return self.now()
        return self.record.at if self.record.at is not None else EARLIEST

    def begin(self, stored: Iterable[Stored]) -> dict[str, datetime]:
        """Begin a run: how far each kind may be emptied by age; nothing where the clock is doubted.

        What is allowed is stored before it is used: a run that does not come to its end has used up its portion.
        """
        stored = list(stored)
        with writing(self._sessions) as session:
            clock = self._read()
            judged = judge(_load(session, self._row, lock=True), clock, stored)
            if self._at_once and judged.hold is not None:
                judged = judge(_confirmed(judged), clock, stored)
            if judged.hold is None:
                judged = portion(judged, clock.now, stored, at_once=self._at_once)
            _save(session, self._row, judged, clock.now)
        self.record = judged
        return {} if judged.hold is not None else {kind.name: judged.cutoffs[kind.name] for kind in stored if kind.keep}


def _confirmed(record: Record) -> Record:
    assert record.hold is not None
    return msgspec.structs.replace(record, hold=msgspec.structs.replace(record.hold, is_confirmed=True))


def records(session: Session, *, lock: bool = False) -> dict[str, Record]:
    """What each deleter remembers, by name."""
    prefix, suffix = ROW.split("{name}")
    rows = session.scalars(sa.select(StoredSetting.name).where(StoredSetting.name.like(f"{prefix}%")))
    return {name.removeprefix(prefix).removesuffix(suffix): _load(session, name, lock=lock) for name in rows}


def confirm(session: Session, actor: Actor) -> None:
    """Confirm the clock to every deleter that waits, in the present transaction, with entries in the audit log."""
    for name, remembered in records(session, lock=True).items():
        hold = remembered.hold
        if hold is not None and not hold.is_confirmed:
            _save(session, ROW.format(name=name), _confirmed(remembered), hold.since)
            record(session, actor, CONFIRMED, Target("retention", name, name), before={"why": hold.why})


def _load(session: Session, row: str, *, lock: bool) -> Record:
    stored = session.get(StoredSetting, row, with_for_update=lock, populate_existing=True)
    if stored is None:
        return Record()
    try:
        return msgspec.json.decode(stored.value, type=Record)
    except msgspec.MsgspecError:
        # Of a release that remembers otherwise: as if no run were known.
        return Record()


def _save(session: Session, row: str, record: Record, at: datetime) -> None:
    value = msgspec.json.encode(record).decode()
    stored = session.get(StoredSetting, row)
    if stored is None:
        session.add(StoredSetting(name=row, value=value, sealed=False, updated_at=at, updated_by="retention"))
    else:
        stored.value, stored.updated_at = value, at
