"""Traffic drawn at real runways: what flew, and what of it was received."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from skywatch.airports.lines import Lines, lines
from skywatch.airports.movements import Nature
from skywatch.airports.pressure import Track, correction_of
from skywatch.core import geo

BEGIN = 1_795_000_000.0
# The rules were made at these, and never tried at the others before they were as they are.
KNOWN = ("LSZH", "EGLL", "EDDF", "KSFO", "LFPG")
UNSEEN = ("KJFK", "EHAM", "KLAX", "YSSY", "KBOS")
FEET_PER_NM = 6076.1


@dataclass(frozen=True)
class Truth:
    """What a flight did: kind of movement (None: none), airport, runway and when."""

    kind: str | None
    airport: str
    runway: str | None
    at: float
    is_covered: bool = True


@dataclass(frozen=True)
class Flight:
    """A drawn flight and what was received of it."""

    truths: tuple[Truth, ...]
    track: Track
    nature: Nature
    what: str


class Field:
    """An airport to draw at, with a pressure."""

    def __init__(self, ident: str, qnh: float, generator: np.random.Generator) -> None:
        self.lines: Lines = lines()
        self.ident, self.qnh, self.rng = ident, qnh, generator
        number = self.lines.airports.number_of(ident)
        assert number is not None
        self.number = number
        self.rows = np.flatnonzero(self.lines.airport == number)
        self.undulation_ft = float(generator.uniform(-150, 200))

    def points(self, row: int, along: Any, across: Any) -> tuple[Any, Any]:
        """Places along a line (nm from the threshold, nm to the right)."""
        heading = float(self.lines.heading[row])
        lat, lon = geo.destination(self.lines.lat[row], self.lines.lon[row], heading, along)
        return geo.destination(lat, lon, heading + 90.0, across)


def fly(field: Field, kind: str, row: int, *, ground: str, gap_s: float, knows: str, floor_ft: float = 0.0) -> Flight:
    """Draw one flight: ``kind`` of movement at a runway.

    ``ground``: ``flag`` sends the ground at once, ``late`` when it is slow, ``none`` is not received on the ground,
    ``lost`` not below ``floor_ft``. ``knows`` is ``qnh``, ``geom``, ``both`` or ``nothing``.
    """
    rng, lines_ = field.rng, field.lines
    length = float(lines_.length_nm[row])
    elevation = float(lines_.elevation_ft[row])
    speed = float(rng.uniform(70, 150))
    is_large = speed > 105 and float(lines_.length_ft[row]) > 5_000
    slope = math.tan(math.radians(3.0)) * FEET_PER_NM
    touch = float(rng.uniform(0.12, 0.30)) if length > 0.8 else 0.08
    low_ft = {"go_around": float(rng.uniform(90, 850))}.get(kind, 0.0)
    along, height, times, speeds, on = [], [], [], [], []
    state, x, h, v, t = "approach", -float(rng.uniform(8, 12)), 0.0, speed, 0.0
    moment, climb = 0.0, float(rng.uniform(900, 2800))
    if kind == "take_off":
        state, x, v = "roll", -float(lines_.displaced_nm[row]) * float(rng.uniform(0, 1)) + 0.03, 3.0
    if kind == "rejected":
        state, x, v = "reject", 0.03, 3.0
    hold_s = float(rng.uniform(3, 22))
    while t < 900:
        if state == "approach":
            h = max((touch - x) * slope, 0.0)
            h = min(h, 3_000.0)
            if kind == "go_around" and h <= low_ft and x > -6:
                state, moment = "climb", t
            elif h <= 0.5:
                state, moment = ("roll" if kind == "touch_and_go" else "stop"), t
        elif state == "stop":
            h, v = 0.0, max(v - 2.6, 12.0)
            if x > length or v <= 12.0:
                break
        elif state == "roll":
            h = 0.0
            if kind == "touch_and_go":
                v = max(v - 1.0, 60.0) if t - moment < hold_s else v + 2.5
            else:
                v += 2.6
            if v >= speed and (kind == "take_off" or t - moment > hold_s):
                moment = t if kind == "take_off" else moment
                state = "climb"
        elif state == "reject":
            v = v + 2.6 if t < 25 else v - 3.0
            if v < 0:
                break
        elif state == "climb":
            h += climb / 60.0
            v = min(v + 0.5, speed + 30)
            if h > 4_500:
                break
        along.append(x), height.append(h), times.append(t), speeds.append(v), on.append(h <= 0.5)
        x += v / 3600.0
        t += 1.0
    along_, height_, t_ = np.array(along), np.array(height), np.array(times)
    gs, ground_ = np.array(speeds), np.array(on)
    # The turn to final, and how well the line is flown.
    join = along_[0] + rng.uniform(1.5, 3.5)
    bend = np.where((along_ < join) & (along_ < -5.0), (join - along_) * rng.choice([-0.6, 0.6]), 0.0)
    wander = 0.006 * np.sin(t_ / rng.uniform(20, 60)) * np.minimum(np.abs(np.minimum(along_, 0)) + 0.2, 3)
    after = np.where((along_ > length) & (height_ > 400), (along_ - length) * rng.choice([-0.3, 0.0, 0.3]), 0.0)
    across = bend + wander + after + rng.normal(0, 0.002)
    lat, lon = field.points(row, along_, across)
    lat, lon = lat + rng.normal(0, 6e-5, len(t_)), lon + rng.normal(0, 9e-5, len(t_))
    course = geo.bearing_deg(lat[:-1], lon[:-1], lat[1:], lon[1:]) if len(t_) > 1 else np.array([0.0])
    heading = float(lines_.heading[row])
    smooth = (heading + np.degrees(np.arctan2(np.gradient(across), np.maximum(np.gradient(along_), 1e-6)))) % 360
    course = smooth + rng.normal(0, 1.0, len(t_))
    msl = elevation + height_
    alt = np.round((msl - correction_of(field.qnh) + rng.normal(0, 8, len(t_))) / 25) * 25
    geom = np.round((msl + field.undulation_ft + rng.normal(0, 12, len(t_))) / 25) * 25
    received_ground = ground_ & (gs < 55 if ground == "late" else True)
    alt = np.where(received_ground, np.nan, alt)
    keep = rng.random(len(t_)) > 0.15
    if ground == "none":
        keep &= ~ground_
    if ground == "lost":
        keep &= height_ >= floor_ft
    if gap_s:
        middle = moment + rng.uniform(-gap_s, 5)
        keep &= ~((t_ >= middle) & (t_ < middle + gap_s))
    # As the monitor samples: every three seconds.
    chosen, last = [], -9.0
    for index in np.flatnonzero(keep).tolist():
        if t_[index] - last >= 2.9:
            chosen.append(index)
            last = t_[index]
    some = np.array(chosen, int)
    blank = np.full(len(some), np.nan)
    track = Track(
        BEGIN + t_[some], lat[some], lon[some], alt[some],
        np.where(received_ground[some], np.nan, geom[some]) if knows in ("geom", "both") else blank,
        np.full(len(some), round(field.qnh / 0.8) * 0.8) if knows in ("qnh", "both") else blank,
        gs[some], course[some] % 360.0, received_ground[some],
    )  # fmt: skip
    name = None if kind == "rejected" else kind
    is_covered = _is_covered(kind, received_ground[some], height_[some], along_[some], length)
    # A longer gap is not bridged.
    is_covered &= kind not in ("go_around", "touch_and_go") or float(np.diff(t_[some]).max()) <= 45.0
    truth = Truth(name, field.ident, lines_.ident[row].decode() if name else None, BEGIN + moment, is_covered)
    return Flight((truth,), track, Nature(False, is_large), f"{kind} {ground} gap={gap_s:.0f} {knows}")


def _is_covered(kind: str, ground: Any, height: Any, along: Any, length: float) -> bool:
    """Whether as much was received as a movement needs: the ground, or the last or first feet on the line."""
    if ground.any() or kind not in ("landing", "take_off"):
        return True
    if kind == "landing":
        return bool(height[-1] < 500 and along[-1] > -1.5)
    return bool(height[0] < 1_000 and along[0] < length + 2)


def pass_by(field: Field, what: str) -> Flight:
    """Draw what is no movement: an overflight, a taxiing aircraft, or a descent beside the line."""
    rng = field.rng
    row = int(rng.choice(field.rows))
    t = np.arange(0, 300, 3.0)
    if what == "taxi":
        lat, lon = field.points(row, np.linspace(0, 0.8, len(t)), np.full(len(t), 0.12))
        alt, ground, gs = np.full(len(t), np.nan), np.ones(len(t), bool), np.full(len(t), 18.0)
        course = np.full(len(t), float(field.lines.heading[row]))
    else:
        angle = float(rng.uniform(0, 360))
        place = geo.destination(field.lines.lat[row], field.lines.lon[row], angle, 6.0)
        lat, lon = geo.destination(*place, angle + 180 + rng.uniform(-10, 10), t * 140 / 3600)
        course = geo.bearing_deg(lat[0], lon[0], lat[-1], lon[-1]) + np.zeros(len(t))
        base = float(field.lines.elevation_ft[row]) - correction_of(field.qnh)
        alt = np.full(len(t), base + rng.uniform(1_500, 3_500)) if what == "over" else base + 3_600 - t * 7
        gs, ground = np.full(len(t), 140.0), np.zeros(len(t), bool)
    blank = np.full(len(t), np.nan)
    qnh = np.full(len(t), field.qnh)
    track = Track(BEGIN + t, lat, lon, np.round(alt / 25) * 25, blank, qnh, gs, course % 360.0, ground)
    return Flight((Truth(None, field.ident, None, BEGIN),), track, Nature(), what)


def helicopter(field: Field, kind: str, ground: bool) -> Flight:
    """Draw a helicopter at the airport's place."""
    rng, airports = field.rng, field.lines.airports
    t = np.arange(0, 240, 3.0)
    way = np.maximum(3.0 - t * 90 / 3600, 0.0)
    angle = float(rng.uniform(0, 360))
    spot = geo.destination(airports.lat[field.number], airports.lon[field.number], angle, rng.uniform(0, 0.4))
    height = np.minimum(way * 500, 1_000.0)
    if kind == "take_off":
        way, height = way[::-1], height[::-1]
    lat, lon = geo.destination(*spot, angle, way)
    elevation = float(airports.elevation_ft[field.number])
    on = height <= 1.0
    alt = np.where(on & ground, np.nan, np.round((elevation + height - correction_of(field.qnh)) / 25) * 25)
    gs = np.where(on, 3.0, 90.0 * np.minimum(way, 1.0) + 5)
    keep = np.ones(len(t), bool) if ground else ~on
    blank = np.full(int(keep.sum()), np.nan)
    course = np.full(len(t), (angle + (180 if kind == "landing" else 0)) % 360)
    moment = float(t[on][0] if kind == "landing" else t[~on][0])
    track = Track(
        BEGIN + t[keep], lat[keep], lon[keep], alt[keep], blank, np.full(int(keep.sum()), field.qnh), gs[keep],
        course[keep], (on & ground)[keep],
    )  # fmt: skip
    truth = Truth(kind, field.ident, None, BEGIN + moment)
    return Flight((truth,), track, Nature(is_helicopter=True), f"helicopter {kind}")


def traffic(ident: str, seed: int, count: int = 60) -> list[Flight]:
    """Draw the traffic of an airport under one pressure."""
    rng = np.random.default_rng([seed, *ident.encode()])
    field = Field(ident, float(rng.uniform(980, 1040)), rng)
    flights = []
    for _ in range(count):
        kind = str(rng.choice(["landing", "take_off", "go_around", "touch_and_go"], p=[0.42, 0.36, 0.12, 0.1]))
        ground = str(rng.choice(["flag", "late", "none"], p=[0.6, 0.15, 0.25]))
        gap_s = float(rng.choice([0.0, 30.0, 38.0], p=[0.6, 0.3, 0.1]))
        knows = str(rng.choice(["both", "qnh", "geom", "nothing"], p=[0.35, 0.2, 0.25, 0.2]))
        flights.append(fly(field, kind, int(rng.choice(field.rows)), ground=ground, gap_s=gap_s, knows=knows))
    for _ in range(count // 10):
        row = int(rng.choice(field.rows))
        floor = float(rng.uniform(80, 420))
        kind = str(rng.choice(["landing", "take_off"]))
        flights.append(fly(field, kind, row, ground="lost", gap_s=0.0, knows="both", floor_ft=floor))
        flights.append(fly(field, "rejected", row, ground="flag", gap_s=0.0, knows="qnh"))
        flights += [pass_by(field, what) for what in ("over", "taxi", "descent")]
        flights.append(helicopter(field, str(rng.choice(["landing", "take_off"])), bool(rng.random() < 0.6)))
    return flights
