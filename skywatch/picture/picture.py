"""``Picture``: collects reports of all receivers and builds a ``Sky`` once a second.

It is a ``Sink`` of the receivers and lives on one thread. Times are unix seconds; when the computer's clock is set,
everything known is moved along, so that ages stay true.
"""

from __future__ import annotations

import dataclasses
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from types import EllipsisType

import numpy as np

from skywatch.airframes.cache import AirframeCache
from skywatch.picture.positions.accepted import acceptable, choose
from skywatch.picture.positions.rows import PictureRows
from skywatch.picture.positions.validator import PositionValidator
from skywatch.picture.receiving.admission import Admission
from skywatch.picture.receiving.field_validator import FieldValidator
from skywatch.picture.receiving.gathering import gather
from skywatch.picture.receiving.receiver_views import AllReceiverViews, ReceiverViews
from skywatch.picture.receiving.view import View
from skywatch.picture.reception.corroboration import Corroboration
from skywatch.picture.reception.counts import ReceiverCounts
from skywatch.picture.saving.picture import FORM, SavedBook, SavedPicture
from skywatch.picture.saving.reports import pack, unpack
from skywatch.picture.saving.restored import RestoredAircraft
from skywatch.picture.state.assembly import Assembly
from skywatch.picture.state.clock import PictureClock
from skywatch.picture.state.completion import Completion
from skywatch.picture.state.sky import Sky
from skywatch.picture.trails.trail import TrailStore
from skywatch.receivers.ingest.voices import Voice
from skywatch.receivers.reports.naming import shown_receiver
from skywatch.receivers.reports.report import Report

_address = attrgetter("hex")


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
        self.shown_station = station if shown_station is ... else shown_station
        self.timeout_s = timeout_s
        self.epoch = epoch or secrets.token_hex(8)
        self.messages = 0
        self.admission = Admission(maximum, proof)
        self.corroboration = Corroboration()
        self.validator = PositionValidator({}, station, self.corroboration.voices)
        self.trails = TrailStore()
        self.counts = ReceiverCounts()
        # The tracker replaces them.
        self.feeders_that_hear: Callable[[str], list[tuple[str, float | None, float]]] = lambda address: []
        self.views_of_feeder: Callable[[str, ReceiverViews | None], ReceiverViews | None] = lambda name, views: None
        self.join_feeders: Callable[[float], None] = lambda now: None
        self._fields = FieldValidator(self.validator, self.corroboration.voices)
        self._airframes = airframes
        self._assembly = Assembly(self.epoch, self.shown_station, airframes, station)
        self._clock = PictureClock(clock, monotonic)
        self._views = AllReceiverViews()
        self._rows = PictureRows()
        self._restored = RestoredAircraft()
        self._completion = Completion(timeout_s)

    @property
    def station(self) -> tuple[float, float] | None:
        """Where the antenna is (degrees)."""
        return self.validator.station

    @property
    def pace(self) -> dict[str, float]:
        """Speed of each receiver that plays a recording, as a multiple of real time."""
        return self.validator.pace

    def now(self) -> float:
        """The present time of the picture (unix s)."""
        return self._clock.now()

    def views_of(self, receiver: str) -> ReceiverViews | None:
        """The views of a receiver; None for one that was never heard.

        Those of a feeder have what others say of an aircraft as well, with the time and the signal at this feeder.
        """
        views = self._views.get(receiver)
        return self.views_of_feeder(receiver, views) or views

    def put(
        self,
        receiver: str,
        reports: Sequence[Report],
        messages: int,
        positions: int = 0,
        *,
        proven: bool = False,
        is_counted: bool = True,
        voice: Voice | None = None,
    ) -> None:
        """Add reports of a receiver; see ``receivers.base.Sink``.

        ``proven`` as for ``Admission.filter``: such reports come from other features and do not count as reception.
        Nor does what is not ``is_counted``: what feeders agree on is no one's, and ``count`` tells what each brought.
        ``voice`` is that of an untrusted feeder, whose word alone proves no aircraft.
        """
        now = self._follow_clock()
        views = self._views[receiver]
        self.messages += messages
        if is_counted and not proven:
            self.counts[receiver].add(messages, positions, now)
        if voice is not None:
            reports = self.corroboration.filter(receiver, voice, reports, now)
        addresses = list(map(_address, reports))
        if voice is None:
            self.corroboration.voices.pop(receiver, None)
            self.corroboration.confirm(addresses, now)
        if not reports:
            return
        if not self.admission.holds(addresses):
            reports = self.admission.filter(views, reports, self._views.in_order, now, proven)
            addresses = list(map(_address, reports))
        views.put(reports, addresses)
        if self._airframes is not None:
            self._airframes.want(addresses)

    def reports_of(self, receiver: str) -> Mapping[str, Report]:
        """What a receiver said of each aircraft."""
        views = self._views.get(receiver)
        return views.views if views is not None else {}

    def count(self, receiver: str, messages: int, positions: int, duplicates: int = 0) -> None:
        """Count what a receiver brought, for its quality, where its reports are not its own."""
        self.counts[receiver].add(messages, positions, self._follow_clock(), duplicates)

    def tick(self) -> Sky:
        """The present picture."""
        now = self._follow_clock()
        self.join_feeders(now)
        for views in self._views:
            views.forget(now - self.timeout_s)
        self.admission.follow(self._views.in_order, now - self.timeout_s)
        receivers, rows = self._views.names, self._rows
        gathered = gather(self._views.in_order, rows.index, now, self._fields, receivers)
        hexes = gathered.hexes
        previous_row, left = rows.follow(hexes, gathered.index, now)
        self._restored.recall(hexes, previous_row, rows, self._views.index_of, now)
        offers = self.validator.review(gathered.offers, receivers, rows.positions, hexes, now)
        offered = choose(offers, len(hexes), now, gathered.contested)
        accepted = np.flatnonzero(acceptable(rows.positions, offered, now))
        rows.positions.set(accepted, offered, accepted)
        for address in self.validator.undecided:
            gathered.disputed.setdefault(rows.index[address], []).insert(0, "position")
        single = self.corroboration
        is_single = list(map(single.is_single, hexes)) if single.has_single() else None
        shown = tuple(map(shown_receiver, receivers))
        sky = self._assembly.sky(
            now, self.messages, gathered, rows.positions, rows.first_seen, previous_row, left, shown, is_single
        )
        is_complete = self._completion.tick(self._clock.monotonic())
        refused, disputed = tuple(self.validator.refused), tuple(self.validator.disputed)
        if refused or disputed or not is_complete:
            sky = dataclasses.replace(sky, is_complete=is_complete, refused=refused, disputed=disputed)
        self.trails.add(sky)
        return sky

    def next_change_at(self, now: float) -> float:
        """When time alone may change this picture the next time (unix s), if nothing is received: something expires, or
        a refused position is decided. Infinite: never."""
        if self.validator.is_undecided:
            return now
        return min((views.expires_at(now, self.timeout_s) for views in self._views), default=float("inf"))

    def save(self) -> SavedPicture:
        """The state needed to continue after a restart."""
        books = []
        for receiver in self._views:
            views = list(receiver.views.values())
            snapshots = pack([view for view in views if type(view) is not View])
            books.append(SavedBook(receiver.name, snapshots, pack([view for view in views if type(view) is View])))
        positions = self._rows.saved_positions(self._views.names)
        return SavedPicture(FORM, self._clock.now(), self._rows.first_sights(), positions, books)

    def restore(self, saved: SavedPicture) -> set[str]:
        """Take over what was saved, before the first tick; the aircraft that are still within the timeout."""
        now = self._clock.now()
        alive_after = now - self.timeout_s
        for book in saved.books:
            views = (*unpack(book.snapshots), *unpack(book.views))
            self._views[book.receiver].restore(view for view in views if view.at > alive_after)
        alive = {address for receiver in self._views for address in receiver.views}
        first_seen = {address: at for address, at in saved.first_seen.items() if address in alive}
        self._restored.put(first_seen, saved.positions, now + self.timeout_s)
        if self._airframes is not None:
            self._airframes.want(alive)
        return alive

    def move(
        self, station: tuple[float, float] | None, shown_station: tuple[float, float] | EllipsisType | None = ...
    ) -> None:
        """Change the position of the station; the picture is rebuilt, because every distance changes."""
        self.validator.station = station
        self.shown_station = station if shown_station is ... else shown_station
        self.recover()

    def recover(self) -> None:
        """Start over after a tick that failed half-way: what was said is dropped, first sights are kept.

        The epoch changes, so that everybody takes the next sky as a whole.
        """
        self._restored.put(self._rows.first_sights(), {}, self._clock.now() + self.timeout_s)
        self.epoch = secrets.token_hex(8)
        self._completion.begin()
        self._assembly = Assembly(self.epoch, self.shown_station, self._airframes, self.station)
        self._views.clear()
        self._rows.clear()

    def _follow_clock(self) -> float:
        """The present time; when the clock has been set, first move everything known along."""
        now, step = self._clock.read()
        if step:
            for part in (
                self._views,
                self._rows,
                self.admission,
                self.validator,
                self._fields,
                self.trails,
                self.counts,
                self.corroboration,
            ):
                part.shift(step)
        return now
