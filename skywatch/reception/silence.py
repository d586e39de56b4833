"""The rule field ``receiver_silent``: whether a receiver has brought no message for a while.

A rule names a receiver of the settings or a feeder. Whoever manages all rules may watch each of them, the owner of a
feeder that one. A feeder that was never heard since its registration is not silent, nor is one that is disabled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.runtime import Runtime
from skywatch.feeders.models import IS_ADMITTED, Feeder
from skywatch.picture.access import PictureAccess
from skywatch.receivers.settings import ReceiverSettings
from skywatch.reception.settings import ReceptionSettings
from skywatch.sentences import sentence

# Names of rules that are remembered as belonging to nothing; beyond that they are looked up again.
MAX_MISSED = 10_000
_NOT_YOURS = sentence("reception.not_yours", "there is no receiver or feeder of this name that you may watch")


@dataclass(frozen=True)
class WatchedFeeder:
    """What decides whether a feeder is silent: ``was_heard`` before this process began."""

    receiver: str
    owner_id: int | None
    is_admitted: bool
    was_heard: bool


class WatchedFeeders:
    """The feeders by the form of their names in which names are compared; one for a process (``runtime.shared``)."""

    def __init__(self, runtime: Runtime) -> None:
        self._by_name: dict[str, WatchedFeeder] | None = None
        # When the last complete reading began (monotonic s).
        self.read_at = float("-inf")

    @property
    def is_read(self) -> bool:
        """Whether the records were read once."""
        return self._by_name is not None

    def get(self, name: str) -> WatchedFeeder | None:
        """The feeder of this name."""
        return (self._by_name or {}).get(name.strip().casefold())

    def read(self, session: Session) -> None:
        """Read the records."""
        began_at = time.monotonic()
        query = sa.select(
            Feeder.id,
            Feeder.name_key,
            Feeder.owner_id,
            IS_ADMITTED,
            Feeder.last_seen_at.is_not(None),
        ).outerjoin(Feeder.owner)
        self._by_name = {
            name: WatchedFeeder(f"feeder-{number}", owner_id, bool(is_admitted), bool(was_heard))
            for number, name, owner_id, is_admitted, was_heard in session.execute(query)
        }
        self.read_at = began_at


def fault(runtime: Runtime, session: Session, value: str, user_id: int | None, *, manages_all: bool) -> str | None:
    """Why a user may not write a rule on the silence of this receiver, or None; one text for all reasons."""
    name = value.strip().casefold()
    feeder = session.scalar(sa.select(Feeder).where(Feeder.name_key == name))
    if feeder is not None:
        is_own = feeder.owner_id is not None and feeder.owner_id == user_id
        return None if manages_all or is_own else _NOT_YOURS
    return None if manages_all and _receiver(runtime, name) is not None else _NOT_YOURS


def holds(runtime: Runtime) -> Callable[[str, int, bool], bool | None]:
    """See ``skywatch.core.rule_fields.RuleState``."""
    return SilenceTest(runtime).holds


class SilenceTest:
    """Tests the receivers of the tracker's picture in this process."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._access = runtime.shared(PictureAccess)
        self._feeders = runtime.shared(WatchedFeeders)
        self._since = time.monotonic()
        # When names were looked up in vain for the first time (monotonic s).
        self._missed_at: dict[str, float] = {}

    def holds(self, value: str, user_id: int, manages_all: bool) -> bool | None:
        """Whether the receiver of this name is silent; None while that is unknown after a start."""
        picture = self._access.picture
        if picture is None or not self._feeders.is_read:
            return None
        feeder = self._feeders.get(value)
        receiver = feeder.receiver if feeder is not None else _receiver(self._runtime, value.strip().casefold())
        if receiver is not None:
            self._missed_at.pop(value, None)
        elif not self._is_missing(value):
            return None
        if receiver is None or not (manages_all or (feeder is not None and feeder.owner_id == user_id)):
            return False
        if feeder is not None and not feeder.is_admitted:
            return False
        silent_s = self._runtime.current.of(ReceptionSettings).receiver_silent_s
        counts = picture.counts.snapshot().get(receiver)
        if counts is not None and counts.last_at:
            return picture.now() - counts.last_at >= silent_s
        if feeder is not None and not feeder.was_heard:
            return False
        # Not heard since the start: silent once the time is over.
        return True if time.monotonic() - self._since >= silent_s else None

    def _is_missing(self, value: str) -> bool:
        """Whether a name belongs to nothing: it may be that of a feeder that was renamed since the last reading."""
        if len(self._missed_at) > MAX_MISSED:
            self._missed_at.clear()
        return self._feeders.read_at > self._missed_at.setdefault(value, time.monotonic())


def _receiver(runtime: Runtime, name: str) -> str | None:
    """The receiver of the settings of this name, whatever the case of the letters."""
    receivers = runtime.current.of(ReceiverSettings).receivers
    return next((receiver for receiver in receivers if receiver.casefold() == name), None)
