"""Geofences and watch lists over HTTP: shapes, imports and exports, and what is refused."""

import pytest

from tests.alerts import BOX, aircraft, test_of
from tests.functional.alerts.conftest import URL
from tests.servers import BEFORE_SQL

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_a_geofence_changes_and_belongs_to_its_owner",
        "test_a_watch_list_takes_lines_and_tables",
        "test_openair_comes_in",
    ],
)

OPENAIR = """* two airspaces
AC D
AN ZURICH CTR
AH 4500 ft MSL
AL GND
V X=47:27:30 N 008:33:20 E
DC 5
AC R
AN LS-R7
AL 1000M MSL
AH FL 130
DP 47:00:00 N 008:00:00 E
DP 47:10:00 N 008:00:00 E
DP 47:10:00 N 008:20:00 E
"""


@pytest.fixture
def post(client):
    def send(path, body, content_type=None, **kw):
        headers = client.people["olga"]
        if content_type is None:
            return client.post_json(URL + path, body, headers=headers, **kw)
        return client.post(URL + path, body, headers=headers, content_type=content_type, **kw)

    return send


def polygon(*points):
    return {"type": "Polygon", "coordinates": [[list(point) for point in points]]}


@BEFORE_SQL
@pytest.mark.parametrize(
    ("geometry", "words"),
    [
        (polygon((0, 0), (1, 1), (1, 0), (0, 1), (0, 0)), "crosses itself"),
        (polygon((0, 0), (100, 0), (-160, 5), (-160, 10), (100, 20), (0, 10), (0, 0)), "exceeds a hemisphere"),
        (polygon((0, 0), (120, 10), (-120, 10), (0, 0)), "around a pole"),
        (polygon((0, 0), (1, 1), (2, 2), (0, 0)), "on a line"),
        (polygon((0, 0), (1, 1), (0, 0)), "four positions"),
        (polygon((0, 0), (1, 0), (1, 1), (0, 1)), "not closed"),
        (polygon((0, 0), (1, 95), (1, 1), (0, 0)), "outside of -180 to 180"),
        ({"type": "Point", "coordinates": [0, 0]}, "Polygon or MultiPolygon"),
        ({"type": "Polygon", "coordinates": [*BOX["coordinates"], [[0, 0], [1, 0], [1, 1], [0, 0]]]}, "hole outside"),
        ({"type": "MultiPolygon", "coordinates": [BOX["coordinates"], BOX["coordinates"]]}, "overlap"),
        ({"type": "MultiPolygon", "coordinates": []}, "at least one polygon"),
        ("square", "Polygon or MultiPolygon"),
    ],
)
def test_geometries_that_are_refused_with_the_reason(post, geometry, words):
    answer = post("geofences", {"name": "x", "geometry": geometry}, status=400)
    assert [error["name"] for error in answer.json["errors"]] == ["geometry"]
    assert words in answer.json["errors"][0]["detail"]


def test_a_geofence_changes_and_belongs_to_its_owner(client, post):
    made = post("geofences", {"name": "Home", "geometry": BOX, "floor_ft": 1000}, status=201).json
    assert (made["geometry"], made["floor_ft"], made["ceiling_ft"]) == (BOX, 1000, None)
    url = f"{URL}geofences/{made['id']}"
    changed = client.patch_json(url, {"ceiling_ft": 5000, "floor_ft": None}, headers=client.people["olga"]).json
    assert (changed["floor_ft"], changed["ceiling_ft"]) == (None, 5000)
    client.patch_json(url, {"floor_ft": 6000}, headers=client.people["olga"], status=400)
    client.get(url, headers=client.people["otto"], status=404)
    client.get(url, headers=client.people["adam"])


def test_a_geofence_over_the_antimeridian_with_a_hole_and_a_band(post, stage, add_rule, history):
    outer = [[179, -1], [-179, -1], [-179, 1], [179, 1], [179, -1]]
    hole = [[179.8, -0.2], [-179.8, -0.2], [-179.8, 0.2], [179.8, 0.2], [179.8, -0.2]]
    body = {"name": "Dateline", "geometry": {"type": "Polygon", "coordinates": [outer, hole]}, "ceiling_ft": 4000}
    fence = post("geofences", body).json["id"]
    add_rule(conditions=test_of("geofence", "within", fence))
    stage.tick(
        aircraft(1, lat=0.5, lon=179.5),
        aircraft(2, lat=0.5, lon=-179.5),
        aircraft(3, lat=0.0, lon=180.0),
        aircraft(4, lat=0.0, lon=0.0),
        aircraft(5, lat=0.5, lon=179.5, alt_baro=5000),
        aircraft(6, lat=0.5, lon=179.5, alt_baro="ground"),
        aircraft(7, lat=0.5, lon=179.5, alt_baro=None),
    )
    assert sorted(alert["icao_hex"] for alert in history()) == ["4B1601", "4B1602", "4B1606"]


def test_geojson_goes_out_and_comes_in(client, post):
    post("geofences", {"name": "Home", "geometry": BOX, "ceiling_ft": 3000})
    document = client.get(URL + "geofences/export", headers=client.people["olga"]).json
    taken = post("geofences/import", document).json
    assert [(f["name"], f["geometry"], f["ceiling_ft"]) for f in taken["geofences"]] == [("Home", BOX, 3000)]
    document["features"].append({"type": "Feature", "geometry": None, "properties": {}})
    document["features"].append({"type": "Feature", "geometry": BOX, "properties": {"floor_ft": "high"}})
    refused = post("geofences/import", document, status=400).json["errors"]
    assert [error["name"] for error in refused] == ["features.1", "features.2"]
    assert client.get(URL + "geofences", headers=client.people["olga"]).json["count"] == 2
    post("geofences/import", b"{}", "application/pdf", status=415)


def test_openair_comes_in(post):
    taken = post("geofences/import", OPENAIR, "text/plain").json["geofences"]
    assert [(f["name"], f["floor_ft"], f["ceiling_ft"]) for f in taken] == [
        ("ZURICH CTR", None, 4500), ("LS-R7", 3280.8, 13000),
    ]  # fmt: skip
    assert len(taken[0]["geometry"]["coordinates"][0]) > 100


def test_what_is_not_understood_of_openair_is_left_out_and_named(post):
    # A corner that is no position leaves its airspace without a shape; a record that nobody knows is passed over.
    wrong = "ZZ what\n" + OPENAIR + "DP 99:00:00 N 008:00:00 E\nZZ what\n"
    taken = post("geofences/import", wrong, "text/plain").json
    assert [fence["name"] for fence in taken["geofences"]] == ["ZURICH CTR"]
    assert [refused["line"] for refused in taken["refused"]] == [1, 16, 17]
    named = post("geofences/import", "AC D\nAN X\nDP nowhere\n", "text/plain", status=400).json["errors"]
    assert [error["name"] for error in named] == ["line 3"]


ARC = """AC CTR
AN Z\xfcrich
AH 2500FT AMSL
AL GND
DP 50:33:39N 004:31:36E
V D=+
V X=50:28:17N 004:33:35E
DA 5.5,340,160
DP 50:22:55N 004:35:33E
DP 50:20:10N 004:17:25E
"""


def test_an_arc_that_crosses_by_rounding_and_a_file_older_than_utf8(post):
    [fence] = post("geofences/import", ARC.encode("latin-1"), "text/plain").json["geofences"]
    assert (fence["name"], fence["ceiling_ft"], fence["floor_ft"]) == ("Z\xfcrich", 2500, None)
    assert len(fence["geometry"]["coordinates"][0]) > 60


def test_a_watch_list_takes_lines_and_tables(client, post):
    listed = post("watchlists", {"name": "Mine", "entries": ["4b1601", " swr2 ", "4B1601"]}, status=201).json
    assert (listed["entries"], listed["entry_count"]) == (["4B1601", "SWR2"], 2)
    path = f"watchlists/{listed['id']}"
    lines = "# known\n4b1602\nHB-JCA  # a comment\n\ncallsign:ACA123\n"
    assert post(f"{path}/import", lines, "text/plain").json == {"added": 3, "entry_count": 5}
    table = "$ICAO,$Registration,$Operator\n4B1603,HB-X,Somebody\n4b1602,HB-Y,Else\n"
    assert post(f"{path}/import", table, "text/csv").json == {"added": 1, "entry_count": 6}
    headers = client.people["olga"]
    assert client.get(URL + path, headers=headers).json["entries"] == [
        "4B1601", "SWR2", "4B1602", "HB-JCA", "CALLSIGN:ACA123", "4B1603",
    ]  # fmt: skip
    assert "entries" not in client.get(URL + "watchlists", headers=headers).json["watchlists"][0]
    refused = post(f"{path}/import", "4b1609\n?!\nmuch too long for anything\n", "text/plain", status=400).json
    assert [error["name"] for error in refused["errors"]] == ["line 2", "line 3"]
    assert client.get(URL + path, headers=headers).json["entry_count"] == 6
    assert post(f"{path}/import?replace=true", "4b1609", "text/plain").json == {"added": 1, "entry_count": 1}
    client.get(URL + path, headers=client.people["otto"], status=404)


def test_a_hundred_thousand_entries_and_no_more(post):
    listed = post("watchlists", {"name": "Large"}).json["id"]
    lines = "\n".join(f"{number:06x}" for number in range(100_000))
    assert post(f"watchlists/{listed}/import", lines, "text/plain").json["entry_count"] == 100_000
    assert post(f"watchlists/{listed}/import", "ffffff", "text/plain", status=400)
