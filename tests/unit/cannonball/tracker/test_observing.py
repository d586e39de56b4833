"""All sessions of a tick are updated together: with the same numbers as each one alone."""

import dataclasses
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skywatch.cannonball.location import Location
from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracker.geometry import Velocity
from skywatch.cannonball.tracker.interests.interest import Interest
from skywatch.cannonball.tracker.locations import TrackedUser
from skywatch.cannonball.tracker.observation import ObservedAircraft, observe
from skywatch.cannonball.tracker.session import LiveSession
from skywatch.cannonball.vocabulary import Identification
from tests.skies import NOW, sky_of

SETTINGS = CannonballSettings()
AIRCRAFT = st.fixed_dictionaries(
    {"lat": st.floats(47.3, 47.6), "lon": st.floats(8.4, 8.8)},
    optional={
        "gs": st.floats(0, 300),
        "track": st.floats(0, 359.9),
        "alt_geom": st.integers(-500, 40_000),
        "alt_baro": st.integers(-500, 40_000),
        "flight": st.sampled_from(["SWR1", "POL12", ""]),
        "t": st.sampled_from(["A320", "C172", "EC35"]),
        "military": st.booleans(),
    },
)
FLIGHTS = st.lists(st.lists(st.none() | AIRCRAFT, min_size=3, max_size=3), min_size=1, max_size=6)
REASONS = st.lists(st.sampled_from(list(Identification)), min_size=3, max_size=3)


def users(tick):
    """Two users, of whom one moves on, and jumps at the third tick."""
    places = ((47.45, 8.56, 0), (47.4 + 0.01 * tick, 8.6, 0 if tick < 3 else 1))
    return {
        number: TrackedUser(Location(number, lat, lon, 25.0, NOW, NOW + 600.0), Velocity(10.0, -20.0), epoch)
        for number, (lat, lon, epoch) in enumerate(places, start=1)
    }


def sessions_of(reasons):
    return [
        LiveSession(user, f"4b16{n:02x}", Interest(reason, verified=n == 1), started_at=NOW)
        for n, reason in enumerate(reasons)
        for user in (1, 2)
    ]


def skies(flights):
    for tick, flight in enumerate(flights):
        shown = [
            {"hex": f"4b16{n:02x}", **({"seen_pos": 0.0, **members} if members is not None else {})}
            for n, members in enumerate(flight)
        ]
        yield tick, sky_of(*shown, seq=tick + 1, now=NOW + tick)


def state(session):
    return {field.name: getattr(session, field.name) for field in dataclasses.fields(session)} | {"pauses": None}


def is_same(one, other):
    return one.keys() == other.keys() and all(
        value == other[name] or (value != value and math.isnan(other[name])) for name, value in one.items()
    )


@pytest.mark.deep("costs over a processor second")
@settings(max_examples=60, deadline=None)
@given(flights=FLIGHTS, reasons=REASONS)
def test_sessions_together_have_the_numbers_of_each_alone(flights, reasons):
    together, alone = sessions_of(reasons), sessions_of(reasons)
    for tick, sky in skies(flights):
        located = users(tick)
        views = ObservedAircraft.of(sky, together, located)
        numbers = observe(views, sky, SETTINGS)
        placed = {id(session) for session in views.sessions}
        for session, single in zip(together, alone, strict=True):
            one = ObservedAircraft.of(sky, [single], located)
            assert bool(one.sessions) == (id(session) in placed), "those without a position keep their numbers"
            observe(one, sky, SETTINGS)
            assert is_same(state(session), state(single))
        assert numbers.distance_nm == [session.distance_nm for session in views.sessions]
        assert numbers.level == [session.level for session in views.sessions]


def test_without_sessions_nothing_is_observed():
    sky = sky_of({"hex": "4b1600", "lat": 47.4, "lon": 8.5})
    assert observe(ObservedAircraft.of(sky, [], {}), sky, SETTINGS).level == []
