"""What the map shows besides what comes with Skywatch: set in the console, in force at the next opening of the page."""

import json
from contextlib import contextmanager
from html import unescape

import pytest
from webtest import Upload

from skywatch.aircraft.airspaces import AirspaceStore, parse_upload
from skywatch.console.forms import changes
from skywatch.console.views.service import maps
from skywatch.web import built as application
from skywatch.web import static_files
from skywatch.web.settings import WebSettings
from tests.functional.console.visitor import ORIGIN, alert, find_form, main_form, note, populate, send

TILES = "https://tiles.example/{z}/{x}/{y}.png"
OPENAIR = b"AC R\nAN LS-R4\nAH FL100\nDP 47:00:00 N 008:00:00 E\nDP 47:15:00 N 008:00:00 E\nDP 47:15:00 N 008:30:00 E\n"


def page_of(root):
    """The page of the application, with its policy."""
    answer = root.client.get("/")
    return unescape(answer.text), answer.headers["Content-Security-Policy"]


def upload(root, name, content, status=303):
    form = find_form(root.get("/maps"), airspaces="")
    form["airspaces"] = Upload(name, content)
    return form.submit(headers=ORIGIN, status=status)


@pytest.fixture
def built(monkeypatch, tmp_path):
    """A built application, which is the page alone."""
    (tmp_path / "index.html").write_text("<!doctype html><html><head></head><body></body></html>", encoding="utf-8")
    monkeypatch.setattr(static_files, "Application", lambda: application.Application(tmp_path, tmp_path / "state"))


def test_base_map_photos_and_weather_are_in_the_page_and_its_policy(built, root):
    assert "tiles.example" not in "".join(page_of(root))
    fields = {"map_tiles_url": TILES, "map_attribution": "Somebody", "photo_source": "planespotters"}
    page = send(root.get("/maps"), weather_tiles_url="https://rain.example/{z}/{x}/{y}.png Rain", **fields)
    assert "Saved." in note(page.follow())
    text, policy = page_of(root)
    assert f'"address": "{TILES}", "attribution": "Somebody"' in text
    assert 'skywatch-photo-source" content="planespotters"' in text
    for host in ("https://tiles.example", "https://rain.example", "https://t.plnspttrs.net"):
        assert host in policy
    send(root.get("/maps"), **dict.fromkeys((*fields, "weather_tiles_url"), ""))
    assert "tiles.example" not in "".join(page_of(root))


def test_the_page_says_that_the_finer_ground_is_missing_and_how_to_get_it(root, monkeypatch):
    monkeypatch.setattr(maps, "ground_archives", dict)
    assert "make ground" in root.get("/maps")
    monkeypatch.setattr(maps, "ground_archives", lambda: {"ground": "ground-0123456789.pmtiles"})
    assert "make ground" not in root.get("/maps")


def test_an_address_that_is_none_is_refused_at_its_field(root):
    page = send(root.get("/maps"), map_tiles_url="tiles.example", status=400)
    assert "must be an http or https address" in page.html.find(id="about-map_tiles_url").text
    assert root.runtime.current.of(WebSettings).map_tiles_url == ""


def test_what_the_ini_file_sets_is_shown_and_not_changed(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", map_tiles_url=TILES)
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    page = visitor.get("/maps")
    assert TILES in page
    assert "map_tiles_url" not in main_form(page).fields
    send(page, weather_tiles_url="")
    assert visitor.runtime.current.of(WebSettings).map_tiles_url == TILES


def test_airspaces_are_uploaded_replaced_and_removed(built, root):
    def names():
        features = json.loads(root.runtime.shared(AirspaceStore).current.body)["features"]
        return [feature["properties"]["name"] for feature in features]

    page = upload(root, "C:\\files\\swiss.txt", OPENAIR).follow()
    assert "1 airspace is on the map." in note(page)
    assert "swiss.txt, uploaded by superadmin" in " ".join(page.html.text.split())
    assert '"airspaces": true' in page_of(root)[0]
    upload(root, "swiss.txt", OPENAIR.replace(b"LS-R4", b"LS-R8") + b"AC X\nDP nowhere\n")
    assert names() == ["LS-R8"]
    page = root.get("/maps")
    remove = next(form for form in page.forms.values() if "do" in form.fields)
    assert "removed" in note(remove.submit("do", value="remove", headers=ORIGIN, status=303).follow())
    assert names() == []
    assert '"airspaces": false' in page_of(root)[0]


def test_a_file_is_parsed_while_others_write(root, monkeypatch):
    sessions = []

    @contextmanager
    def changing(*args):
        with changes.changing(*args) as (session, caller):
            sessions.append(session)
            yield session, caller

    def parse(name, content):
        assert sessions == []
        return parse_upload(name, content)

    monkeypatch.setattr(maps, "changing", changing)
    monkeypatch.setattr(maps, "parse_upload", parse)
    upload(root, "swiss.txt", OPENAIR)
    assert len(sessions) == 1


@pytest.mark.parametrize(
    ("name", "content"), [("a.txt", b"nothing"), ("a.json", b"{"), ("a.txt", b""), ("a.txt", b"\x00\xff\x00")]
)
def test_a_file_without_airspaces_is_refused_and_the_one_before_stays(root, name, content):
    upload(root, "swiss.txt", OPENAIR)
    page = upload(root, name, content, status=400)
    assert page.html.find(id="about-airspaces") is not None
    assert alert(page)
    assert "swiss.txt" in root.get("/maps")


def test_an_uploaded_file_gives_way_to_that_of_the_ini_file(make_visitor, tmp_path):
    path = tmp_path / "own.txt"
    path.write_bytes(OPENAIR)
    visitor = make_visitor(auth_mode="hybrid", airspace_file=str(path))
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    page = visitor.get("/maps")
    assert str(path) in page
    assert page.html.find(id="field-airspaces") is None


def test_airspaces_that_are_uploaded_during_a_look_are_seen_by_the_next(built, root, monkeypatch):
    store = root.runtime.shared(AirspaceStore)
    look = store._look

    def look_before_the_upload():
        monkeypatch.setattr(store, "_look", look)
        look()
        upload(root, "swiss.txt", OPENAIR)

    store.expire()
    monkeypatch.setattr(store, "_look", look_before_the_upload)
    assert store.current.count == 0
    assert store.current.count == 1
