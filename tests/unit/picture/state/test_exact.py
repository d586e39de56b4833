"""The place of the station: what everybody may know of it, and the picture of those who may know it exactly."""

from __future__ import annotations

import json

import numpy as np
import pytest

from skywatch.features import load
from skywatch.picture.changes import apply_changes, encode_changes
from skywatch.picture.distribution.follower import aged
from skywatch.picture.settings import PictureSettings
from skywatch.picture.state.exact_distances import exact, has_exact_distances
from skywatch.picture.state.sky import from_bytes, to_bytes
from skywatch.settings import SettingsError
from tests.unit.picture.reports import Clock, picture_at, snapshot

STATION = (47.451234, 8.567891)
SHOWN = {"exact": STATION, "1km": (47.45, 8.57), "10km": (47.5, 8.6), "none": None}


def skies(shown, ticks=2):
    """Some ticks of a picture that shows another place than its own, and of one that shows its own."""
    pictures = [(clock, picture_at(clock, station=STATION, epoch="e", shown_station=place))
                for clock, place in ((Clock(), shown), (Clock(), STATION))]  # fmt: skip
    made = []
    for number in range(ticks):
        tick = []
        for clock, picture in pictures:
            clock.advance(1.0)
            picture.put(
                "roof",
                [
                    snapshot("4b1620", clock.time(), lat=47.5 + number / 100, lon=8.6, alt_baro=3000, flight="SWR1"),
                    snapshot("4b1621", clock.time(), lat=47.46, lon=8.57, alt_baro="ground"),
                    snapshot("3c6444", clock.time(), alt_baro=9000),
                ],
                3,
            )
            tick.append(picture.tick())
        made.append(tick)
    return made


@pytest.mark.parametrize("accuracy", SHOWN)
def test_the_setting_says_what_everybody_may_know(accuracy):
    settings = load(
        {"environment": "development", "bus": "memory", "station_lat": STATION[0], "station_lon": STATION[1],
         "station_accuracy": accuracy}, {},
    ).of(PictureSettings)  # fmt: skip
    assert settings.shown_station == SHOWN[accuracy]
    assert settings.station_for(exact=True) == STATION
    assert settings.station_for(exact=False) == SHOWN[accuracy]


def test_a_kilometre_is_the_default_and_another_word_is_refused():
    base = {"environment": "development", "bus": "memory", "station_lat": 47.451234, "station_lon": 8.567891}
    assert load(base, {}).of(PictureSettings).shown_station == SHOWN["1km"]
    assert load({"environment": "development", "bus": "memory"}, {}).of(PictureSettings).shown_station is None
    with pytest.raises(SettingsError, match="station_accuracy"):
        load({**base, "station_accuracy": "1m"}, {})


@pytest.mark.parametrize("accuracy", SHOWN)
def test_the_exact_picture_is_the_one_that_the_exact_place_would_give(accuracy):
    for shown, own in skies(SHOWN[accuracy]):
        assert (shown.station, shown.exact_station) == (SHOWN[accuracy], STATION)
        made = exact(shown)
        assert made.encoded == own.encoded
        for name in ("distance_nm", "bearing_deg"):
            np.testing.assert_array_equal(made.column(name), own.column(name))
        assert made.station == STATION
        assert has_exact_distances(made)
        assert has_exact_distances(shown) is (accuracy == "exact")
        assert exact(shown) is made
        assert exact(made) is made


@pytest.mark.parametrize("accuracy", ["1km", "10km", "none"])
def test_what_is_shown_gives_the_exact_place_away_nowhere(accuracy):
    for shown, own in skies(SHOWN[accuracy]):
        known = [json.loads(body) for body in shown.encoded]
        true = [json.loads(body) for body in own.encoded]
        for said, meant in zip(known, true, strict=True):
            assert said.get("distance_nm") is None or said["distance_nm"] != meant["distance_nm"]
            assert ("distance_nm" in said) == ("lat" in said and accuracy != "none")
            rest = {"distance_nm", "bearing"}
            assert {k: v for k, v in said.items() if k not in rest} == {k: v for k, v in meant.items() if k not in rest}


def test_both_places_travel_to_other_processes_and_outlast_a_silence():
    (first, _), (second, _) = skies(SHOWN["1km"])
    there = from_bytes(to_bytes(first))
    then = apply_changes(encode_changes(second, first), there)
    later = aged(then, then, 5.0, 60.0, "aged", 1)
    for sky, origin in ((there, first), (then, second), (later, second)):
        assert (sky.station, sky.exact_station) == (SHOWN["1km"], STATION)
        assert exact(sky).column("distance_nm").tolist() == pytest.approx(
            exact(origin).column("distance_nm").tolist(), nan_ok=True
        )


def test_a_moved_station_or_another_accuracy_begins_a_new_picture():
    clock = Clock()
    picture = picture_at(clock, station=STATION, shown_station=SHOWN["1km"])
    before = picture.tick()
    picture.move(STATION, SHOWN["10km"])
    after = picture.tick()
    assert after.epoch != before.epoch
    assert (after.station, after.exact_station) == (SHOWN["10km"], STATION)
    assert picture.validator.station == STATION
