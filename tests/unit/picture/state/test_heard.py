"""Which positions the station's antenna heard, whatever else the picture has."""

from __future__ import annotations

import pytest

from skywatch.core import geo
from skywatch.picture.state.own_antenna import (
    ELSEWHERE,
    ORIGIN_SHIFT,
    OURS,
    SIMULATED,
    SOURCE_BITS,
    STRANGERS,
    heard,
    radio_horizon_nm,
)
from skywatch.receivers.feeder_streams.voices import OURS as OUR_VOICE
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.reports.report import SOURCE_INDEX
from tests.unit.picture.reports import START, Clock, picture_at, snapshot

STATION = (47.45, 8.56)


def code_of(receiver="roof", *, proven=False, voice=None, origins=None, distance_nm=100.0, **fields):
    """The code of a position's source, and whether the antenna heard it."""
    picture = picture_at(Clock(), station=STATION)
    picture.origins.update(origins or {})
    lat, lon = (float(degrees) for degrees in geo.destination(*STATION, 30.0, distance_nm))
    report = snapshot("4b1620", START, lat=lat, lon=lon, **{"alt_baro": 35_000, **fields})
    picture.put(receiver, [report], 1, 1, proven=proven, voice=voice)
    sky = picture.tick()
    return int(sky.column("position_source")[0]), bool(heard(sky)[0])


@pytest.mark.parametrize(("kind", "is_heard"), [(kind, kind.startswith("adsb")) for kind in SOURCE_INDEX])
def test_what_the_aircraft_sent_itself_is_heard(kind, is_heard):
    code, found = code_of(type=kind)
    assert found == is_heard
    assert code & SOURCE_BITS == SOURCE_INDEX[kind] + 1


@pytest.mark.parametrize("name", ["mlat", "tisb"])
def test_a_position_that_was_computed_or_relayed_is_not(name):
    code, found = code_of(**{name: ["lat", "lon"]})
    assert not found
    assert code & SOURCE_BITS == SOURCE_INDEX["mlat" if name == "mlat" else "tisb_icao"] + 1


@pytest.mark.parametrize(
    ("options", "origin"),
    [
        ({"receiver": "messages", "proven": True, "type": "adsb_icao"}, ELSEWHERE),
        ({"receiver": "net", "origins": {"net": ELSEWHERE << ORIGIN_SHIFT}}, ELSEWHERE),
        ({"receiver": "coast", "origins": {"coast": OURS << ORIGIN_SHIFT}}, OURS),
        ({"receiver": "feeder-3", "voice": OUR_VOICE}, OURS),
        ({"receiver": "feeder-4", "voice": Voice("user-1", "192.0.2.1/32")}, STRANGERS),
    ],
)
def test_where_others_hear_aircraft_is_not_what_the_antenna_hears(options, origin):
    code, found = code_of(**options)
    assert (found, code >> ORIGIN_SHIFT & 3) == (False, origin)
    assert code & SOURCE_BITS == 1


def test_a_simulated_aircraft_is_marked_and_counts_where_all_are():
    code, found = code_of(origins={"roof": SIMULATED})
    assert (code, found) == (SIMULATED | 1, True)


@pytest.mark.parametrize(
    ("fields", "is_heard"),
    [
        ({"distance_nm": radio_horizon_nm(35_000.0) - 1}, True),
        ({"distance_nm": radio_horizon_nm(35_000.0) + 1}, False),
        ({"distance_nm": 4_000.0}, False),
        ({"distance_nm": 100.0, "alt_baro": 1_000}, False),
        ({"distance_nm": 40.0, "alt_baro": 1_000}, True),
        ({"distance_nm": 8.0, "alt_baro": "ground"}, True),
        ({"distance_nm": 40.0, "alt_baro": "ground"}, False),
        ({"distance_nm": 100.0, "alt_baro": None}, False),
        ({"distance_nm": 100.0, "alt_baro": None, "alt_geom": 35_000}, True),
    ],
)
def test_what_is_beyond_the_horizon_of_its_altitude_was_not_heard(fields, is_heard):
    from msgspec import UNSET

    if fields.get("alt_baro", 0) is None:
        fields = {**fields, "alt_baro": UNSET}
    assert code_of(**fields)[1] == is_heard


def test_an_aircraft_without_a_position_has_no_source():
    picture = picture_at(Clock(), station=STATION)
    picture.put("roof", [snapshot("4b1620", START, alt_baro=35_000)], 1)
    sky = picture.tick()
    assert (sky.column("position_source")[0], heard(sky)[0]) == (0, False)
