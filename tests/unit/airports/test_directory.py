"""The airports and runways of the world, as they come with the service."""

import numpy as np
import pytest

from skywatch.airports.directory import KINDS, directory
from skywatch.core import geo


@pytest.fixture(scope="module")
def airports():
    return directory()


def idents(airports, numbers):
    return [airports.ident(number) for number in numbers.tolist()]


@pytest.mark.parametrize(("code", "ident"), [("LSZH", "LSZH"), ("zrh", "LSZH"), (" JFK ", "KJFK"), ("EDDB", "EDDB")])
def test_an_airport_is_found_by_each_of_its_codes(airports, code, ident):
    assert airports.find(code).ident == ident


@pytest.mark.parametrize("code", ["", "XQXQ", "Zürich", "ZR"])
def test_what_is_no_code_is_none(airports, code):
    assert airports.find(code) is None


def test_an_airport_has_what_people_ask(airports):
    zurich = airports.find("LSZH")
    assert (zurich.icao, zurich.iata, zurich.kind, zurich.country) == ("LSZH", "ZRH", "large", "CH")
    assert (zurich.name, zurich.town, zurich.timezone) == ("Zürich Airport", "Zurich", "Europe/Zurich")
    assert zurich.elevation_ft == pytest.approx(1416, abs=5)
    assert geo.point_distance_nm(zurich.lat, zurich.lon, 47.4647, 8.5492) < 1


def test_a_runway_is_an_entry_for_each_direction_at_its_threshold(airports):
    runways = {runway.ident: runway for runway in airports.runways_of(airports.find("LSZH").number)}
    assert set(runways) == {"10", "28", "14", "32", "16", "34"}
    assert runways["14"].length_ft == 10827
    assert runways["14"].heading_true == pytest.approx(137.3, abs=0.5)
    # Threshold 34 is displaced by 1,541 ft from the end of the pavement.
    assert geo.point_distance_nm(47.4454, 8.55673, runways["34"].lat, runways["34"].lon) == pytest.approx(
        0.254, abs=0.005
    )
    assert runways["16"].lat == pytest.approx(47.475601, abs=1e-5)


def test_an_airport_without_surveyed_runways_has_them_without_a_place(airports):
    runways = {runway.ident: runway for runway in airports.runways_of(airports.find("KORD").number)}
    assert (runways["09C"].lat, runways["09C"].heading_true) == (None, 90.0)
    assert "15" not in runways


def test_an_airport_that_has_opened_since_is_there(airports):
    found = airports.find("VILD") or airports.find("VIDN") or airports.find("DXN")
    assert found is not None
    assert found.kind == "medium"


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("zrh", "LSZH"),
        ("lszh", "LSZH"),
        ("kjf", "KJFK"),
        ("zurich", "LSZH"),
        ("ZÜRICH", "LSZH"),
        ("sao paulo", "SBGR"),
        ("heathrow", "EGLL"),
    ],
)
def test_a_search_ignores_accents_and_names_codes_and_large_airports_first(airports, words, first):
    assert idents(airports, airports.search(words))[0] == first


def test_a_search_needs_all_words(airports):
    found = idents(airports, airports.search("kennedy new york"))
    assert found[0] == "KJFK"
    assert len(found) < 10
    assert len(airports.search("no such airport anywhere")) == 0
    assert len(airports.search("(")) < 10_000


def test_a_search_within_a_box_is_in_the_order_of_size(airports):
    found = airports.search(None, (8.0, 47.2, 9.0, 47.7))
    assert idents(airports, found)[0] == "LSZH"
    assert (np.diff(airports.kind[found].astype(int)) >= 0).all()
    across = idents(airports, airports.search(None, (177.0, -19.0, -178.0, -16.0)))
    assert {"NFFN"} <= set(across)


def test_the_nearest_airport(airports):
    assert airports.nearest(47.46, 8.55, 5.0).ident == "LSZH"
    assert airports.nearest(47.40, 8.60, 20.0, ("large",)).ident == "LSZH"
    assert airports.nearest(47.40, 8.60, 20.0, ("small", "medium")).ident == "LSMD"
    assert airports.nearest(0.0, -140.0, 60.0) is None
    assert airports.nearest(-17.7, -179.99, 200.0, KINDS) is not None


def test_the_time_zone_of_a_place(airports):
    assert airports.timezone_at(47.4, 8.5) == "Europe/Zurich"
    assert airports.timezone_at(40.7, -74.0) == "America/New_York"
    assert airports.timezone_at(30.0, -40.0) is not None


def test_idents_and_codes_are_unique(airports):
    every = [airports.airport(number) for number in range(len(airports))]
    for code in ("ident", "icao", "iata"):
        codes = [getattr(airport, code) for airport in every if getattr(airport, code)]
        assert len(codes) == len(set(codes)), code
