"""``Picture``: collects reports of all receivers and builds a ``Sky`` once a second.

It is a ``Sink`` of the receivers and lives on one thread. Times are unix seconds; when the computer's clock is set,
everything known is moved along, so that ages stay true.
"""

from __future__ import annotations

import dataclasses
import secrets
import time
from collections.abc import Callable, Sequence
from itertools import repeat
from operator import attrgetter
from types import EllipsisType

import numpy as np

from skywatch.airframes.cache import AirframeCache
from skywatch.picture.positions.accepted import Array, Positions, acceptable, choose
from skywatch.picture.positions.validator import PositionValidator
from skywatch.picture.receiving.admission import Admission
from skywatch.picture.receiving.field_validator import FieldValidator
from skywatch.picture.receiving.gathering import gather
from skywatch.picture.receiving.receiver_views import ReceiverViews
from skywatch.picture.receiving.view import View
from skywatch.picture.saving.picture import FORM, SavedBook, SavedPicture, SavedPosition
from skywatch.picture.saving.reports import pack, unpack
from skywatch.picture.state.assembly import Assembly
from skywatch.picture.state.completion import Completion
from skywatch.picture.state.sky import Sky
from skywatch.picture.trails.trail import TrailStore
from skywatch.receivers.reports.report import Report

# The wall clock was set, not merely disciplined, when it departs from the monotonic one by this much (s).
CLOCK_STEP_S = 0.5


class Picture:
    """The state of every aircraft in the sky.

    ``station`` is (lat, lon) in degrees, where the antenna is; ``shown_station`` is the place that everybody may know,
    the origin of distances (``station`` unless given); ``timeout_s`` is how long after its last message
    an aircraft leaves. Without ``airframes`` the picture knows of an airframe what receivers say. ``maximum`` and
    ``proof`` as for ``Admission``.
    """

    def __init__(
        self,
        station: tuple[float, float] | None = None,
        timeout_s: float = 60.0,
        airframes: AirframeCache | None = None,
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        epoch: str | None = None,
        maximum: int = 1_000_000,
        proof: bool = False,
        shown_station: tuple[float, float] | EllipsisType | None = ...,
    ) -> None:
        self.station = station
        self.shown_station = station if shown_station is ... else shown_station
        self.timeout_s = timeout_s
        self.epoch = epoch or secrets.token_hex(8)
        self.messages = 0
        # Speed of a receiver that plays a recording, as a multiple of real time.
        self.pace: dict[str, float] = {}
        self.admission = Admission(maximum, proof)
        self.validator = PositionValidator(self.pace, station)
        self._fields = FieldValidator(self.validator)
        self.trails = TrailStore()
        self._airframes = airframes
        self._assembly = Assembly(self.epoch, self.shown_station, airframes, station)
        self._clock, self._monotonic = clock, monotonic
        self._clock_offset = clock() - monotonic()
        self._books: dict[str, ReceiverViews] = {}
        self._by_name: list[ReceiverViews] = []
        self._index: dict[str, int] = {}
        self._first_seen = np.empty(0)
        self._positions = Positions.none(0)
        # What aircraft were before a restart, by address, and until when they may come back to it.
        self._restored: dict[str, tuple[float, SavedPosition | None]] = {}
        self._restored_until = 0.0
        self._completion = Completion(timeout_s)

    def put(self, receiver: str, reports: Sequence[Report], messages: int, *, proven: bool = False) -> None:
        """Add reports of a receiver; see ``receivers.base.Sink``. ``proven`` as for ``Admission.filter``."""
        now = self._follow_clock()
        book = self._books.get(receiver) or self._open_book(receiver)
        self.messages += messages
        if reports:
            reports = self.admission.filter(book, reports, self._by_name, now, proven)
            book.put(reports)
            if self._airframes is not None:
                self._airframes.want(map(attrgetter("hex"), reports))

    def tick(self) -> Sky:
        """The present picture."""
        now = self._follow_clock()
        for book in self._by_name:
            book.forget(now - self.timeout_s)
        self.admission.follow(self._by_name, now - self.timeout_s)
        receivers = tuple(self._books)
        gathered = gather(self._by_name, self._index, now, self._fields, receivers)
        hexes, before = gathered.hexes, self._index
        previous_row = np.fromiter(map(before.get, hexes, repeat(-1)), "i4", len(hexes))
        self._index = gathered.index
        left = tuple(address for address in before if address not in self._index)
        self._move_rows(previous_row, now)
        if self._restored:
            if now > self._restored_until:
                self._restored = {}
            self._recall(hexes, previous_row)
        offers = self.validator.review(gathered.offers, receivers, self._positions, hexes, now)
        offered = choose(offers, len(hexes), now)
        accepted = np.flatnonzero(acceptable(self._positions, offered, now))
        self._positions.set(accepted, offered, accepted)
        for address in self.validator.undecided:
            gathered.disputed.setdefault(self._index[address], []).insert(0, "position")
        sky = self._assembly.sky(
            now, self.messages, gathered, self._positions, self._first_seen, previous_row, left, receivers
        )
        is_complete = self._completion.tick(self._monotonic())
        refused, disputed = tuple(self.validator.refused), tuple(self.validator.disputed)
        if refused or disputed or not is_complete:
            sky = dataclasses.replace(sky, is_complete=is_complete, refused=refused, disputed=disputed)
        self.trails.add(sky)
        return sky

    def save(self) -> SavedPicture:
        """The state needed to continue after a restart."""
        names = tuple(self._books)
        believed = self._positions
        columns = (believed.lat, believed.lon, believed.at, believed.trust, believed.receiver)
        positions = {
            address: SavedPosition(lat, lon, at, trust, names[receiver])
            for address, lat, lon, at, trust, receiver in zip(
                self._index, *(column.tolist() for column in columns), strict=True
            )
            if lat == lat
        }
        books = []
        for book in self._by_name:
            views = list(book.views.values())
            snapshots = pack([view for view in views if type(view) is not View])
            books.append(SavedBook(book.name, snapshots, pack([view for view in views if type(view) is View])))
        first_seen = dict(zip(self._index, self._first_seen.tolist(), strict=True))
        return SavedPicture(FORM, self._clock(), first_seen, positions, books)

    def restore(self, saved: SavedPicture) -> set[str]:
        """Take over what was saved, before the first tick; the aircraft that are still within the timeout."""
        alive_after = self._clock() - self.timeout_s
        for saved_book in saved.books:
            book = self._books.get(saved_book.receiver) or self._open_book(saved_book.receiver)
            views = (*unpack(saved_book.snapshots), *unpack(saved_book.views))
            book.restore(view for view in views if view.at > alive_after)
        self._restored_until = self._clock() + self.timeout_s
        alive = {address for book in self._by_name for address in book.views}
        self._restored = {
            address: (first_seen, saved.positions.get(address))
            for address, first_seen in saved.first_seen.items()
            if address in alive
        }
        if self._airframes is not None:
            self._airframes.want(alive)
        return alive

    def move(
        self, station: tuple[float, float] | None, shown_station: tuple[float, float] | EllipsisType | None = ...
    ) -> None:
        """Change the position of the station; the picture is rebuilt, because every distance changes."""
        self.station = self.validator.station = station
        self.shown_station = station if shown_station is ... else shown_station
        self.recover()

    def recover(self) -> None:
        """Begin anew after a tick that failed half-way: what was said is dropped, first sights are kept.

        The epoch changes, so that everybody takes the next sky as a whole.
        """
        if len(self._index) == len(self._first_seen):
            times = zip(self._index, self._first_seen.tolist(), strict=True)
            self._restored |= {address: (first_seen, None) for address, first_seen in times}
        self._restored_until = self._clock() + self.timeout_s
        self.epoch = secrets.token_hex(8)
        self._completion.begin()
        self._assembly = Assembly(self.epoch, self.shown_station, self._airframes, self.station)
        for book in self._by_name:
            book.views.clear()
        self._index = {}
        self._first_seen = np.empty(0)
        self._positions = Positions.none(0)

    def _recall(self, hexes: list[str], previous_row: Array) -> None:
        """Give aircraft of the saved picture back their first sight and believed position, once."""
        for row in np.flatnonzero(previous_row < 0).tolist():
            first_seen, position = self._restored.get(hexes[row], (None, None))
            if first_seen is not None:
                self._first_seen[row] = first_seen
            if position is not None and position.receiver in self._books:
                receiver = self._books[position.receiver].index
                self._positions.put(row, position.lat, position.lon, position.at, position.trust, receiver)
            self._restored.pop(hexes[row], None)

    def _move_rows(self, previous_row: Array, now: float) -> None:
        first_seen = np.full(len(previous_row), now)
        existing = np.flatnonzero(previous_row >= 0)
        first_seen[existing] = self._first_seen[previous_row[existing]]
        self._first_seen = first_seen
        self._positions = self._positions.moved(previous_row)

    def _follow_clock(self) -> float:
        """The present time; when the clock has been set, first move everything known along."""
        now = self._clock()
        offset = now - self._monotonic()
        step = offset - self._clock_offset
        self._clock_offset = offset
        if abs(step) > CLOCK_STEP_S:
            for book in self._by_name:
                book.shift(step)
            self._positions.at += step
            self._first_seen = self._first_seen + step
            self.admission.shift(step)
            self.validator.shift(step)
            self._fields.shift(step)
            self.trails.shift(step)
        return now

    def _open_book(self, name: str) -> ReceiverViews:
        book = self._books[name] = ReceiverViews(name, len(self._books))
        # In the order of names nothing depends on which receiver spoke first.
        self._by_name = sorted(self._books.values(), key=attrgetter("name"))
        return book
