"""Where the station is: by an airport's name, by a place of the map, and by what the ini file says."""

import json

import pytest

from skywatch.picture.settings import PictureSettings
from skywatch.web import airports
from tests.functional.console.visitor import alert, find_form, main_form, populate

ROWS = [
    ["Zurich Airport", "Zürich", "CH", "LSZH", "ZRH", 47.4582, 8.5555],
    ["Zweibruecken Airport", "Zweibruecken", "DE", "EDRZ", "ZQW", 49.2094, 7.4006],
]


@pytest.fixture(autouse=True)
def built(tmp_path, monkeypatch):
    path = tmp_path / "airports.json"
    path.write_text(json.dumps(ROWS), encoding="utf-8")
    monkeypatch.setattr(airports, "FILE", path)
    return path


def search(root, text, path="/station"):
    form = find_form(root.get(path), airport="")
    form["airport"] = text
    return form.submit()


def test_an_airport_fills_in_the_place_which_is_then_saved(root):
    page = search(root, "zurich", "/station?step=2").click("Zurich Airport")
    form = main_form(page)
    assert (form["station_lat"].value, form["station_lon"].value) == ("47.4582", "8.5555")
    assert root.runtime.current.of(PictureSettings).station is None
    # Still the second step, which leads to the third.
    assert "Step 2 of 3" in page
    form["station_name"] = "Roof"
    assert "Step 3 of 3" in root.send(page, {"station_name": "Roof"}).follow()
    assert root.runtime.current.of(PictureSettings).station == (47.4582, 8.5555)


def test_an_airport_that_is_not_there_and_a_list_that_was_not_built(root, built):
    assert "No airport fits." in search(root, "Nowhere")
    built.unlink()
    assert "Airport nearby" not in root.get("/station?airport=zurich")


def test_a_place_of_the_map_is_filled_in(root):
    form = main_form(root.get("/station?step=2&lat=-33.9461&lon=151.1772"))
    assert (form["station_lat"].value, form["station_lon"].value) == ("-33.9461", "151.1772")


@pytest.mark.parametrize("query", ["lat=91&lon=0", "lat=0&lon=181", "lat=nan&lon=0", "lat=x", f"airport={'x' * 101}"])
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
