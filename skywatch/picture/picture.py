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
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from msgspec import UNSET

from skywatch.airframes.cache import AirframeCache
from skywatch.core.arrays import Array
from skywatch.picture.assembly import Assembly
from skywatch.picture.merging.admission import Admission
from skywatch.picture.merging.corroboration import Corroboration
from skywatch.picture.merging.delivery_counts import ReceiverCounts
from skywatch.picture.merging.field_validator import FieldValidator
from skywatch.picture.merging.receiver_views import AllReceiverViews, ReceiverViews
from skywatch.picture.merging.reported import Gathered
from skywatch.picture.merging.tick_merge import gather
from skywatch.picture.positions.accepted import Offer, Positions, acceptable, choose
from skywatch.picture.positions.picture_rows import PictureRows
from skywatch.picture.positions.validator import PositionValidator
from skywatch.picture.state.clock import Completion, PictureClock
from skywatch.picture.state.doubt import ALL, ONLY_STRANGERS, OURS_TOO, POSITION
from skywatch.picture.state.own_antenna import ELSEWHERE, ORIGIN_SHIFT, SIMULATED, STRANGERS
from skywatch.picture.state.own_antenna import OURS as HEARD_BY_OURS
from skywatch.picture.state.receiver_view import ReceiverView, clear_airframes
from skywatch.picture.state.routes import LiveRoutes
from skywatch.picture.state.sky import DisputedPosition, RefusedPosition, Sky
from skywatch.picture.state.visits import LiveVisits
from skywatch.picture.storage.saved_picture import FORM, SavedBook, SavedPicture, SavedPosition
from skywatch.picture.storage.saved_reports import pack, unpack
from skywatch.picture.trails.trail import TrailStore
from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.reports.receiver_names import FEEDERS, TRUSTED_FEEDERS, feeder_receiver, shown_receiver
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import ReportColumns

if TYPE_CHECKING:
    from skywatch.receivers.feeder_streams.installation import InstallationFeeders

_address = attrgetter("hex")
# Registered feeders are called so in the picture, with their id behind a hyphen.
FEEDER = "feeder"
Claimed = TypeVar("Claimed", RefusedPosition, DisputedPosition)


class Picture:
    """The state of every aircraft in the sky.

    ``station`` is (lat, lon) in degrees, where the antenna is; ``shown_station`` is the place that everybody may know,
    the origin of distances (``station`` unless given); ``timeout_s`` is how long after its last message
    an aircraft leaves. Without ``airframes`` the picture knows of an airframe what receivers say. ``maximum`` and
    ``proof`` as for ``Admission``. ``feeders`` is what feeders bring, who are heard together; ``routes`` are those
    that are shown, ``visits`` says when aircraft were seen before.
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
        feeders: InstallationFeeders | None = None,
        routes: LiveRoutes | None = None,
        visits: LiveVisits | None = None,
    ) -> None:
        self.shown_station = station if shown_station is ... else shown_station
        self.timeout_s = timeout_s
        self._term = ""
        self.epoch = epoch or self._new_epoch()
        self.messages = 0
        self.admission = Admission(maximum, proof)
        self.corroboration = Corroboration()
        self.validator = PositionValidator({}, station)
        # Places of receivers as everybody may know them, None where they may not.
        self.shown_places: dict[str, tuple[float, float] | None] = {}
        # Where receivers hear aircraft that do not so at the station: bits of ``own_antenna``.
        self.origins: dict[str, int] = {}
        self.trails = TrailStore()
        self.counts = ReceiverCounts()
        # Of ours, and of strangers.
        self._fields = {is_ours: FieldValidator(self.validator) for is_ours in (True, False)}
        self._airframes = airframes
        self._feeders = feeders
        self._routes = routes or LiveRoutes()
        self._visits = visits or LiveVisits()
        self._assembly = Assembly(self.epoch, self.shown_station, airframes, station, self._routes, self._visits)
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

    @property
    def places(self) -> dict[str, tuple[float, float]]:
        """Where receivers stand that have a place of their own (degrees)."""
        return self.validator.places

    def place_feeders(self, places: dict[str, tuple[float, float]]) -> None:
        """Note where feeders stand (degrees), by their receivers."""
        self.validator.feeder_places = places

    def origin_of(self, receiver: str) -> tuple[float, float] | None:
        """Where the range of a receiver is measured from (degrees): the place that everybody may know, if there is one.

        How far a receiver hears aircraft whose places are public would show where it stands.
        """
        own = self.places.get(receiver)
        return self.shown_station or self.station if own is None else self.shown_places.get(receiver) or own

    def is_simulated(self, receiver: str) -> bool:
        """Whether a receiver is a simulator."""
        return self.origins.get(receiver, 0) & SIMULATED > 0

    def now(self) -> float:
        """The present time of the picture (unix s)."""
        return self._clock.now()

    def views_of(self, receiver: str) -> ReceiverViews | None:
        """The views of a receiver; None for one that was never heard.

        Those of a feeder have what others say of an aircraft as well, with the time and the signal at this feeder.
        """
        own = self._views.get(receiver)
        prefix, _, number = receiver.rpartition("-")
        if self._feeders is None or prefix != FEEDER or not number.isdecimal():
            return own
        agreed = self.reports_of(FEEDERS), self.reports_of(TRUSTED_FEEDERS)
        views = ReceiverViews(receiver, own.index if own is not None else 0)
        for address, at, rssi in self._feeders.heard_by(int(number)):
            said = [views.get(address) for views in (*agreed, own.views if own is not None else {})]
            view = next(filter(None, said), None) or Report(address)
            views.views[address] = Report(
                address, at, view.position_at, type=view.type, lat=view.lat, lon=view.lon,
                rssi=UNSET if rssi != rssi else round(rssi, 1),
            )  # fmt: skip
        return views

    def feeders_that_hear(self, address: str) -> list[tuple[str, float | None, float]]:
        """The receivers, signals (dBFS) and times (unix s) of the feeders that heard an aircraft within a minute."""
        hearers = self._feeders.hearers(address) if self._feeders is not None else ()
        return [(feeder_receiver(hearer.feeder_id), hearer.rssi, hearer.last_at) for hearer in hearers]

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
        ``voice`` says whose the receiver is, ours unless given; a stranger's word alone proves no aircraft.
        """
        now = self._follow_clock()
        views = self._views[receiver]
        views.speak_for(voice or OURS)
        self.messages += messages
        if is_counted and not proven:
            self.counts[receiver].add(messages, positions, now)
        if proven:
            self.origins.setdefault(receiver, ELSEWHERE << ORIGIN_SHIFT)
        if views.voice.is_alone:
            reports = self.corroboration.filter(receiver, views.voice, reports, now)
            clear_airframes(reports)
        if not reports:
            return
        addresses = _addresses(reports)
        if not self.admission.holds(addresses):
            if isinstance(reports, ReportColumns) and not (reports.is_made or proven):
                reports = self.admission.filter_columns(views, reports, self._views.in_order, now)
            else:
                reports = self.admission.filter(views, reports, self._views.in_order, now, proven)
            addresses = _addresses(reports)
        if not views.voice.is_alone:
            # What is taken for noise confirms nobody.
            self.corroboration.confirm(addresses, now)
        views.put(reports, addresses)
        if self._airframes is not None:
            self._airframes.want(addresses)

    def reports_of(self, receiver: str) -> Mapping[str, Report]:
        """What a receiver said of each aircraft; for the thread of ticks."""
        views = self._views.get(receiver)
        return views.views if views is not None else {}

    def report_of(self, receiver: str, address: str) -> Report | None:
        """What a receiver said of an aircraft; for any thread."""
        views = self._views.get(receiver)
        return views.get(address) if views is not None else None

    def count(self, receiver: str, messages: int, positions: int, duplicates: int = 0) -> None:
        """Count what a receiver brought, for its quality, where its reports are not its own."""
        self.counts[receiver].add(messages, positions, self._follow_clock(), duplicates)

    def forget(self, receiver: str) -> None:
        """Drop what a receiver said and counted: aircraft that no other one hears leave with the next tick."""
        views = self._views.get(receiver)
        if views is not None:
            views.clear()
            self._rows.forget(views.index)
        self.counts.forget(receiver)

    def tick(self) -> Sky:
        """The present picture."""
        now = self._follow_clock()
        for views in self._views:
            views.forget(now - self.timeout_s)
        self.admission.follow(self._views.in_order, now - self.timeout_s)
        receivers, rows = self._views.names, self._rows
        gathered = gather(self._views.in_order, rows.index, now, self._fields, receivers)
        hexes = gathered.hexes
        previous_row, left = rows.follow(hexes, gathered.index, now)
        rows.separate(not all(offer.voice.is_ours for offer in gathered.offers))
        self._restored.recall(hexes, previous_row, rows, self._views.get, now)
        self._accept_positions(gathered, now)
        for address in self.validator.undecided | self.validator.contradicted_ours:
            gathered.disputed.setdefault(rows.index[address], []).insert(0, "position")
        is_single = self.corroboration.single(hexes)
        shown = tuple(map(shown_receiver, receivers))
        sky = self._assembly.sky(
            now, self.messages, gathered, rows.positions, rows.first_seen, previous_row, left, shown, is_single,
            self._origins_by_index(),
        )  # fmt: skip
        is_complete = self._completion.tick(self._clock.monotonic())
        refused = tuple(self._with_doubt(each, gathered) for each in self.validator.refused)
        disputed = tuple(self._with_doubt(each, gathered) for each in self.validator.disputed)
        doubt = self._doubt(gathered, is_single)
        if refused or disputed or not is_complete or doubt is not None:
            sky = dataclasses.replace(sky, is_complete=is_complete, refused=refused, disputed=disputed, doubt=doubt)
        self.trails.add(sky)
        return sky

    def _origins_by_index(self) -> Array:
        """Where each receiver hears aircraft u1[receivers], as bits of ``own_antenna``."""
        names, is_ours = self._views.names, self._views.is_ours
        origins = np.zeros(len(names), "u1")
        for index, name in enumerate(names):
            if not is_ours[index]:
                origins[index] = STRANGERS << ORIGIN_SHIFT
            elif shown_receiver(name) != name or name == FEEDERS:
                origins[index] = HEARD_BY_OURS << ORIGIN_SHIFT
            else:
                origins[index] = self.origins.get(name, 0)
        return origins

    def _doubt(self, gathered: Gathered, is_single: list[bool] | None) -> Array | None:
        """The bits of what nobody vouches for, but of aircraft that have a mark as a whole; see ``Sky.doubt``."""
        doubt = gathered.doubt
        if doubt is None or gathered.is_ours is None:
            return None
        is_said_by_ours = self._views.is_ours[self._rows.positions.receiver]
        doubt[gathered.is_ours & is_said_by_ours] &= ~np.uint16(POSITION)
        doubt[gathered.is_ours & ~is_said_by_ours] |= POSITION | OURS_TOO
        doubt[~gathered.is_ours] |= ONLY_STRANGERS
        if is_single is not None:
            doubt[is_single] = 0
        return doubt if (doubt & (ALL | ONLY_STRANGERS)).any() else None

    def _with_doubt(self, claim: Claimed, gathered: Gathered) -> Claimed:
        """A refused position, in doubt if strangers claim it whom nobody confirms, or of an aircraft that ours hear."""
        voice = self._views[claim.receiver].voice
        if claim.in_doubt or voice.is_ours:
            return claim
        is_ours_too = gathered.is_ours is not None and bool(gathered.is_ours[gathered.index[claim.hex]])
        if not (voice.is_alone or is_ours_too):
            return claim
        return dataclasses.replace(claim, in_doubt=True)

    def _accept_positions(self, gathered: Gathered, now: float) -> None:
        """Accept the positions of ours as if there were nobody else, then those of strangers where ours have none."""
        rows = self._rows
        ours = [offer for offer in gathered.offers if offer.voice.is_ours]
        strangers = [offer for offer in gathered.offers if not offer.voice.is_ours]
        believed = [rows.positions, rows.ours] if strangers else [rows.positions]
        self.validator.begin(believed, self._views.names, now)
        self._accept(ours, rows.ours, gathered, now)
        if strangers:
            held = rows.hold(self.validator.undecided, self._views.is_ours, now)
            self._accept(strangers, rows.positions, gathered, now, held)

    def _accept(
        self, offers: list[Offer], believed: Positions, gathered: Gathered, now: float, held: Array | None = None
    ) -> None:
        """Accept positions of ours, or of strangers except in the rows of the mask ``held``."""
        offers = self.validator.review(offers, self._views.names, believed, gathered.hexes, now, held)
        offered = choose(offers, len(gathered.hexes), now, gathered.contested)
        is_accepted = acceptable(believed, offered, now)
        accepted = np.flatnonzero(is_accepted if held is None else is_accepted & ~held)
        believed.set(accepted, offered, accepted)

    def take_reported_military(self) -> set[str]:
        """Return the aircraft that receivers have reported as military (``dbFlags``) since the last call."""
        return self._assembly.take_reported_military()

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
            if receiver.are_snapshots:
                snapshots, grown = pack(receiver.by_field()), pack(())
            else:
                views = list(receiver.views.values())
                snapshots = pack([view for view in views if type(view) is not ReceiverView])
                grown = pack([view for view in views if type(view) is ReceiverView])
            is_simulated = self.is_simulated(receiver.name)
            books.append(SavedBook(receiver.name, snapshots, grown, receiver.voice, is_simulated))
        positions = self._rows.saved_positions(self._views.names)
        return SavedPicture(FORM, self._clock.now(), self._rows.first_sights(), positions, books)

    def restore(self, saved: SavedPicture) -> set[str]:
        """Take over what was saved, before the first tick; the aircraft that are still within the timeout.

        Those of a simulator that was switched off meanwhile are gone.
        """
        now = self._clock.now()
        alive_after = now - self.timeout_s
        for book in saved.books:
            if book.simulated and not self.is_simulated(book.receiver):
                continue
            views = (*unpack(book.snapshots), *unpack(book.views))
            receiver = self._views[book.receiver]
            receiver.restore(view for view in views if view.at > alive_after)
            receiver.speak_for(book.whose())
            self.corroboration.restore(receiver.name, receiver.voice, receiver.views, now)
        self.corroboration.confirm(saved.confirmed, now)
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

    def begin(self, term: str) -> None:
        """Begin an epoch as a tracker that leads; ``term`` is its token's (``core.database.fencing``).

        Followers take no epoch of an earlier term after it. Aircraft, first sights and positions stay.
        """
        self._term = term
        sights, positions = self._rows.first_sights(), self._rows.saved_positions(self._views.names)
        if sights:
            self._restored.put(sights, positions, self._clock.now() + self.timeout_s)
        self._begin_epoch()

    def _begin_epoch(self) -> None:
        self.epoch = self._new_epoch()
        self._assembly = Assembly(
            self.epoch, self.shown_station, self._airframes, self.station, self._routes, self._visits
        )
        self._rows.clear()

    def _new_epoch(self) -> str:
        return f"{self._term}-{secrets.token_hex(8)}" if self._term else secrets.token_hex(8)

    def recover(self) -> None:
        """Start over after a tick that failed half-way: what was said is dropped, first sights are kept.

        The epoch changes, so that everybody takes the next sky as a whole.
        """
        self._restored.put(self._rows.first_sights(), {}, self._clock.now() + self.timeout_s)
        self._completion.begin()
        self._views.clear()
        self._begin_epoch()

    def _follow_clock(self) -> float:
        """The present time; when the clock has been set, first move everything known along."""
        now, step = self._clock.read()
        if step:
            for fields in self._fields.values():
                fields.shift(step)
            for part in (
                self._views,
                self._rows,
                self.admission,
                self.validator,
                self.trails,
                self.counts,
                self.corroboration,
            ):
                part.shift(step)
        return now


def _addresses(reports: Sequence[Report]) -> list[str]:
    return reports.hexes if isinstance(reports, ReportColumns) else list(map(_address, reports))


class RestoredAircraft:
    """What aircraft were before a restart or a failed tick, given back to those that are heard again in time.

    First sight and accepted position by address, until nobody may come back to them any more.
    """

    def __init__(self) -> None:
        self._aircraft: dict[str, tuple[float, SavedPosition | None]] = {}
        self._until = 0.0

    def put(self, first_seen: Mapping[str, float], positions: Mapping[str, SavedPosition], until: float) -> None:
        """Add aircraft that may come back until then (unix s)."""
        self._aircraft |= {address: (at, positions.get(address)) for address, at in first_seen.items()}
        self._until = until

    def recall(
        self,
        hexes: list[str],
        previous_row: Array,
        rows: PictureRows,
        receiver_of: Callable[[str], ReceiverViews | None],
        now: float,
    ) -> None:
        """Give aircraft that are new in this tick back their first sight and position, once."""
        if now > self._until:
            self._aircraft = {}
        if not self._aircraft:
            return
        for row in np.flatnonzero(previous_row < 0).tolist():
            first_seen, position = self._aircraft.pop(hexes[row], (None, None))
            if first_seen is not None:
                rows.first_seen[row] = first_seen
            if position is not None and (receiver := receiver_of(position.receiver)) is not None:
                rows.restore(row, position, receiver.index, receiver.voice)
