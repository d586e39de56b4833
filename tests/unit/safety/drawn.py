"""Drawn traffic: aircraft on given tracks, heard with noise and gaps, as the skies that the tracker makes of them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skywatch.core import geo
from skywatch.picture.picture import Picture
from skywatch.picture.state.sky import Sky
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.reports.report import Report
from skywatch.safety.detection.detectors import Detectors
from skywatch.safety.detection.learnt_places import Learner
from skywatch.safety.events.tracker import EventTracker, LiveEvent
from skywatch.safety.thresholds.thresholds import Thresholds

START = 1_800_000_000.0
METRE_NM = 1 / 1852


@dataclass(eq=False)
class Drawn:
    """An aircraft: where it is (nm east and north of the centre, feet) as a function of seconds; what it sends."""

    hex: str
    path: Callable[[float], tuple[float, float, float]]
    every_s: float = 1.0
    noise_m: float = 0.0
    fields: dict[str, Any] = field(default_factory=dict)
    # Fields that change with time, over ``fields``.
    changing: Callable[[float], dict[str, Any]] = lambda t: {}
    phase_s: float = 0.0
    # Where the path's origin is (degrees), if not at the centre of the sky.
    centre: tuple[float, float] | None = None
    receiver: str = "drawn"
    # Encoders have steps of 25 or 100 ft.
    step_ft: float = 25.0
    # How late the receiver's clock is (s).
    late_s: float = 0.0
    # Whether anything of it is received at a second.
    heard: Callable[[float], bool] = lambda t: True


@dataclass
class DrawnClock:
    """A clock that tests move."""

    now: float = START

    def __call__(self) -> float:
        return self.now


def straight(
    x: float, y: float, altitude_ft: float, speed_kt: float, track_deg: float, rate_fpm: float = 0.0
) -> Callable[[float], tuple[float, float, float]]:
    """From a point (nm) on, straight ahead."""
    east, north = speed_kt * math.sin(math.radians(track_deg)), speed_kt * math.cos(math.radians(track_deg))
    return lambda t: (x + east * t / 3600, y + north * t / 3600, altitude_ft + rate_fpm * t / 60)


def skies(
    aircraft: Sequence[Drawn],
    seconds: int,
    lat: float = 47.0,
    lon: float = 8.0,
    seed: int = 1,
    began: float = START,
    voices: Mapping[str, Voice] | None = None,
) -> Iterator[Sky]:
    """A sky a second for so long; velocities are those of the path, positions scatter by ``noise_m``.

    Receivers are ours, except those of the strangers among ``voices``.
    """
    random_ = random.Random(seed)
    clock = DrawnClock(began)
    picture = Picture(None, clock=clock, monotonic=clock)
    due = [drawn.phase_s for drawn in aircraft]
    for second in range(seconds + 1):
        clock.now = began + second
        reports: dict[str, list[Report]] = {}
        for number, drawn in enumerate(aircraft):
            if second >= due[number]:
                due[number] += drawn.every_s
                if not drawn.heard(second):
                    continue
                reports.setdefault(drawn.receiver, []).append(report(drawn, second, clock.now, lat, lon, random_))
        for receiver, of_receiver in reports.items():
            picture.put(receiver, of_receiver, len(of_receiver), voice=(voices or {}).get(receiver))
        yield picture.tick()


def report(drawn: Drawn, t: float, at: float, lat: float, lon: float, random_: random.Random) -> Report:
    """What is received of an aircraft at second ``t``, which is ``at`` by the clock."""
    t -= drawn.late_s
    x, y, altitude = drawn.path(t)
    ahead_x, ahead_y, ahead_altitude = drawn.path(t + 1.0)
    east, north = (ahead_x - x) * 3600, (ahead_y - y) * 3600
    x += random_.gauss(0, drawn.noise_m) * METRE_NM
    y += random_.gauss(0, drawn.noise_m) * METRE_NM
    lat, lon = _destination(*(drawn.centre or (lat, lon)), math.atan2(x, y), math.hypot(x, y))
    values: dict[str, Any] = {
        "type": "adsb_icao",
        "alt_baro": round(round(altitude / drawn.step_ft) * drawn.step_ft),
        "gs": round(math.hypot(east, north), 1),
        "track": round(math.degrees(math.atan2(east, north)) % 360, 1),
        "baro_rate": round((ahead_altitude - altitude) * 60 / 64) * 64,
        "lat": round(lat, 5),
        "lon": round(lon, 5),
        "nic": 8,
        "version": 2,
        "nac_p": 9,
        **drawn.fields,
        **drawn.changing(t),
    }
    values = {name: value for name, value in values.items() if value is not None}
    return Report(drawn.hex, at=at, position_at=at if "lat" in values else 0.0, **values)


def _destination(lat: float, lon: float, bearing: float, distance_nm: float) -> tuple[float, float]:
    """``geo.destination`` for one point, without the cost of arrays; the bearing in radians."""
    phi, delta = math.radians(lat), distance_nm / geo.EARTH_RADIUS_NM
    sin_lat = math.sin(phi) * math.cos(delta) + math.cos(phi) * math.sin(delta) * math.cos(bearing)
    y, x = math.sin(bearing) * math.sin(delta) * math.cos(phi), math.cos(delta) - math.sin(phi) * sin_lat
    lon = math.degrees(math.radians(lon) + math.atan2(y, x))
    return math.degrees(math.asin(max(-1.0, min(1.0, sin_lat)))), (lon + 180.0) % 360.0 - 180.0


def found(
    skies_: Iterator[Sky],
    thresholds: Thresholds | None = None,
    learner: Learner | None = None,
    on_raise: Callable[[LiveEvent, float], object] = lambda live, now: None,
) -> list[LiveEvent]:
    """The events of some skies in the order in which they began, those that are active at the end too.

    ``on_raise`` is called when one is raised, which may be later than it began.
    """
    thresholds = thresholds or Thresholds()
    detectors, book = Detectors(learner), EventTracker()
    events: list[LiveEvent] = []
    for sky in skies_:
        for change in book.update(detectors.update(sky, thresholds), sky.now, thresholds):
            if change.step == "began":
                events.append(change.live)
            if change.first_raised:
                on_raise(change.live, sky.now)
    return events


def of_type(events: list[LiveEvent], kind: str) -> list[LiveEvent]:
    """The events of one type that were raised, not only held back."""
    return [event for event in events if event.finding.type == kind and event.raised]
