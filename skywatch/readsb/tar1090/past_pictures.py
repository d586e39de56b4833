"""Recorded pictures of the recent past, as readsb keeps them for a page that has just been opened (``history_N.json``).

They are read from history ten minutes at a time and kept packed for all who may see the same. So is what else is made
of history for many: ``Kept`` bounds all of it by its size.
"""

from __future__ import annotations

import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from skywatch.airframes.military import hidden_from
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.history.moments.service import past_pictures
from skywatch.history.settings import HistorySettings
from skywatch.http.authentication import access_source
from skywatch.http.requests.request import Request
from skywatch.readsb.bodies import padded
from skywatch.readsb.settings import ReadsbSettings
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

# readsb keeps a picture every 30 s for an hour.
INTERVAL_S = 30
MAX_PICTURES = 120
# Aircraft in all the pictures that a page is offered, more or less: beyond it pages get a shorter past.
MAX_AIRCRAFT = 250_000
BATCH = 20
# Beyond what a flush may hold back a position needs this long (s) to be in the database.
MARGIN_S = 5.0
MAX_BYTES = 64 * 1024 * 1024
# An import may bring in flights of a time that has been asked for already.
LIFETIME_S = 600.0
# Whoever finds another at work on the same for longer (s) is asked to come back: a database that is slow must not take
# all threads of the API.
MAX_WAIT_S = 5.0
_LEVEL = 1

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class Kept:
    """Packed answers, the ones used least recently going first. Not safe for threads by itself."""

    def __init__(self, most_bytes: int = MAX_BYTES, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_bytes = most_bytes
        self._clock = clock
        self._entries: OrderedDict[Hashable, tuple[float, bytes]] = OrderedDict()
        self.bytes = 0

    def get(self, key: Hashable) -> bytes | None:
        """What was put, unless it is too old or had to go."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if self._clock() - entry[0] > LIFETIME_S:
            self._drop(key)
            return None
        self._entries.move_to_end(key)
        return zlib.decompress(entry[1])

    def put(self, key: Hashable, body: bytes) -> None:
        """Keep an answer."""
        self._drop(key)
        packed = zlib.compress(body, _LEVEL)
        self._entries[key] = (self._clock(), packed)
        self.bytes += len(packed)
        while self.bytes > self._most_bytes:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.bytes -= len(entry[1])


@contextmanager
def in_turn(lock: threading.Lock) -> Iterator[None]:
    """Hold a lock; raises Problem (503) where it does not become free within MAX_WAIT_S."""
    if not lock.acquire(timeout=MAX_WAIT_S):
        raise Problem(
            "unavailable", sentence("readsb.busy", "History is being read for others; try again in a moment.")
        )
    try:
        yield
    finally:
        lock.release()


class PastPictures:
    """Answers made of history, each made once for all who may see the same."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cache = Kept()

    def once(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """The answer that was made for this key lately, or a new one."""
        with in_turn(self._lock):
            body = self._cache.get(key)
            if body is None:
                body = make()
                self._cache.put(key, body)
            return body

    def picture(self, session: Session, at: int, newest: int, visibility: Visibility) -> bytes:
        """The picture of a moment (unix seconds, a multiple of INTERVAL_S, ``newest`` at most) as readsb writes it."""
        with in_turn(self._lock):
            seen_by = who_sees(session, visibility)
            body = self._cache.get(("picture", at, *seen_by))
            if body is None:
                span_s = BATCH * INTERVAL_S
                begin = at // span_s * span_s
                end = min(begin + span_s - INTERVAL_S, newest)
                for moment, made in _pictures(session, begin, end, visibility):
                    self._cache.put(("picture", moment, *seen_by), made)
                    if moment == at:
                        body = made
            return body or b'{"now":%d,"messages":0,"aircraft":[]}' % at


def readsb_pictures(runtime: Runtime) -> PastPictures:
    """The answers of a process that serves the API."""
    return PastPictures()


def is_open(request: Request) -> bool:
    """Whether the past is shown here: it is recorded, and neither the setting nor the feature's switch closes it."""
    settings = request.runtime.settings
    return (
        settings.of(ReadsbSettings).readsb_history
        and settings.of(HistorySettings).history_enabled
        and request.runtime.shared(access_source).feature_access("history").is_enabled
    )


def settled_until(request: Request, now: float) -> float:
    """The time (unix seconds) up to which history has been written."""
    return now - request.runtime.settings.of(HistorySettings).history_flush_s - MARGIN_S


def newest_moment(request: Request, now: float) -> int:
    """The moment of ``history_0.json``."""
    return int(settled_until(request, now) // INTERVAL_S) * INTERVAL_S


def offered(aircraft: int) -> int:
    """How many pictures a page may ask for while there are so many aircraft."""
    return max(BATCH, min(MAX_PICTURES, MAX_AIRCRAFT // max(1, aircraft)))


def who_sees(session: Session, visibility: Visibility) -> tuple[Hashable, ...]:
    """What answers made of history depend on besides their time: they are made once for all who may see the same."""
    return hidden_from(visibility, session), visibility.details


def moments(
    session: Session, begin: int, end: int, visibility: Visibility
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """The times (unix seconds) from ``begin`` to ``end``, INTERVAL_S apart, and the aircraft of each."""
    for number, line in enumerate(past_pictures(session, begin, end, INTERVAL_S, visibility)):
        yield begin + number * INTERVAL_S, _decode(line)["aircraft"]


def _pictures(session: Session, begin: int, end: int, visibility: Visibility) -> Iterable[tuple[int, bytes]]:
    for at, aircraft in moments(session, begin, end, visibility):
        yield at, _encode({"now": at, "messages": 0, "aircraft": [_as_readsb(entry) for entry in aircraft]})


def _as_readsb(entry: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        name: entry[name] for name in ("hex", "t", "r", "lat", "lon", "alt_baro", "gs", "track") if name in entry
    }
    if entry["flight"]:
        shown["flight"] = padded(entry["flight"])
    shown = {name: value for name, value in shown.items() if value is not None}
    return shown | {"seen": entry["seen_pos"], "seen_pos": entry["seen_pos"], "messages": 0, "mlat": [], "tisb": []}
