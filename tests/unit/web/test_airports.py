"""Airports by name, city or code, from the list that the build writes."""

import json
import os

import pytest

from skywatch.web.airports import MAX_FOUND, find_airports, find_towns

ROWS = [
    ["Zurich Airport", "Zürich", "CH", "LSZH", "ZRH", 47.4582, 8.5555],
    ["Dübendorf Air Base", "Zurich", "CH", "LSMD", "", 47.3986, 8.6482],
    ["São Paulo/Guarulhos", "São Paulo", "BR", "SBGR", "GRU", -23.4319, -46.4695],
    ["New Zurich Field", "Elsewhere", "US", "KNZF", "", 41.0, -90.0],
    *([f"Field {number}", "Fieldtown", "US", f"KF{number:02}", "", 40.0, -90.0] for number in range(20)),
]


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "airports.json"
    found.write_text(json.dumps(ROWS), encoding="utf-8")
    return found


def names(text, path):
    return [airport.name for airport in find_airports(text, path)]


@pytest.mark.parametrize("text", ["zrh", " LSZH ", "zurich airport", "ZÜRICH airport"])
def test_codes_and_names_without_case_and_accents(path, text):
    assert names(text, path)[0] == "Zurich Airport"


def test_the_city_comes_first_those_with_a_code_of_airlines_before_others(path):
    assert names("Zurich", path) == ["Zurich Airport", "Dübendorf Air Base", "New Zurich Field"]
    assert names("sao paulo", path) == ["São Paulo/Guarulhos"]


def test_few_are_found_and_nothing_for_nothing(path):
    assert len(names("field", path)) == MAX_FOUND
    assert names("", path) == names("...", path) == names("xyz", path) == []


def test_without_the_list_there_is_no_search_and_a_new_one_is_read(path):
    names("zrh", path)
    path.write_text(json.dumps(ROWS[1:]), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert names("zrh", path) == []
    path.unlink()
    assert find_airports("zrh", path) is None


def test_towns_are_found_by_the_beginning_of_their_names(tmp_path):
    path = tmp_path / "towns.txt"
    path.write_text("sankt gallen\tSankt Gallen\tCH\t47.4239\t9.3748\nbern\tBern\tCH\t46.948\t7.4474", encoding="utf-8")
    assert [town.name for town in find_towns("St. Gallen", path)] == ["Sankt Gallen"]
    assert find_towns("BE", path) == [("Bern", "CH", 46.948, 7.4474)]
    assert find_towns("ern", path) == find_towns("(", path) == find_towns("bern", tmp_path / "none") == []
