"""The part in the tracker: judges the routes of all aircraft once a minute, and of new ones sooner, in its own thread.

A tick leaves it the sky and nothing else. What is shown goes back into the picture (``LiveRoutes``).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.bus import Message
from skywatch.core.clock import utcnow
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.picture.access import PictureAccess
from skywatch.picture.counted import counted_rows, counts_simulated
from skywatch.picture.state.routes import NOWHERE, Ends, LiveRoutes
from skywatch.picture.state.sky import Sky
from skywatch.routes.candidates import NOTHING, Known, Leg, airport_of, read
from skywatch.routes.judgement import Judgement, publish
from skywatch.routes.models import FlownRoute, TableImport
from skywatch.routes.plausibility import Flown, Moment, contradiction, fitting
from skywatch.routes.table import CHANGED, TOPIC

COMPONENT = "routes"
# How often every aircraft is judged, and how often those are that were not judged under their callsign (s).
JUDGE_EVERY_S, LOOK_EVERY_S = 60.0, 10.0
# Positions at the beginning of a flight that may show a climb.
FIRST_POINTS = 20
# What was read of callsigns is read again after this, for flights that are too old by then (s).
READ_AGAIN_S = 3600.0
# Callsigns that are remembered without an aircraft in the sky; beyond it all are read again.
SPARE_CALLSIGNS = 5_000


class Legs(NamedTuple):
    """The legs that may be shown of a callsign: of its civil aircraft, and of military ones."""

    civil: tuple[Leg, ...] = ()
    military: tuple[Leg, ...] = ()


UNKNOWN = Legs()


class RouteMonitor:
    """Follows the sky; ``judge`` is called in its thread."""

    name = "routes"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._live = runtime.shared(LiveRoutes)
        self._sky: Sky | None = None
        # By callsign; equal legs are one object.
        self._legs: dict[str, Legs] = {}
        self._equal: dict[Leg, Leg] = {}
        self._revision: tuple[datetime | None, datetime | None, bool] = (None, None, True)
        self._flown: dict[str, Flown] = {}
        self._refused: dict[str, list[tuple[str, str, str]]] = {}
        self._judged_at, self._read_at = -JUDGE_EVERY_S, 0.0
        self._task = PeriodicTask(COMPONENT, LOOK_EVERY_S, self._look)
        self._subscription = runtime.bus.subscribe((TOPIC,), self._on_message)

    def start(self) -> None:
        """Start the thread."""
        self._task.start()

    def on_tick(self, sky: Sky) -> None:
        """Leave the sky for the thread."""
        self._sky = sky

    def close(self) -> None:
        """Stop the thread."""
        self._subscription.close()
        self._task.close()

    def _on_message(self, message: Message) -> None:
        if message.event == CHANGED:
            self._judged_at = -JUDGE_EVERY_S
            self._task.run_soon()

    def _look(self) -> None:
        if self._sky is not None:
            self.judge(self._sky, time.monotonic())

    def judge(self, sky: Sky, monotonic: float) -> None:
        """Judge every aircraft of a sky where that is due, else those that were not judged under their callsign."""
        is_due = monotonic - self._judged_at >= JUDGE_EVERY_S
        callsigns = [text.decode("ascii", "replace") for text in sky.column("flight").tolist()]
        if is_due:
            self._judged_at = monotonic
            if monotonic - self._read_at >= READ_AGAIN_S:
                self._read_at = monotonic
                self._forget_legs()
            self._forget(sky, callsigns)
        # Whether simulated aircraft count, as it was at the last look at all.
        counts = counted_rows(sky, simulated=self._revision[2])
        rows = [
            row
            for row, is_counted in enumerate(counts.tolist())
            if is_counted and callsigns[row] and (is_due or self._is_new(sky.hexes[row], callsigns[row]))
        ]
        if not rows and not is_due:
            return
        self._read({callsigns[row] for row in rows})
        shown = self._shown(sky, rows, callsigns)
        for row in np.flatnonzero(~counts & (sky.column("origin") != b"")).tolist():
            # A simulated aircraft that does not count any more.
            self._refused.pop(sky.hexes[row], None)
            shown[row] = None
        self._change(sky, shown, callsigns)
        publish(self._runtime.bus, Judgement(sky.now, dict(self._refused)))

    def _is_new(self, address: str, callsign: str) -> bool:
        flown = self._flown.get(address)
        return flown is None or flown.callsign != callsign

    def _forget(self, sky: Sky, callsigns: Sequence[str]) -> None:
        """Forget aircraft that are gone, and all that was read of callsigns where that has changed."""
        self._flown = {address: flown for address, flown in self._flown.items() if address in sky.index}
        self._refused = {address: legs for address, legs in self._refused.items() if address in sky.index}
        with self._runtime.sessions() as session:
            revision = (
                session.scalar(sa.select(sa.func.max(TableImport.imported_at))),
                session.scalar(sa.select(sa.func.max(FlownRoute.learnt_at))),
                counts_simulated(session),
            )
            if (revision[0], revision[2]) != (self._revision[0], self._revision[2]):
                self._forget_legs()
            elif revision[1] is not None and revision[1] != self._revision[1]:
                learnt = sa.select(FlownRoute.callsign).distinct()
                if self._revision[1] is not None:
                    learnt = learnt.where(FlownRoute.learnt_at > self._revision[1])
                for callsign in session.scalars(learnt):
                    self._legs.pop(callsign, None)
        self._revision = revision
        if len(self._legs) > len(callsigns) + SPARE_CALLSIGNS:
            self._forget_legs()

    def _forget_legs(self) -> None:
        self._legs, self._equal = {}, {}

    def _read(self, callsigns: set[str]) -> None:
        missing = callsigns - self._legs.keys()
        if not missing:
            return
        with self._runtime.sessions() as session:
            known = read(session, missing, utcnow())
        for callsign in missing:
            self._legs[callsign] = self._legs_of(known[callsign]) if callsign in known else UNKNOWN

    def _legs_of(self, known: Known) -> Legs:
        civil, military = (
            tuple(self._equal.setdefault(leg, leg) for leg in legs_of(known, military=has)) for has in (False, True)
        )
        return Legs(civil, civil if military == civil else military)

    def _shown(self, sky: Sky, rows: Iterable[int], callsigns: Sequence[str]) -> dict[int, Leg | None]:
        """The leg that is shown, by row of those that were judged."""
        shown: dict[int, Leg | None] = {}
        military = sky.column("military")
        for row in rows:
            address, callsign = sky.hexes[row], callsigns[row]
            flown = self._flown.get(address)
            is_new = flown is None or flown.callsign != callsign
            if flown is None or is_new:
                flown = self._flown[address] = Flown(callsign)
            self._refused.pop(address, None)
            shown[row] = None
            known = self._legs.get(callsign, UNKNOWN)
            legs = known.military if military[row] else known.civil
            if not legs:
                continue
            moment = moment_of(sky, row)
            if is_new:
                flown.begin(self._beginning(address))
            flown.follow(moment, legs)
            reasons = {leg: reason for leg in legs if (reason := contradiction(leg, moment, flown)) is not None}
            if reasons:
                self._refused[address] = [(*leg, reason) for leg, reason in reasons.items()]
            shown[row] = fitting([leg for leg in legs if leg not in reasons], moment, flown)
        return shown

    def _beginning(self, address: str) -> list[Moment]:
        picture = self._runtime.shared(PictureAccess).picture
        if picture is None:
            return []
        points = picture.trails.beginning(address, FIRST_POINTS)
        return [Moment(point.at, point.lat, point.lon, point.altitude_ft, point.on_ground) for point in points]

    def _change(self, sky: Sky, shown: dict[int, Leg | None], callsigns: Sequence[str]) -> None:
        """Bring what is shown into the picture, where it has something else."""
        origins, destinations = sky.column("origin"), sky.column("destination")
        changes = {}
        for row, leg in shown.items():
            ends = ends_of(leg) if leg is not None else NOWHERE
            if origins[row] != ends.origin or destinations[row] != ends.destination:
                changes[sky.hexes[row]] = (bytes(sky.column("flight")[row]), ends)
        if changes:
            self._live.change(changes)


def legs_of(known: Known, *, military: bool) -> list[Leg]:
    """The legs that may be shown of a callsign."""
    candidates = known.candidates(military=military)
    return list(dict.fromkeys(leg for entry in candidates if entry.refused is None for leg in entry.legs))


def moment_of(sky: Sky, row: int) -> Moment:
    """Where an aircraft of a sky is."""

    def number(*names: str) -> float | None:
        values = (float(sky.column(name)[row]) for name in names)
        return next((value for value in values if not np.isnan(value)), None)

    return Moment(
        sky.now,
        number("lat"),
        number("lon"),
        number("alt_baro_ft", "alt_geom_ft"),
        bool(sky.column("on_ground")[row]),
        number("baro_rate_fpm", "geom_rate_fpm"),
        number("track_deg"),
    )


def ends_of(leg: Leg) -> Ends:
    """A leg as the columns of the picture have it."""
    origin, destination = (airport_of(code) for code in leg)
    return Ends(
        leg[0].encode(), leg[1].encode(), (origin.iata or leg[0]).encode(), (destination.iata or leg[1]).encode()
    )


def complete(session: Session, sky: Sky) -> None:
    """Fill the columns of routes of aircraft that somebody describes, by callsign and position alone."""
    callsigns = [text.decode("ascii", "replace").upper() for text in sky.column("flight").tolist()]
    known = read(session, filter(None, callsigns))
    military = sky.column("military")
    for row, callsign in enumerate(callsigns):
        legs = legs_of(known.get(callsign, NOTHING), military=bool(military[row]))
        moment, flown = moment_of(sky, row), Flown()
        leg = fitting([leg for leg in legs if contradiction(leg, moment, flown) is None], moment, flown)
        if leg is not None:
            for name, code in ends_of(leg)._asdict().items():
                sky.columns[name][row] = code


def create(runtime: Runtime) -> RouteMonitor:
    """The monitor of this feature."""
    return RouteMonitor(runtime)
