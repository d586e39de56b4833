"""The best values of a flight: what two positions say, and who set it."""

import numpy as np
import pytest

from skywatch.core import geo
from skywatch.firsts.bests import bests_of, confirmed, is_aeroplane
from skywatch.firsts.keys import keys_of
from skywatch.history.storage.points import GROUND, NO_ALTITUDE
from skywatch.picture.state.own_antenna import ELSEWHERE, ORIGIN_SHIFT
from skywatch.receivers.reports.report import SOURCE_INDEX
from tests.functional.firsts.drawing import ADSB, STATION, points_of

AT = np.arange(0.0, 600.0, 60.0)


def flight(**columns):
    lat, lon = geo.destination(*STATION, 90.0, np.linspace(10.0, 55.0, 10))
    values = {"at": AT, "lat": lat, "lon": lon, "alt": np.full(10, 30_000.0), "gs": np.full(10, 450.0), **columns}
    return points_of(**values)


def bests(points, station=STATION, aeroplane=True):
    return {best.name: best for best in bests_of(points, station, aeroplane=aeroplane)}


def test_a_flight_has_its_farthest_highest_fastest_and_slowest():
    alt, gs = np.linspace(8_000.0, 17_000.0, 10), np.linspace(120.0, 300.0, 10)
    found = bests(flight(alt=alt, gs=gs))
    assert found["farthest"].value == pytest.approx(55.0, abs=0.05)
    assert (found["farthest"].source, found["farthest"].is_own) == ("adsb_icao", True)
    # What one position alone says is no record.
    assert (found["highest"].value, found["fastest"].value, found["slowest_airborne"].value) == (16_000, 280, 140)
    assert found["highest"].at == 480.0
    assert bests(flight(), aeroplane=False).keys() == {"farthest", "highest", "fastest"}
    assert "farthest" not in bests(flight(), station=None)


def test_a_single_wrong_position_makes_no_record():
    alt, gs = np.full(10, 30_000.0), np.full(10, 450.0)
    alt[4], gs[5] = 126_700.0, 1_900.0
    found = bests(flight(alt=alt, gs=gs))
    assert (found["highest"].value, found["fastest"].value) == (30_000, 450)
    # Nor do two within five seconds.
    at = AT.copy()
    at[5] = at[4] + 4.0
    alt[5] = 126_700.0
    assert bests(flight(at=at, alt=alt))["highest"].value == 30_000
    lat, lon = geo.destination(*STATION, 90.0, np.array([*np.linspace(10.0, 50.0, 9), 200.0]))
    assert bests(flight(lat=lat, lon=lon))["farthest"].value == pytest.approx(50.0, abs=0.05)


def test_farthest_is_what_the_own_antenna_can_have_heard():
    elsewhere = np.full(10, ADSB | ELSEWHERE << ORIGIN_SHIFT)
    mlat = np.full(10, SOURCE_INDEX["mlat"] + 1)
    for source in (elsewhere, mlat, np.zeros(10)):
        found = bests(flight(source=source))
        assert "farthest" not in found
        assert not found["highest"].is_own
    # 1.23 nm for the square root of 900 ft is 36.9 nm.
    assert bests(flight(alt=np.full(10, 900.0)))["farthest"].value == pytest.approx(35.0, abs=0.05)
    assert "farthest" not in bests(flight(flags=np.full(10, NO_ALTITUDE)))


def test_who_taxies_or_is_no_aeroplane_is_not_slow():
    gs = np.array([5.0, 12.0, 20.0, 90.0, 140.0, 160.0, 150.0, 120.0, 15.0, 5.0])
    flags = np.where(gs < 20, GROUND | NO_ALTITUDE, 0)
    assert bests(flight(gs=gs, flags=flags))["slowest_airborne"].value == 120
    assert is_aeroplane("A3", "A320")
    assert is_aeroplane(None, "C172")
    assert is_aeroplane("A0", "C172")
    assert not any(
        is_aeroplane(*which) for which in ((None, None), ("A7", None), ("A1", "R44"), ("B1", "GLID"), ("A1", "GLID"))
    )


def test_one_point_or_none_has_no_best():
    assert bests_of(flight()[:1], STATION, aeroplane=True) == []
    assert confirmed(np.full(3, np.nan), np.arange(3.0)) is None


def test_keys_of_a_flight():
    assert keys_of("4B1601", "A320", "SWR22A") == {
        "airframe": "4B1601", "type": "A320", "operator": "SWR", "country": "CH",
    }  # fmt: skip
    assert keys_of("~2B1601", None, "HBABC") == {}
    assert keys_of("3C6444", "", "N123AB") == {"airframe": "3C6444", "country": "DE"}
