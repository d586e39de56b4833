"""``PictureFollower``: the latest sky of the tracker in any process, despite losses of the bus, and its ageing while
the tracker is silent.

Most ticks arrive as changes. A process that starts, or misses the tick before, takes a complete sky from another
follower and applies the changes that have arrived meanwhile; where no follower has one, it requests one of the tracker,
which arrives at the next tick.
"""

from __future__ import annotations

import logging
import math
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable

import numpy as np

from skywatch.core.bus import Bus, Message, Subscription, topics
from skywatch.core.clock import unix_now
from skywatch.core.database.fencing import term_of
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.picture.changes import MissingBase, Objects, apply_changes
from skywatch.picture.distribution import snapshot_messages as snapshots
from skywatch.picture.distribution.snapshot_client import Found, SnapshotClient
from skywatch.picture.distribution.snapshot_server import SnapshotServer
from skywatch.picture.state.aircraft_json import AGES_BEGIN
from skywatch.picture.state.sky import Sky, empty_sky, from_bytes, moment_of

log = logging.getLogger(__name__)
COMPLETE, CHANGES = "tick", "changes"
# Interval of ageing a silent picture (s), and of requests for a complete sky.
AGE_EVERY_S = ASK_EVERY_S = 1.0
# Changes that wait for the sky that they build upon: more than come while one is asked for.
MAX_WAITING = 16
# A follower that has found no other one does not look again for so long (s).
ALONE_S = 5.0
# A tracker that is there publishes within this time (s).
TICK_WITHIN_S = 2.0
# The tracker ticks once a second; one that has not for this long (s) is silent.
SILENT_AFTER_S = 4.0


class PictureFollower:
    """Follows the picture between ``start`` and ``close``; ``on_sky`` is called with each tick, in a thread of the bus
    or of this object, in their order, and returns at once.

    ``serves``: whether this process gives its picture to others that ask; that of the leading tracker does not.
    """

    def __init__(
        self,
        bus: Bus,
        timeout_s: float,
        on_sky: Callable[[Sky], None] = lambda sky: None,
        serves: Callable[[], bool] = lambda: True,
    ) -> None:
        self._bus = bus
        self._timeout_s = timeout_s
        self._on_sky = on_sky
        self._serves = serves
        self._lock = threading.RLock()
        self._last = self._current = empty_sky()
        # When the tracker last published (monotonic s); at the start it is assumed to have just done so.
        self._received_at = time.monotonic()
        self._silence = ""
        self._aged_at = 0.0
        self._requested_at = float("-inf")
        self._subscription: Subscription | None = None
        self._faults = FaultLog(log, "the picture on the bus cannot be read", "the picture on the bus is read again")
        self._topic = snapshots.OWN + secrets.token_hex(8)
        self._client = SnapshotClient(bus, self._topic)
        self._server = SnapshotServer(bus, self._topic, lambda: (self._last, self.silent_s))
        self._other_faults = FaultLog(
            log, "messages of other followers cannot be read", "messages of other followers are read"
        )
        # Held by the one thread that looks for a complete sky.
        self._searching = threading.Lock()
        self._alone_at = float("-inf")
        self._waiting: deque[Message] = deque(maxlen=MAX_WAITING)
        self._closing = threading.Event()

    def start(self) -> None:
        """Start; takes the picture of another process, or the last one of the bus, before it returns."""
        if self._bus.carries_objects:
            self._subscription = self._bus.subscribe((topics.PICTURE,), self._take)
            self._take_stored()
            return
        followed = (topics.PICTURE, snapshots.ALL, self._topic)
        self._subscription = self._bus.subscribe(followed, self._receive, on_reconnect=self._resume)
        if not self._search():
            self._take_stored()

    def close(self) -> None:
        """Stop following; the last sky stays."""
        self._closing.set()
        if self._subscription is not None:
            self._subscription.close()

    @property
    def silent_s(self) -> float:
        """Time since the tracker last published (s)."""
        return time.monotonic() - self._received_at

    @property
    def is_silent(self) -> bool:
        """Whether the tracker is overdue."""
        return self.silent_s > SILENT_AFTER_S

    @property
    def sky(self) -> Sky:
        """The present picture: the tracker's last, aged if the tracker is silent, and empty where it cannot be."""
        if not self.is_silent or not self._last.seq:
            return self._last
        with self._lock:
            if self.is_silent and time.monotonic() - self._aged_at >= AGE_EVERY_S:
                self._age()
            return self._current

    def _age(self) -> None:
        if not self._silence:
            # An epoch of its own: no other process continues it.
            self._silence = f"{self._last.epoch}-{secrets.token_hex(4)}"
        self._aged_at = time.monotonic()
        seq = self._current.seq + 1 if self._current.epoch == self._silence else 1
        age_s = self.silent_s
        try:
            self._current = aged(self._last, self._current, age_s, self._timeout_s, self._silence, seq)
        except ValueError as error:
            # Nobody is shown ages that do not grow.
            self._faults.failed(str(error))
            self._search_soon(self._request_complete)
            self._current = aged(self._last, self._current, age_s, -math.inf, self._silence, seq)

    def _receive(self, message: Message) -> None:
        if message.topic == topics.PICTURE:
            self._take(message)
            return
        try:
            self._answer(message)
            self._other_faults.succeeded()
        except ValueError as error:
            self._other_faults.failed(str(error))

    def _answer(self, message: Message) -> None:
        """Take what another follower asks or answers; raises ValueError where it cannot be read."""
        if message.event == snapshots.SEARCH:
            search = snapshots.decode(message.data, snapshots.Search)
            if search.answer_to != self._topic and self._serves():
                self._server.offer(search)
        elif message.event == snapshots.OFFER:
            self._client.offered(snapshots.decode(message.data, snapshots.Offer))
        elif message.event == snapshots.REQUEST:
            self._server.request(snapshots.decode(message.data, snapshots.Request))
        elif message.event == snapshots.SNAPSHOT:
            self._client.received(snapshots.decode(message.data, snapshots.Snapshot))

    def _search(self) -> bool:
        """Take the picture of another follower; whether there was one."""
        with self._searching:
            if time.monotonic() - self._alone_at < ALONE_S:
                return False
            found = self._client.find(self._last.now)
            self._alone_at = time.monotonic() if found is None else float("-inf")
        return found is not None and self._adopt(found)

    def _adopt(self, found: Found) -> bool:
        with self._lock:
            if not self._is_newer(found.sky) or found.sky.now <= self._last.now:
                return False
            waiting = list(self._waiting)
            self._set(found.sky, found.silent_s)
            for message in waiting:
                self._take(message, may_wait=False)
        return True

    def _search_soon(self, otherwise: Callable[[], None]) -> None:
        """Look for a complete sky in a thread, at most once a second; ``otherwise`` is called where nobody has one."""
        now = time.monotonic()
        if now - self._requested_at < ASK_EVERY_S or self._searching.locked():
            return
        self._requested_at = now

        def search() -> None:
            if not self._search() and not self._closing.is_set():
                otherwise()

        threading.Thread(target=search, name="picture-search", daemon=True).start()

    def _resume(self) -> None:
        """After a break: the next tick shows what is missing, where one comes."""

        def take_stored() -> None:
            began = time.monotonic()
            if not self._closing.wait(TICK_WITHIN_S) and self._received_at < began:
                self._take_stored()

        self._search_soon(take_stored)

    def _take_stored(self) -> None:
        """Take the last complete sky of the bus."""
        last = self._bus.last(topics.PICTURE)
        if last is None:
            return
        if last.local is not None or self._last.seq:
            self._take(last)
            return
        # The first one may be old: the tracker may have stopped before this process started.
        with self._lock:
            received_at = self._received_at
            self._take(last)
            if self._last.seq and self._received_at != received_at:
                self._received_at -= min(max(0.0, unix_now() - self._last.now), self._timeout_s * 2)

    def _take(self, message: Message, *, may_wait: bool = True) -> None:
        with self._lock:
            if self._is_last(message):
                return
            try:
                sky = self._read(message)
                self._faults.succeeded()
            except MissingBase:
                if may_wait:
                    self._waiting.append(message)
                    self._search_soon(self._request_complete)
                return
            except ValueError as error:
                self._faults.failed(str(error))
                if message.event == CHANGES:
                    self._search_soon(self._request_complete)
                return
            # The last snapshot may be read while a newer one is being delivered.
            if self._is_newer(sky):
                self._set(sky)

    def _is_last(self, message: Message) -> bool:
        """Whether a message is the complete sky of the tick that has come as changes; it is kept, not read."""
        last = self._last
        if message.local is not None or message.event != COMPLETE or moment_of(message.data) != (last.epoch, last.seq):
            return False
        Objects.of(last).settle(message.data)
        return True

    def _is_newer(self, sky: Sky) -> bool:
        """Whether a sky is a later tick, or of another epoch, but not of a tracker that has lost the lead."""
        last = self._last
        if sky.epoch == last.epoch:
            return sky.seq > last.seq
        term = term_of(sky.epoch)
        # Trackers of the release before name none.
        return not term or term >= term_of(last.epoch)

    def _set(self, sky: Sky, silent_s: float = 0.0) -> None:
        self._last = self._current = sky
        self._received_at = time.monotonic() - silent_s
        self._silence = ""
        self._waiting.clear()
        self._on_sky(sky)

    def _read(self, message: Message) -> Sky:
        if message.local is not None:
            sky: Sky = message.local
            return sky
        return apply_changes(message.data, self._last) if message.event == CHANGES else from_bytes(message.data)

    def _request_complete(self) -> None:
        self._bus.publish(Message(topics.PICTURE_WANTED, "wanted", b""))


def aged(last: Sky, before: Sky, age_s: float, timeout_s: float, epoch: str, seq: int) -> Sky:
    """The last sky of the tracker as it is ``age_s`` seconds later, as tick ``seq`` of ``epoch``.

    ``before`` is the sky that was shown until now: ``last`` itself, or what this function made of it earlier.
    """
    now = last.now + age_s
    rows = np.flatnonzero(now - last.column("seen_at") <= timeout_s)
    hexes = [last.hexes[row] for row in rows.tolist()]
    remaining = set(hexes)
    columns = {name: column[rows] for name, column in last.columns.items()}
    columns["previous_row"] = np.array([before.index.get(address, -1) for address in hexes], dtype="i4")
    for name in ("changed", "airframe_changed"):
        columns[name] = np.zeros(len(rows), dtype=bool)
    seen, seen_pos = now - columns["seen_at"], now - columns["position_at"]
    ages = zip(rows.tolist(), seen.tolist(), seen_pos.tolist(), strict=True)
    return Sky(
        epoch,
        seq,
        now,
        last.messages,
        hexes,
        columns,
        [_with_ages(last.encoded[row], max(at, 0.0), max(position, 0.0)) for row, at, position in ages],
        [last.details[row] for row in rows.tolist()],
        tuple(address for address in before.hexes if address not in remaining),
        last.receivers,
        last.station,
        last.names,
        last.exact_station,
        age_s,
        None if last.doubt is None else last.doubt[rows],
    )


def _with_ages(encoded: bytes, seen_s: float, seen_pos_s: float) -> bytes:
    begin = encoded.rfind(AGES_BEGIN)
    if begin < 0:
        return encoded
    members = encoded[begin + 1 :].split(b",")
    for index, member in enumerate(members):
        end = b"}" if member.endswith(b"}") else b""
        if member.startswith(b'"seen":'):
            members[index] = b'"seen":%.1f%b' % (seen_s, end)
        elif member.startswith(b'"seen_pos":'):
            members[index] = b'"seen_pos":%.3f%b' % (seen_pos_s, end)
    return encoded[:begin] + b"," + b",".join(members)
