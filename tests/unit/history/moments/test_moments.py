"""The sky of the past against a plain reading of the same points, record by record and byte for byte."""

from datetime import UTC, datetime, timedelta

import msgspec
import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.airframes.military import MilitaryAircraft
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.history import tracks
from skywatch.history.flights.service import Labels
from skywatch.history.moments import interpolation, service
from skywatch.history.storage import reader
from skywatch.history.storage.points import GAP, GROUND, MILITARY, NO_ALTITUDE, NON_ICAO, POINT, UNKNOWN
from skywatch.security.visibility import EVERYTHING, Visibility
from tests.unit.history.stored import row, store

T = 1_750_000_200
EVERYBODY, NOBODY = Labels(EVERYTHING), Labels(Visibility())


class Past(msgspec.Struct, omit_defaults=True):
    hex: str
    flight: str | None
    t: str | None
    lat: float
    lon: float
    alt_baro: int | str | None
    gs: int | None
    track: int | None
    seen_pos: float
    on_ground: bool
    military: bool
    flight_id: int
    r: str | None = None


class Moment(msgspec.Struct):
    now: float
    aircraft: list[Past]
    count: int


class Shown(msgspec.Struct):
    at: str
    lat: float
    lon: float
    altitude_ft: int | None
    speed_kt: int | None
    track_deg: int | None
    on_ground: bool
    gap: bool


@pytest.fixture
def sessions(sqlite_url):
    engine = create_engine(sqlite_url)
    yield create_session_factory(engine)
    engine.dispose()


def wild(seed):
    """Points of forty aircraft over twenty-five minutes with everything that points can be, and their flights."""
    rng = np.random.default_rng(seed)
    parts, rows = [], []
    for number in range(40):
        address = number + 1 + (NON_ICAO if number % 7 == 3 else 0)
        for flight in (number + 1, number + 101)[: 1 + (number % 5 == 0)]:
            count = int(rng.integers(1, 60))
            points = np.zeros(count, POINT)
            points["aircraft"], points["flight"] = address | (MILITARY if number % 11 == 5 else 0), flight
            begin = T + int(rng.integers(0, 600)) + (600 if flight > 100 else 0)
            points["at"] = begin * 100 + np.cumsum(rng.choice([1, 25, 100, 700, 1900, 6100, 12000], count))
            points["lat"] = rng.integers(-30, 30) + np.cumsum(rng.integers(-9, 12, count))
            points["lon"] = rng.choice([-17_999_990, -100_000, 0, 99_995, 17_999_000]) + rng.integers(-9, 9, count)
            points["alt"] = rng.choice([-250, 0, 7200, 2_000_000]) + rng.integers(-9, 9, count)
            points["gs"] = rng.choice([UNKNOWN, 0, 9, 480, 32767], count)
            points["track"] = rng.choice([UNKNOWN, 0, 7, 359], count)
            points["flags"] = rng.choice([0, 0, 0, 0, GAP, GROUND | NO_ALTITUDE, NO_ALTITUDE], count)
            parts.append(points)
            names = {"callsign": [None, f"SWR{flight}", 'A"\\<é'][number % 3]}
            named = {
                **names,
                "aircraft_type": [None, "A320"][number % 2],
                "registration": [None, "HB-JJA"][number % 4 > 1],
            }
            if number % 9 != 8:
                rows.append(row(flight, f"{number + 1:06X}", **named))
    return np.concatenate(parts), rows


def by_track(points):
    """The points of each aircraft and flight as dictionaries, in order."""
    found = {}
    for values in points.tolist():
        point = dict(zip(POINT.names, values, strict=True))
        found.setdefault((point["aircraft"], point["flight"]), []).append(point)
    return dict(sorted(found.items()))


def plainly(by_flight, rows, labels, now_ms):
    """The moment as the manual describes it, one point after the other."""
    rows = {row["id"]: row for row in rows}
    found = {}
    for (aircraft, flight), mine in by_flight.items():
        label = rows.get(flight, {})
        hexed = f"{'~' if aircraft & NON_ICAO else ''}{aircraft & 0xFFFFFF:06x}"
        is_military = MilitaryAircraft().includes(hexed, was_marked=aircraft & MILITARY > 0)
        hidden = is_military and not labels.visibility.military
        before = [p for p in mine if p["at"] * 10 <= now_ms]
        if hidden or not before:
            continue
        left, after = before[-1], mine[len(before) :][:1]
        age_ms, share, nearer, right = now_ms - left["at"] * 10, 0.0, left, left
        kind = GROUND | NO_ALTITUDE
        if after and not after[0]["flags"] & GAP and (after[0]["flags"] ^ left["flags"]) & kind == 0:
            right = after[0]
            share, age_ms = age_ms / (10 * (right["at"] - left["at"])), 0
            nearer = right if share >= 0.5 else left
        if age_ms > 60_000:
            continue
        lat, lon, alt = (left[name] + (right[name] - left[name]) * share for name in ("lat", "lon", "alt"))
        feet = None if left["flags"] & NO_ALTITUDE else round(alt / 5) * 25
        past = Past(
            hex=hexed,
            flight=label.get("callsign"),
            t=label.get("aircraft_type"),
            lat=round(lat) / 100_000,
            lon=round(lon) / 100_000,
            alt_baro="ground" if left["flags"] & GROUND else feet,
            gs=None if nearer["gs"] == UNKNOWN else nearer["gs"],
            track=None if nearer["track"] == UNKNOWN else nearer["track"],
            seen_pos=round(age_ms / 100) / 10,
            on_ground=bool(left["flags"] & GROUND),
            military=is_military,
            flight_id=flight,
            r=label.get("registration") if labels.visibility.details else None,
        )
        other = found.get(past.hex)
        if other is None or other[0] < left["at"]:
            found.pop(past.hex, None)
            found[past.hex] = (left["at"], (aircraft, flight), past)
    shown = [past for _, _, past in sorted(found.values(), key=lambda entry: entry[1])]
    return msgspec.json.encode(Moment(now_ms / 1000, shown, len(shown)))


@pytest.mark.parametrize("labels", [EVERYBODY, NOBODY], ids=["everything", "nothing special"])
@pytest.mark.parametrize(("seed", "step_s", "cells"), [(1, 10.0, 8192), (2, 7.3, 90), (3, 31.007, 1)])
def test_a_replay_is_byte_for_byte_what_the_points_say(sessions, monkeypatch, seed, step_s, cells, labels):
    monkeypatch.setattr(interpolation, "CELLS", cells)
    points, rows = wild(seed)
    by_flight = by_track(store(sessions, points, rows))
    begin, end = T - 30.0, T + 1500.0
    with sessions() as session:
        got = list(service.replay(session, begin, end, step_s, labels))
        wanted = [
            plainly(by_flight, rows, labels, round((begin + step_s * number) * 1000))
            for number in range(int((end - begin) / step_s) + 1)
        ]
        assert got == wanted
        assert service.picture(session, T + 700.25, labels) == plainly(by_flight, rows, labels, (T + 700) * 1000 + 250)
    assert any(msgspec.json.decode(line)["count"] > 10 for line in got)


def test_an_aircraft_is_shown_once_when_its_next_flight_begins(sessions):
    points = np.zeros(4, POINT)
    points["aircraft"], points["flight"] = 0x4B1620, [1, 1, 2, 2]
    points["at"] = [T * 100, (T + 60) * 100, (T + 61) * 100, (T + 121) * 100]
    points["lat"] = [0, 1000, 1100, 2100]
    store(sessions, points, [row(1, "4B1620"), row(2, "4B1620")])
    with sessions() as session:
        lines = [msgspec.json.decode(line) for line in service.replay(session, T, T + 90, 30, EVERYBODY)]
    assert [[a["flight_id"] for a in line["aircraft"]] for line in lines] == [[1], [1], [1], [2]]


@pytest.mark.parametrize("seed", [4, 5])
def test_a_track_is_byte_for_byte_what_the_points_say(seed):
    points = wild(seed)[0]
    shown = [
        Shown(
            at=instant(int(p["at"])),
            lat=int(p["lat"]) / 100_000,
            lon=int(p["lon"]) / 100_000,
            altitude_ft=None if p["flags"] & NO_ALTITUDE else int(p["alt"]) * 5,
            speed_kt=None if p["gs"] == UNKNOWN else int(p["gs"]),
            track_deg=None if p["track"] == UNKNOWN else int(p["track"]),
            on_ground=bool(p["flags"] & GROUND),
            gap=bool(p["flags"] & GAP),
        )
        for p in points
    ]
    assert bytes(tracks.points_answer(points)) == msgspec.json.encode(shown)
    assert bytes(tracks.points_answer(points[:0])) == b"[]"


def instant(ticks):
    """The time as every timestamp of the API is written."""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=10 * ticks)
    return at.strftime("%Y-%m-%dT%H:%M:%S") + (f".{at.microsecond // 1000:03d}Z" if at.microsecond else "Z")


def test_the_first_moments_come_before_the_last_are_read(sessions, monkeypatch):
    """A day is not gathered before its first line is given out."""
    monkeypatch.setattr(reader, "CHUNKS_A_PAGE", 4)
    points = np.zeros(1440, POINT)
    points["aircraft"], points["flight"], points["at"] = 0x4B1620, 1, (T + 60 * np.arange(1440)) * 100
    store(sessions, points, [row(1, "4B1620")])
    asked = []
    with sessions() as session:
        sa.event.listen(session.get_bind(), "before_cursor_execute", lambda *call: asked.append(call[2]))
        lines = service.replay(session, T, T + 86400, 10, EVERYBODY)
        next(lines)
        early = len(asked)
        assert sum(1 for _ in lines) == 8640
    assert early < 10 < len(asked)
