"""The page of the detailed map: the size first, then the map, stopped and gone on with, removed; the worker does it."""

import shutil
from html import unescape

import pytest

from skywatch.console.views.service import region_map
from skywatch.core.telemetry import health
from skywatch.picture.settings import PictureSettings
from skywatch.web import built as application
from skywatch.web import static_files
from skywatch.web.region import cut as cutting
from skywatch.web.region import service
from skywatch.web.region.job import read_job
from skywatch.web.region.place import part_of, region_file
from skywatch.web.settings import WebSettings
from tests.functional.console.visitor import ORIGIN, alert, find_form, note, populate
from tests.regions import ZURICH, draw_world, serving, tiles_of


@pytest.fixture(scope="module")
def world():
    return draw_world()


@pytest.fixture
def source(world):
    with serving(world) as serving_source:
        yield serving_source


@pytest.fixture
def visitor(make_visitor, tmp_path, migrated_sqlite, source, monkeypatch):
    monkeypatch.setattr(service, "PAUSES_S", (0, 0))
    monkeypatch.setattr(service, "NOTE_EVERY_S", 0)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 3000)
    monkeypatch.setattr(cutting, "GAP_BYTES", 100)
    shutil.copy(migrated_sqlite, tmp_path / "a.sqlite")
    found = make_visitor(
        auth_mode="hybrid",
        database_url=f"sqlite:///{tmp_path}/a.sqlite",
        # The place that everybody may know is Zurich.
        station_lat=ZURICH[0] + 0.003,
        station_lon=ZURICH[1] - 0.004,
        map_region_url=source.address,
        notify_allow_networks="127.0.0.0/8",
    )
    populate(found.runtime, "superadmin")
    found.sign_in("superadmin")
    return found


@pytest.fixture
def worker(visitor):
    return service.create(visitor.runtime)


@pytest.fixture
def other(make_visitor, monkeypatch, tmp_path):
    """A console whose ini file names no source."""
    monkeypatch.setattr(region_map, "region_file", lambda settings: tmp_path / "map")
    found = make_visitor(auth_mode="hybrid")
    populate(found.runtime, "superadmin")
    found.sign_in("superadmin")
    return found


def press(visitor, do, status=303, **fields):
    forms = visitor.get("/maps/region").forms.values()
    form = next(form for form in forms if any(b.value_if_submitted() == do for b in form.fields.get("do", [])))
    for name, value in fields.items():
        form[name] = value
    return form.submit("do", value=do, headers=ORIGIN, status=status)


def job(visitor):
    with visitor.runtime.sessions() as session:
        return read_job(session)


def state():
    return next((part for part in health.components() if part.name == service.COMPONENT), None)


def test_the_size_is_said_first_then_the_map_is_fetched_and_shown(visitor, worker, source, monkeypatch, tmp_path):
    (tmp_path / "index.html").write_text("<!doctype html><html><head></head><body></body></html>", encoding="utf-8")
    monkeypatch.setattr(static_files, "Application", lambda: application.Application(tmp_path, tmp_path / "state"))
    path = region_file(visitor.runtime.settings)
    assert path == tmp_path / "a.sqlite.region.pmtiles"
    page = press(visitor, "measure", radius_nm="250", max_zoom="11").follow()
    assert "The size is being read." in note(page)
    assert page.html.find(id="region")["data-refresh"]
    worker.look()
    asked = job(visitor)
    assert (asked.phase, asked.radius_nm, asked.max_zoom) == ("measured", 250, 11)
    assert (asked.latitude, asked.longitude) == ZURICH
    text = " ".join(visitor.get("/maps/region").html.text.split())
    assert f"{asked.tiles} tiles within 250 nm of the station" in text
    assert not path.exists()
    shown = []

    def look(name, ok, detail="", **figures):
        shown.append((name, detail, figures["done_bytes"]))

    monkeypatch.setattr(service.health, "report", look)
    press(visitor, "get")
    worker.look()
    assert job(visitor).phase == "done"
    assert path.stat().st_size == asked.bytes
    assert len(tiles_of(path.read_bytes())) == asked.tiles
    assert [name for name, _, _ in shown] == ["region_map"] * len(shown)
    assert shown[0][2] < shown[-1][2] == asked.bytes
    assert shown[-1][1].code == "region.fetching"
    assert "The detailed map is there" in visitor.get("/maps/region")
    assert '"name": "region"' in unescape(visitor.client.get("/").text)
    part = visitor.client.get("/api/v1/aircraft/map/region.pmtiles", headers={"Range": "bytes=0-6"}, status="*")
    assert part.body == b"PMTiles" or part.status_int in (401, 403)
    press(visitor, "remove")
    assert not path.exists()
    assert job(visitor) is None


def test_it_is_stopped_and_goes_on_where_it_was(visitor, worker, source, monkeypatch):
    path = region_file(visitor.runtime.settings)
    press(visitor, "measure")
    worker.look()
    press(visitor, "get")
    begun = len(source.asked)
    answer = source.answer

    def stop(handler):
        if len(source.asked) == begun + 2:
            press(visitor, "stop")
        answer(handler)

    monkeypatch.setattr(source, "answer", stop)
    worker.look()
    assert job(visitor).phase == "stopped"
    assert part_of(path).exists()
    assert not path.exists()
    assert state() is None
    assert "Go on" in visitor.get("/maps/region")
    fetched = source.asked[begun:]
    assert len(fetched) == 3
    press(visitor, "get")
    # As after a restart of the worker.
    service.create(visitor.runtime).look()
    assert job(visitor).phase == "done"
    assert not set(fetched) & set(source.asked[begun + 3 :])
    assert path.stat().st_size == job(visitor).bytes


def test_a_broken_connection_is_tried_again_and_then_said(visitor, worker, source):
    press(visitor, "measure")
    worker.look()
    press(visitor, "get")
    begun = len(source.asked)
    source.breaks_at = {begun + 2, begun + 3}
    worker.look()
    assert job(visitor).phase == "done"
    press(visitor, "measure")
    worker.look()
    press(visitor, "get")
    source.breaks_at = set(range(len(source.asked) + 3, len(source.asked) + 30))
    worker.look()
    assert job(visitor).phase == "failed"
    page = visitor.get("/maps/region")
    assert "The connection broke." in page.html.find(class_="problem").text
    source.breaks_at = set()
    press(visitor, "get")
    worker.look()
    assert job(visitor).phase == "done"


def test_another_build_between_two_tries_has_to_be_measured_again(visitor, worker, source):
    press(visitor, "measure")
    worker.look()
    source.etag = '"second"'
    press(visitor, "get")
    worker.look()
    page = visitor.get("/maps/region")
    assert "another map now" in page.html.find(class_="problem").text
    assert "Get this map" not in page
    assert "Go on" not in page
    token = find_form(page, max_zoom="13")["csrf_token"].value
    again = visitor.post("/maps/region", {"csrf_token": token, "do": "get"}, status=409)
    assert "ask for it first" in alert(again)


def test_a_source_without_ranges_is_said(visitor, worker, source):
    source.has_ranges = False
    press(visitor, "measure")
    worker.look()
    assert "does not answer by ranges" in visitor.get("/maps/region").html.find(class_="problem").text


def test_the_reason_is_in_the_language_of_the_reader(visitor, worker, source):
    source.statuses = {"/world.pmtiles": 404}
    press(visitor, "measure")
    worker.look()
    page = visitor.get("/maps/region", headers={"Accept-Language": "de"})
    assert "Die Quelle der Karte antwortet 404." in page.html.find(class_="problem").text


def test_only_one_map_is_fetched_at_a_time(visitor):
    press(visitor, "measure")
    fields = {"csrf_token": visitor.token, "do": "measure", "radius_nm": "50", "max_zoom": "11"}
    assert "already" in alert(visitor.post("/maps/region", fields, status=409))
    press(visitor, "stop")
    again = visitor.post("/maps/region", {"csrf_token": visitor.token, "do": "stop"}, status=409)
    assert "No map is being fetched" in alert(again)


@pytest.mark.parametrize(
    "fields", [{"do": "steal"}, {"do": "measure", "radius_nm": "9000"}, {"do": "measure", "radius_nm": "50"}]
)
def test_what_is_not_offered_is_refused(visitor, fields):
    visitor.post("/maps/region", {"csrf_token": visitor.token, **fields}, status=400)
    assert job(visitor) is None


def test_without_a_file_of_a_database_the_line_of_the_ini_file_is_shown(visitor, monkeypatch):
    monkeypatch.setattr(region_map, "region_file", lambda settings: None)
    assert "map_region_file = " in visitor.get("/maps/region")
    refused = visitor.post("/maps/region", {"csrf_token": visitor.token, "do": "measure"}, status=409)
    assert "no place" in alert(refused)


def test_the_source_is_set_in_the_console(other):
    address = "https://maps.example/world.pmtiles"
    other.send(other.get("/maps/region"), {"map_region_url": ""}, map_region_url=address)
    assert other.runtime.current.of(WebSettings).map_region_url == address


def test_a_map_needs_a_station(other, monkeypatch):
    monkeypatch.setattr(PictureSettings, "station", None)
    assert other.get("/maps/region").html.find("a", string="say where it is")
    fields = {"csrf_token": other.token, "do": "measure", "radius_nm": "50", "max_zoom": "11"}
    assert "no position" in alert(other.post("/maps/region", fields, status=409))


def test_what_happens_is_audited(visitor, worker):
    press(visitor, "measure")
    worker.look()
    press(visitor, "get")
    worker.look()
    press(visitor, "remove")
    text = visitor.get("/audit").text
    assert all(action in text for action in ("region_map.measured", "region_map.begun", "region_map.removed"))
