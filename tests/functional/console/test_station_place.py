"""Where the station is: by an airport's name, by a place of the map, and by what the ini file says."""

import json

import pytest

from skywatch.picture.settings import PictureSettings
from skywatch.web import airports
from tests.functional.console.visitor import ORIGIN, alert, find_form, main_form, populate

ROWS = [
    ["Zurich Airport", "Zürich", "CH", "LSZH", "ZRH", 47.4582, 8.5555],
    ["Zweibruecken Airport", "Zweibruecken", "DE", "EDRZ", "ZQW", 49.2094, 7.4006],
]


@pytest.fixture(autouse=True)
def built(tmp_path, monkeypatch):
    path = tmp_path / "airports.json"
    path.write_text(json.dumps(ROWS), encoding="utf-8")
    monkeypatch.setattr(airports, "FILE", path)
    towns = tmp_path / "towns.txt"
    towns.write_text(TOWNS, encoding="utf-8")
    monkeypatch.setattr(airports, "TOWNS", towns)
    return path


TOWNS = (
    "kloten\tKloten\tCH\t47.4515\t8.5849\nzurich\tZürich\tCH\t47.3667\t8.5500\nzurich west\tZürich West\tXX\t1.0\t2.0"
)


def search(root, text, path="/station", **fields):
    form = find_form(root.get(path), find="")
    for name, value in {"find": text, **fields}.items():
        form[name] = value
    return form.submit("do", value="find", headers=ORIGIN)


def choose(page, name):
    """Press the button of what was found."""
    return main_form(page).submit("do", value=page.html.find("button", string=name)["value"], headers=ORIGIN)


def test_an_airport_fills_in_the_place_which_is_then_saved(root):
    page = choose(search(root, "zurich", "/station?step=2"), "Zurich Airport")
    form = main_form(page)
    assert (form["station_lat"].value, form["station_lon"].value) == ("47.4582", "8.5555")
    assert root.runtime.current.of(PictureSettings).station is None
    # Still the second step, which leads to the third.
    assert "Step 2 of 3" in page
    form["station_name"] = "Roof"
    assert "Step 3 of 3" in root.send(page, {"station_name": "Roof"}).follow()
    assert root.runtime.current.of(PictureSettings).station == (47.4582, 8.5555)


def test_an_airport_that_is_not_there_and_a_list_that_was_not_built(root, built):
    assert "No town and no airport fits." in search(root, "Nowhere")
    built.unlink()
    assert "Town or airport" not in root.get("/station")


def test_a_town_is_found_and_nothing_that_was_entered_is_lost(root):
    page = search(root, "Kloten", "/station?lat=47.5&lon=8.6", station_name="Roof")
    form = main_form(page)
    assert [form[name].value for name in ("station_name", "station_lat", "station_lon")] == ["Roof", "47.5", "8.6"]
    form = main_form(choose(page, "Kloten"))
    assert [form[name].value for name in ("station_name", "station_lat", "station_lon")] == [
        "Roof",
        "47.4515",
        "8.5849",
    ]
    assert form["find"].value == ""
    # Enter presses the first button, which saves where nothing is looked for.
    form.submit("do", value="find", headers=ORIGIN, status=303)
    assert root.runtime.current.of(PictureSettings).station == (47.4515, 8.5849)


def test_towns_come_before_airports_and_whole_names_before_others(root):
    buttons = [button.text for button in search(root, "zurich").html.find_all("button", class_="link")]
    assert buttons == ["Zürich", "Zürich West", "Zurich Airport"]


def test_a_place_of_the_map_is_filled_in(root):
    form = main_form(root.get("/station?step=2&lat=-33.9461&lon=151.1772"))
    assert (form["station_lat"].value, form["station_lon"].value) == ("-33.9461", "151.1772")


@pytest.mark.parametrize("query", ["lat=91&lon=0", "lat=0&lon=181", "lat=nan&lon=0", "lat=x", "airport=zurich"])
def test_what_is_no_place_is_refused(root, query):
    root.get(f"/station?{query}", status=400)


def test_the_way_to_the_map_ends_at_the_page_that_takes_the_click(root):
    page = find_form(root.get("/station"), to="station").submit(headers={"Origin": "http://localhost"})
    assert page.html.find(id="handover")["data-to"] == "station"
    token = root.token
    page = root.post("/map", {"csrf_token": token, "to": "//elsewhere.example"}, status=400)
    assert "handover" not in page
    assert alert(page)


def test_what_the_ini_file_sets_is_named_with_the_way_to_free_it(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", station_lat=1, station_lon=2)
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    page = visitor.get("/station?lat=5&lon=6")
    assert "remove station_lat, station_lon from the ini file" in " ".join(page.html.text.split())
    assert "Find the place" not in page
    assert "station_lat" not in main_form(page).fields
