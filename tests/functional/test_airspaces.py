"""The airspaces of ``airspace_file``: what is answered, to whom, and what stops the start."""

import json

import pytest
from webtest import TestApp

from skywatch.aircraft import airspaces
from skywatch.aircraft.airspaces import load_airspaces
from skywatch.settings import SettingsError
from tests.app_templates import make_app

OPENAIR = """AC CTR
AN ZURICH
AL SFC
AH 4500 MSL
V X=47:27:30 N 008:33:20 E
DC 9
AC R
AN LS-R4
AL 3000 MSL
AH FL100
DP 47:00:00 N 008:00:00 E
DP 47:15:00 N 008:00:00 E
DP 47:15:00 N 008:30:00 E
"""
BOX = {"type": "Polygon", "coordinates": [[[8, 47], [9, 47], [9, 48], [8, 48], [8, 47]]]}


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8") if isinstance(content, str) else path.write_bytes(content)
    return str(path)


def test_openair_is_answered_as_geojson_and_revalidated(make_runtime, tmp_path):
    app = TestApp(make_app(make_runtime(airspace_file=write(tmp_path, "swiss.txt", OPENAIR), auth_mode="public")))
    answer = app.get("/api/v1/aircraft/airspaces")
    assert answer.content_type == "application/geo+json"
    zurich, restricted = (feature["properties"] for feature in answer.json["features"])
    assert zurich == {"name": "ZURICH", "class": "CTR", "floor_ft": None, "ceiling_ft": 4500.0}
    assert (restricted["class"], restricted["floor_ft"], restricted["ceiling_ft"]) == ("R", 3000.0, 10000.0)
    ring = answer.json["features"][1]["geometry"]["coordinates"][0]
    assert (ring[0], ring[-1]) == ([8.0, 47.0], [8.0, 47.0])
    app.get("/api/v1/aircraft/airspaces", headers={"If-None-Match": answer.headers["ETag"]}, status=304)


def test_geojson_is_answered_and_nothing_where_there_is_no_file(make_runtime, tmp_path):
    feature = {"type": "Feature", "geometry": BOX, "properties": {"name": "Box", "floor_ft": 1000}}
    path = write(tmp_path, "a.geojson", json.dumps({"type": "FeatureCollection", "features": [feature]}))
    [found] = (
        TestApp(make_app(make_runtime(airspace_file=path, auth_mode="public")))
        .get("/api/v1/aircraft/airspaces")
        .json["features"]
    )
    assert found["geometry"] == BOX
    assert found["properties"] == {"name": "Box", "class": None, "floor_ft": 1000, "ceiling_ft": None}
    empty = TestApp(make_app(make_runtime(auth_mode="public"))).get("/api/v1/aircraft/airspaces").json
    assert empty == {"type": "FeatureCollection", "features": []}


def test_who_may_not_see_the_sky_does_not_see_its_airspaces(make_runtime, tmp_path):
    runtime = make_runtime(airspace_file=write(tmp_path, "swiss.txt", OPENAIR), auth_mode="private")
    TestApp(make_app(runtime)).get("/api/v1/aircraft/airspaces", status=401)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", "AC D\nAN X\nDP nowhere\n", "line 3"),
        ("a.txt", "nothing", "line 1"),
        ("a.txt", b"\x00\xff\x00", "line 1"),
        ("a.txt", "", "line 1"),
        ("a.json", "{", "is not JSON"),
        ("a.json", '{"type": "Point"}', "type"),
        ("a.json", "[" * 100_000, "is not JSON"),
        ("a.geojson", json.dumps({"type": "Feature", "geometry": None, "properties": {}}), "features.0"),
    ],
)
def test_what_is_in_a_file_never_stops_the_start(make_runtime, tmp_path, caplog, name, content, reason):
    path = write(tmp_path, name, content)
    app = TestApp(make_app(make_runtime(airspace_file=path, auth_mode="public")))
    assert app.get("/api/v1/aircraft/airspaces").json["features"] == []
    [line] = [record.getMessage() for record in caplog.records if "airspace_file" in record.getMessage()]
    assert reason in line
    assert path in line


def test_what_is_understood_of_a_file_is_used(tmp_path):
    openair = "ZZ what\n" + OPENAIR + "AH perhaps\nAC R\nDP nowhere\nAC D\nV X=47:27:30 N 008:33:20 E\nDC 2\n"
    read = load_airspaces(write(tmp_path, "a.txt", openair))
    assert [one["properties"]["class"] for one in json.loads(read.body)["features"]] == ["CTR", "R", "D"]
    assert [fault.partition(":")[0] for fault in read.faults] == ["line 1", "line 15", "line 17"]
    feature = {"type": "Feature", "geometry": BOX, "properties": {"name": "Box"}}
    features = [feature, {**feature, "geometry": None}, feature]
    text = json.dumps({"type": "FeatureCollection", "features": features})
    assert load_airspaces(write(tmp_path, "a.json", text)).count == 2
    # Cut off within the last feature, and with a control character and a comma too many.
    assert load_airspaces(write(tmp_path, "a.json", text[:-60])).count == 1
    assert load_airspaces(write(tmp_path, "a.json", text.replace("Box", "B\x01ox").replace("]}", ",]}"))).count == 2


def test_a_file_that_is_missing_is_refused_and_of_a_large_one_the_first_are_used(make_runtime, tmp_path, monkeypatch):
    with pytest.raises(SettingsError, match="cannot be read: No such file"):
        make_app(make_runtime(airspace_file=str(tmp_path / "none.txt")))
    path = write(tmp_path, "large.txt", OPENAIR)
    monkeypatch.setattr(airspaces, "MAX_BYTES", 100)
    assert "larger than" in load_airspaces(path).faults[-1]
    assert load_airspaces(path).count == 1
    monkeypatch.setattr(airspaces, "MAX_BYTES", 10_000)
    monkeypatch.setattr(airspaces, "MAX_AIRSPACES", 1)
    assert load_airspaces(path).count == 1
    assert "at most 1 with" in load_airspaces(path).faults[0]


def test_files_older_than_utf8_are_read(tmp_path):
    path = write(tmp_path, "old.txt", OPENAIR.replace("ZURICH", "Z\xdcRICH").encode("latin-1"))
    assert json.loads(load_airspaces(path).body)["features"][0]["properties"]["name"] == "Z\xdcRICH"
