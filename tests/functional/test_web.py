"""The files of the web application: what is answered at which address, and with which policy."""

import gzip
import html
import json
import os
import re

import pytest
from webtest import TestApp

from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.core.stored_settings import change
from skywatch.settings import SettingsError
from skywatch.web import static_files
from skywatch.web.built import KEPT_BYTES, Application
from skywatch.web.settings import parse_tiles_url
from tests.app_templates import make_app


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for a built application, which the service looks into; empty at first."""
    folder = tmp_path / "built"
    monkeypatch.setattr(static_files, "Application", lambda: Application(folder, tmp_path / "built.state"))
    return folder


def write(folder, text="<html><head></head><body>sky</body></html>"):
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    (folder / "assets" / "app-ABC.js").write_text("1")
    (folder / "assets" / "app-ABC.js.gz").write_bytes(gzip.compress(b"1"))
    (folder / "assets" / "coast.topology").write_text("{}")
    (folder / "index.html").write_text(text)


def test_a_large_file_is_packed_only_for_who_takes_it(tmp_path):
    content = bytes(KEPT_BYTES + 1)
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("sky")
    (tmp_path / "assets" / "large-ABC.js").write_bytes(content)
    (tmp_path / "assets" / "large-ABC.js.gz").write_bytes(gzip.compress(content))
    file = Application(tmp_path, tmp_path / "built.state").file("assets/large-ABC.js")
    assert file.read(gzip=False) == (content, None)
    packed, encoding = file.read(gzip=True)
    assert (gzip.decompress(packed), encoding) == (content, "gzip")


def test_nothing_looks_at_the_disk_for_an_address_of_the_api(make_runtime, folder, monkeypatch):
    paths = []
    original = Application.file
    monkeypatch.setattr(Application, "file", lambda self, path: paths.append(path) or original(self, path))
    app = TestApp(make_app(make_runtime()))
    app.get("/api/v1/system/health", expect_errors=True)
    app.get("/api/v1/nothing.json", status=404)
    app.get("/", status="*")
    assert paths == [""]


def test_the_start_page_has_a_strict_policy(make_runtime, folder):
    write(folder)
    app = TestApp(make_app(make_runtime(realtime_url="wss://live.example")))
    answer = app.get("/", extra_environ={"HTTP_HOST": "sky.example"})
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert (policy["default-src"], policy["script-src"], policy["style-src"]) == ("'none'", "'self'", "'self'")
    assert policy["connect-src"] == "'self' wss://live.example"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["Cache-Control"] == "no-cache"
    # Without this a window of an identity provider could not answer.
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin-allow-popups"


def test_assets_are_cached_as_immutable_and_compressed(make_runtime, folder):
    write(folder)
    app = TestApp(make_app(make_runtime()))
    plain = app.get("/assets/app-ABC.js")
    assert (plain.text, plain.content_type) == ("1", "text/javascript")
    assert "immutable" in plain.headers["Cache-Control"]
    # A worker runs under the policy of its own script.
    assert "worker-src 'self'" in plain.headers["Content-Security-Policy"]
    packed = app.get("/assets/app-ABC.js", headers={"Accept-Encoding": "gzip"})
    # The test client has unpacked it.
    assert (packed.text, packed.headers["ETag"]) == ("1", f'{plain.headers["ETag"][:-1]}-gzip"')
    assert app.get("/assets/app-ABC.js", headers={"If-None-Match": plain.headers["ETag"]}).status_int == 304
    assert app.get("/assets/coast.topology").content_type == "application/json"


@pytest.mark.parametrize(
    "path", ["/nothing", "/assets/", "/assets/none.js", "/assets/../index.html", "/index.html", "/%2e%2e/setup.py"]
)
def test_unknown_paths_are_not_found(make_runtime, folder, path):
    write(folder)
    TestApp(make_app(make_runtime())).get(path, status=404)


def test_the_start_page_says_why_there_is_no_application_and_finds_it_when_it_comes(make_runtime, folder):
    app = TestApp(make_app(make_runtime()))
    assert "was not built" in app.get("/", status=503).text
    (folder.parent / "built.state").write_text("It could not be built: npm <failed>")
    answer = app.get("/", status=503)
    assert "npm &lt;failed&gt;" in answer.text
    assert answer.headers["Retry-After"] == "5"
    write(folder)
    assert "sky" in app.get("/").text
    write(folder, "<html><head></head>new</html>")
    os.utime(folder / "index.html", ns=(1, 1))
    assert "new" in app.get("/").text


def test_it_can_be_switched_off(make_runtime, folder):
    write(folder)
    TestApp(make_app(make_runtime(web_enabled="false"))).get("/", status=404)


def base_maps(answer):
    """The base maps that a page names in its head."""
    found = re.findall(r'<meta name="skywatch-base-map" content="([^"]*)">', answer.text)
    return [json.loads(html.unescape(content)) for content in found]


def test_every_base_map_is_named_in_page_and_policy(make_runtime, folder):
    write(folder)
    settings = {
        "map_tiles_url": "https://a.example/{z}/{x}/{y}.png",
        "base_map.aerial": "https://b.example/{z}/{x}/{y}.jpg © B & C https://b.example/about",
        "base_map.house": "https://c.example/maps/house.pmtiles",
    }
    answer = TestApp(make_app(make_runtime(**settings))).get("/")
    first, aerial, house = base_maps(answer)
    assert first["name"] == ""
    assert aerial == {
        "name": "aerial",
        "address": "https://b.example/{z}/{x}/{y}.jpg",
        "kind": "tiles",
        "attribution": "© B & C https://b.example/about",
    }
    assert (house["kind"], house["attribution"]) == ("archive", "")
    policy = answer.headers["Content-Security-Policy"]
    assert "img-src 'self' data: blob: https://a.example https://b.example https://c.example;" in policy
    assert "https://b.example" in policy.partition("connect-src")[2].partition(";")[0]


@pytest.mark.parametrize("value", ["", "https://a.example/none.png", "ftp://a.example/x.pmtiles", "© B"])
def test_a_base_map_without_an_address_stops_the_start(make_runtime, value):
    with pytest.raises(SettingsError, match=r"base_map\.aerial"):
        make_runtime(**{"base_map.aerial": value})


def test_map_tiles_are_named_in_page_and_policy(make_runtime, folder):
    write(folder)
    app = TestApp(make_app(make_runtime(map_tiles_url="https://{a-c}.tiles.example/{z}/{x}/{y}.png?k=1&l=2")))
    answer = app.get("/")
    [only] = base_maps(answer)
    assert only["address"] == "https://{a-c}.tiles.example/{z}/{x}/{y}.png?k=1&l=2"
    assert (only["name"], only["kind"]) == ("", "tiles")
    hosts = " ".join(f"https://{letter}.tiles.example" for letter in "abc")
    assert f"img-src 'self' data: blob: {hosts};" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("host", ["{a-c.tiles.example", "{s}.tiles.example", "карты.example", "{z-a}.tiles.example"])
def test_a_host_that_no_browser_asks_breaks_no_page(make_runtime, folder, host):
    write(folder)
    app = TestApp(make_app(make_runtime(**{"base_map.odd": f"https://{host}/{{z}}/{{x}}/{{y}}.png"})))
    policy = app.get("/", status=200).headers["Content-Security-Policy"]
    assert policy.encode("ascii")
    assert "tiles" not in policy


def test_the_hosts_of_photos_are_in_the_policy_only_where_photos_are_set(make_runtime, folder):
    write(folder)
    plain = TestApp(make_app(make_runtime())).get("/")
    assert "plnspttrs" not in plain.headers["Content-Security-Policy"]
    assert "skywatch-photo-source" not in plain.text
    answer = TestApp(make_app(make_runtime(photo_source="planespotters"))).get("/")
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert policy["img-src"] == "'self' data: blob: https://t.plnspttrs.net"
    assert policy["connect-src"].split()[-1] == "https://api.planespotters.net"
    others = [value for name, value in policy.items() if name not in ("img-src", "connect-src")]
    assert not any("plane" in value or "plns" in value for value in others)
    assert '<meta name="skywatch-photo-source" content="planespotters">' in answer.text


def test_a_source_of_photos_set_in_the_console_is_in_the_page_at_once(make_runtime, folder):
    write(folder)
    runtime = make_runtime()
    page = TestApp(make_app(runtime))
    assert "skywatch-photo-source" not in page.get("/").text
    with runtime.sessions() as session:
        change(session, runtime.settings, COMMAND_LINE, {"photo_source": "planespotters"})
        session.commit()
    runtime.stored.expire()
    answer = page.get("/")
    assert '<meta name="skywatch-photo-source" content="planespotters">' in answer.text
    assert "https://t.plnspttrs.net" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("source", ["none", "planespotters"])
def test_a_proxy_for_photos_stops_the_start_where_no_source_permits_it(make_runtime, source):
    with pytest.raises(SettingsError, match="photo_proxy") as caught:
        make_runtime(photo_source=source, photo_proxy="true")
    assert "leave it false" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(SettingsError, match="photo_source"):
        make_runtime(photo_source="elsewhere")


def test_names_of_operators_are_answered_where_a_file_is_set(make_runtime, folder, tmp_path):
    write(folder)
    file = tmp_path / "operators.csv"
    file.write_text('\ufeff# code,name\n\nclb,"The Club, North"\nDLH,Lufthansa\n', encoding="utf-8")
    app = TestApp(make_app(make_runtime(operator_names=str(file))))
    answer = app.get("/operators.json")
    assert answer.json == {"CLB": "The Club, North", "DLH": "Lufthansa"}
    assert answer.content_type == "application/json"
    assert app.get("/operators.json", headers={"If-None-Match": answer.headers["ETag"]}).status_int == 304
    assert '<meta name="skywatch-operator-names">' in app.get("/").text
    TestApp(make_app(make_runtime())).get("/operators.json", status=404)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"DLHX,Lufthansa\n", "line 1"),
        (b"SWR\n", "line 2"),
        (b"DLH,\n", "line 2"),
        (b"DLH," + b"x" * 81, "line 2"),
        (b'DLH,"a\nSWR,Swiss\n', "line 2"),
        (b"\xff\xfe", "line 2"),
        (b"#" * 2_000_001, "larger"),
    ],
)
def test_what_is_in_a_file_of_operators_never_stops_the_start(make_runtime, folder, tmp_path, caplog, content, why):
    write(folder)
    file = tmp_path / "operators.csv"
    file.write_bytes(b"CLB,The Club\n" * (why != "line 1") + content + b"\nAFR,Air France" * (why != "larger"))
    names = TestApp(make_app(make_runtime(operator_names=str(file)))).get("/operators.json").json
    assert why == "line 1" or names["CLB"] == "The Club"
    assert ("AFR" in names) == (why != "larger")
    assert any(why in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("name", ["missing.csv", ""])
def test_operators_that_are_no_file_stop_the_start_with_one_line(make_runtime, tmp_path, name):
    with pytest.raises(SettingsError) as caught:
        make_runtime(operator_names=str(tmp_path / name))
    assert str(caught.value) == f"setting operator_names: there is no file {tmp_path / name}"


def test_a_file_of_operators_that_vanishes_before_it_is_read_names_the_setting(make_runtime, tmp_path):
    file = tmp_path / "operators.csv"
    file.write_text("DLH,Lufthansa\n")
    runtime = make_runtime(operator_names=str(file))
    file.unlink()
    with pytest.raises(SettingsError, match=r"^setting operator_names: cannot read .*operators\.csv: No such file"):
        make_app(runtime)


def test_the_source_of_tiles_is_named_as_text(make_runtime, folder):
    write(folder)
    settings = {"map_pmtiles": "https://tiles.example/a.pmtiles", "map_attribution": "© <A> & B https://a.example"}
    answer = TestApp(make_app(make_runtime(**settings))).get("/")
    assert "© &lt;A&gt; &amp; B https://a.example" in answer.text
    assert base_maps(answer)[0]["attribution"] == settings["map_attribution"]
    # Without tiles there is nothing to name.
    assert "attribution" not in TestApp(make_app(make_runtime(map_attribution="© A"))).get("/").text
    with pytest.raises(SettingsError, match="map_attribution"):
        make_runtime(map_attribution="a" * 201)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://tiles.example/{z}/{x}/{y}",
        "https://tiles.example/",
        "https://a.example/{z}/{x}/{y};script-src *",
        "https://u:p@a.example/{z}/{x}/{y}",
    ],
)
def test_an_address_that_is_none_stops_the_start(make_runtime, url):
    with pytest.raises(SettingsError, match="map_tiles_url"):
        make_runtime(map_tiles_url=url)
    assert parse_tiles_url("") == ""


def test_a_visitor_without_credentials_may_load_the_page_many_times(make_runtime, folder):
    write(folder)
    app = TestApp(make_app(make_runtime(**{"default_throttle_rates.anon": "2/minute"})))
    for _ in range(20):
        assert app.get("/assets/app-ABC.js").status_int == 200


FRAMING = {"embed_origins": "https://home.example", "kiosk_views": "Zurich 47.46,8.55,9,30; The Alps 46.5,9,8,20"}


def frames(answer):
    """Who may frame an answer, by its policy."""
    return re.search(r"frame-ancestors ([^;]+)", answer.headers["Content-Security-Policy"])[1]


def test_the_kiosk_alone_may_be_framed_and_by_the_named_origins_alone(make_runtime, folder):
    write(folder)
    app = TestApp(make_app(make_runtime(**FRAMING)))
    kiosk = app.get("/?kiosk=1")
    assert frames(kiosk) == "https://home.example"
    assert "X-Frame-Options" not in kiosk.headers
    assert "Set-Cookie" not in kiosk.headers
    others = ["/", "/?kiosk=0", "/?kiosk=1&kiosk=0", "/?kiosk=", "/?Kiosk=1", "/assets/app-ABC.js?kiosk=1"]
    others += ["/console?kiosk=1", "/api/v1/docs?kiosk=1", "/api/v1/auth/config?kiosk=1", "/nothing?kiosk=1"]
    for path in others:
        answer = app.get(path, expect_errors=True)
        assert frames(answer) == "'none'", path
        assert answer.headers["X-Frame-Options"] == "DENY", path


def test_without_origins_nobody_frames_the_kiosk(make_runtime, folder):
    write(folder)
    answer = TestApp(make_app(make_runtime())).get("/?kiosk=1")
    assert (frames(answer), answer.headers["X-Frame-Options"]) == ("'none'", "DENY")
    assert 'name="skywatch-kiosk"' in answer.text


def test_the_page_is_told_that_it_is_a_kiosk_and_what_it_shows(make_runtime, folder):
    write(folder)
    app = TestApp(make_app(make_runtime(**FRAMING)))
    [content] = re.findall(r'<meta name="skywatch-kiosk" content="([^"]*)">', app.get("/?kiosk=1").text)
    views = json.loads(html.unescape(content))["views"]
    assert views[0] == {"name": "Zurich", "lat": 47.46, "lon": 8.55, "zoom": 9.0, "seconds": 30.0}
    assert views[1]["name"] == "The Alps"
    assert "skywatch-kiosk" not in app.get("/").text


@pytest.mark.parametrize(
    "value", ["47,8,9,30", "A 47,8,9", "A 95,8,9,30", "A 47,8,9,1", "A 47,8,nan,30", "A 47,8,1,30", "A x,8,9,30"]
)
def test_a_view_that_cannot_be_shown_stops_the_start(make_runtime, value):
    with pytest.raises(SettingsError, match="kiosk_views"):
        make_runtime(kiosk_views=value)
    with pytest.raises(SettingsError, match="at most 20"):
        make_runtime(kiosk_views=";".join(["A 47,8,9,30"] * 21))


@pytest.mark.parametrize("value", ["*", "home.example", "https://home.example/path", "https://a.example;script-src *"])
def test_an_embedding_origin_is_an_origin(make_runtime, value):
    with pytest.raises(SettingsError, match="embed_origins"):
        make_runtime(embed_origins=value)


def layers(answer):
    """The layers that a page names in its head."""
    return json.loads(html.unescape(re.search(r'<meta name="skywatch-layers" content="([^"]*)">', answer.text)[1]))


def test_the_host_of_weather_tiles_is_in_the_policy_only_where_it_is_set(make_runtime, folder):
    write(folder)
    plain = TestApp(make_app(make_runtime())).get("/")
    assert layers(plain) == {"airspaces": False, "weather": None}
    assert "img-src 'self' data: blob:;" in plain.headers["Content-Security-Policy"]
    url = "https://rain.example/{z}/{x}/{y}.png"
    answer = TestApp(make_app(make_runtime(weather_tiles_url=f"{url} © Rain https://rain.example/about"))).get("/")
    assert layers(answer)["weather"] == {"address": url, "attribution": "© Rain https://rain.example/about"}
    policy = answer.headers["Content-Security-Policy"]
    assert "img-src 'self' data: blob: https://rain.example;" in policy
    assert "rain.example" not in policy.partition("connect-src")[2]


@pytest.mark.parametrize("value", ["https://rain.example/none.png", "ftp://rain.example/{z}/{x}/{y}", "© Rain"])
def test_weather_tiles_without_an_address_stop_the_start(make_runtime, value):
    with pytest.raises(SettingsError, match="weather_tiles_url"):
        make_runtime(weather_tiles_url=value)


def test_the_finer_ground_is_served_by_range(make_runtime, folder, tmp_path, monkeypatch):
    write(folder)
    archives = tmp_path / "ground"
    monkeypatch.setattr(static_files, "GROUND", archives)
    app = TestApp(make_app(make_runtime()))
    assert 'name="skywatch-ground" content="{}"' in app.get("/").text
    archives.mkdir()
    name = "ground-0123456789.pmtiles"
    (archives / name).write_bytes(bytes(range(256)))
    (archives / "COPYING").write_text("a licence")
    declared = re.search('name="skywatch-ground" content="([^"]*)"', app.get("/").text)[1]
    assert json.loads(html.unescape(declared)) == {"ground": f"./ground/{name}"}
    whole = app.get(f"/ground/{name}")
    assert (whole.status_int, whole.body, whole.headers["Accept-Ranges"]) == (200, bytes(range(256)), "bytes")
    assert "immutable" in whole.headers["Cache-Control"]
    part = app.get(f"/ground/{name}", headers={"Range": "bytes=250-300"}, status=206)
    assert (part.body, part.headers["Content-Range"]) == (bytes(range(250, 256)), "bytes 250-255/256")
    assert part.headers["ETag"] == whole.headers["ETag"]
    # What was read of another file does not fit to this one.
    assert app.get(f"/ground/{name}", headers={"Range": "bytes=1-2", "If-Range": '"other"'}).status_int == 200
    for asked in ("bytes=256-", "bytes=-0"):
        beyond = app.get(f"/ground/{name}", headers={"Range": asked}, status=416)
        assert (beyond.headers["Content-Range"], beyond.body) == ("bytes */256", b"")
    for asked in ("bytes=-", f"bytes={'9' * 5000}-", "bytes=5-2", "bytes=0-1,5-6", "lines=1-2"):
        assert app.get(f"/ground/{name}", headers={"Range": asked}, status=200).body == whole.body
    longer = app.get(f"/ground/{name}", headers={"Range": "bytes=-99999999"}, status=206)
    assert (longer.body, longer.headers["Content-Range"]) == (whole.body, "bytes 0-255/256")
    assert app.head(f"/ground/{name}").headers["Content-Length"] == "256"
    for other in ("COPYING", "../built.py", "relief-0123456789.pmtiles"):
        assert app.get(f"/ground/{other}", status="*").status_int == 404


def test_the_map_of_the_region_is_read_by_range_by_whoever_sees_aircraft(make_runtime, folder, tmp_path):
    write(folder)
    archive = tmp_path / "region.pmtiles"
    archive.write_bytes(bytes(range(200)))
    address, tiles = "/api/v1/aircraft/map/region.pmtiles", "https://tiles.example/{z}/{x}/{y}.png"
    app = TestApp(make_app(make_runtime(auth_mode="public", map_region_file=str(archive), map_tiles_url=tiles)))
    answer = app.get("/")
    first = json.loads(html.unescape(re.search('name="skywatch-base-map" content="([^"]*)"', answer.text)[1]))
    assert (first["name"], first["kind"], f"/{first['address']}") == ("region", "archive", address)
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert policy["connect-src"].split()[-1] == "https://tiles.example"
    assert policy["img-src"] == "'self' data: blob: https://tiles.example"
    part = app.get(address, headers={"Range": "bytes=10-19"}, status=206)
    assert (part.body, part.headers["Content-Range"]) == (bytes(range(10, 20)), "bytes 10-19/200")
    beyond = app.get(address, headers={"Range": "bytes=200-"}, status=416).json
    assert (beyond["code"], beyond["detail"]) == ("range_not_satisfiable", "The map of the region has 200 bytes.")
    archive.write_bytes(bytes(100))
    stale = app.get(address, headers={"Range": "bytes=0-9", "If-Range": part.headers["ETag"]})
    assert (stale.status_int, len(stale.body)) == (200, 100)


def test_the_map_of_the_region_is_not_for_strangers_where_aircraft_are_not(make_runtime, tmp_path):
    archive = tmp_path / "region.pmtiles"
    archive.write_bytes(b"PMTiles")
    app = TestApp(make_app(make_runtime(auth_mode="private", map_region_file=str(archive))))
    app.get("/api/v1/aircraft/map/region.pmtiles", headers={"Range": "bytes=0-1"}, status=401)


def test_a_map_of_the_region_that_cannot_be_read_ends_the_start(make_runtime, tmp_path):
    for path in (tmp_path, tmp_path / "none" / "region.pmtiles"):
        with pytest.raises(SettingsError, match="map_region_file"):
            make_runtime(map_region_file=str(path))


def test_a_map_of_the_region_may_come_later(make_runtime, folder, tmp_path):
    write(folder)
    archive = tmp_path / "region.pmtiles"
    app = TestApp(make_app(make_runtime(auth_mode="public", map_region_file=str(archive))))
    assert "skywatch-base-map" not in app.get("/").text
    answer = app.get("/api/v1/aircraft/map/region.pmtiles", status=404)
    assert answer.json["detail"] == "There is no such map of the region."
    archive.write_bytes(b"PMTiles")
    assert "skywatch-base-map" in app.get("/").text
