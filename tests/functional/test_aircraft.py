"""Live aircraft over REST, as a client sees them."""

import gzip
import json

import pytest
from webob import Request
from webtest import TestRequest

from skywatch.picture.trails.remote import TrailServer
from skywatch.picture.trails.trail import TrailStore
from tests.identities import as_role, install
from tests.skies import NOW, show, sky_of

SWISS = {
    "hex": "4b1620",
    "flight": "SWR123  ",
    "r": "HB-IJS",
    "ownOp": "Swiss",
    "t": "A320",
    "category": "A3",
    "alt_baro": 34000,
    "alt_geom": 34500,
    "gs": 450.5,
    "track": 90.0,
    "baro_rate": 0,
    "squawk": "1000",
    "lat": 47.5,
    "lon": 8.6,
    "messages": 50,
}
EASY = {
    "hex": "406a90",
    "flight": "EZY45AB",
    "t": "A20N",
    "alt_baro": 5000,
    "gs": 220.0,
    "baro_rate": -1500,
    "squawk": "7700",
    "lat": 46.2,
    "lon": 6.1,
}
GROUND = {"hex": "4b0001", "alt_baro": "ground", "gs": 12.0, "lat": 47.458, "lon": 8.548, "type": "adsb_icao_nt"}
SILENT = {"hex": "3c6444", "seen": 12.0}
FIGHTER = {
    "hex": "4b7f01",
    "flight": "HORNET1",
    "military": True,
    "alt_baro": 25000,
    "gs": 510.0,
    "lat": 46.9,
    "lon": 8.0,
}
FIJI = {"hex": "c88001", "flight": "FJI11", "alt_baro": 39000, "lat": -17.7, "lon": -179.9}
PICTURE = (SWISS, EASY, GROUND, SILENT, FIGHTER, FIJI)


@pytest.fixture
def sky(client):
    return show(client.runtime, sky_of(*PICTURE))


def hexes(client, query="", **kw):
    return [a["hex"] for a in client.get(f"/api/v1/aircraft?{query}", **kw).json["aircraft"]]


def faults(response):
    assert response.json["code"] == "validation_failed"
    return {error["name"] for error in response.json["errors"]}


@pytest.mark.parametrize("path", ["/api/v1/aircraft", "/api/v1/aircraft/4b1620", "/data/aircraft.json"])
def test_before_the_first_tick_there_is_no_picture(make_client, path):
    answer = make_client(has_ticked=False).get(path, status=503)
    assert answer.json["code"] == "unavailable"
    assert answer.json["detail"] == "The tracker has published no picture yet."
    assert answer.headers["Retry-After"] == "1"


def test_an_empty_sky_is_a_picture(client):
    answer = client.get("/api/v1/aircraft").json
    assert answer["aircraft"] == []
    assert answer["count"] == 0


def test_one_on_the_ground_without_position_hides_no_other(client, sky):
    answer = client.get("/api/v1/aircraft").json
    assert [a["hex"] for a in answer["aircraft"]] == sorted(a["hex"] for a in PICTURE)
    assert (answer["now"], answer["messages"], answer["count"]) == (NOW, 1000, 6)
    assert next(a for a in answer["aircraft"] if a["hex"] == "4b0001")["alt_baro"] == "ground"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("bbox=8,47,9,48", ["4b0001", "4b1620"]),
        ("bbox=179,-20,-179,-10", ["c88001"]),
        ("lat=47.45&lon=8.56&radius_nm=10", ["4b0001", "4b1620"]),
        ("min_altitude_ft=30000", ["4b1620", "c88001"]),
        ("max_altitude_ft=5000", ["406a90", "4b0001"]),
        ("min_speed_kt=451", ["4b7f01"]),
        ("max_speed_kt=12", ["4b0001"]),
        ("callsign=SWR123", ["4b1620"]),
        ("callsign=swr*,EZY45AB", ["406a90", "4b1620"]),
        ("callsign=SWR", []),
        # A form sends all of its fields.
        ("callsign=&squawk=7700&registration=", ["406a90"]),
        ("registration=HB-IJS", ["4b1620"]),
        ("type=A320,A20N", ["406a90", "4b1620"]),
        ("squawk=7700", ["406a90"]),
        ("category=A3", ["4b1620"]),
        ("military=true", ["4b7f01"]),
        ("military=false&min_speed_kt=400", ["4b1620"]),
        ("emergency=true", ["406a90"]),
        ("on_ground=true", ["4b0001"]),
        ("receiver=roof&on_ground=1", ["4b0001"]),
        ("receiver=cellar", []),
        ("hex=4B1620,3c6444,ffffff", ["3c6444", "4b1620"]),
    ],
)
def test_every_filter(client, sky, query, expected):
    assert hexes(client, query) == expected


def test_aircraft_without_a_value_come_last_in_either_order(client, sky):
    up, down = hexes(client, "sort=altitude"), hexes(client, "sort=-altitude")
    # What stands on the ground is at 0 ft, as in the filters.
    assert up == ["4b0001", "406a90", "4b7f01", "4b1620", "c88001", "3c6444"]
    assert down == ["c88001", "4b1620", "4b7f01", "406a90", "4b0001", "3c6444"]
    assert hexes(client, "sort=-hex") == sorted(hexes(client), reverse=True)
    assert hexes(client, "sort=distance")[0] == "4b0001"


def test_pages_link_to_each_other(client, sky):
    first = client.get("/api/v1/aircraft?limit=4&sort=hex").json
    assert (first["count"], len(first["aircraft"]), first["previous"]) == (6, 4, None)
    second = client.get(first["next"].removeprefix("http://localhost:80")).json
    assert len(second["aircraft"]) == 2
    assert second["next"] is None
    back = client.get(second["previous"].removeprefix("http://localhost:80")).json
    assert back["aircraft"] == first["aircraft"]


def test_the_page_before_one_beyond_the_end_has_the_last_entries(client, sky):
    beyond = client.get("/api/v1/aircraft?limit=4&offset=1000").json
    assert (beyond["aircraft"], beyond["next"]) == ([], None)
    last = client.get(beyond["previous"].removeprefix("http://localhost:80")).json
    assert (len(last["aircraft"]), last["next"]) == (4, None)


def test_links_begin_with_what_each_client_calls_the_service(client, sky):
    client.extra_environ = {"REMOTE_ADDR": "192.168.1.9"}
    path = "/api/v1/aircraft?limit=4"
    for host in ("one.example", "two.example:8080"):
        link = client.get(path, extra_environ={"HTTP_HOST": host}).json["next"]
        assert link == f"http://{host}/api/v1/aircraft?limit=4&offset=4", "nobody is sent to another's host"
    nameless = TestRequest.blank(path)
    del nameless.environ["HTTP_HOST"]
    assert client.do_request(nameless).json["next"] == "/api/v1/aircraft?limit=4&offset=4"


def test_only_the_fields_asked_for(client, sky):
    answer = client.get("/api/v1/aircraft?fields=flight,alt_baro&hex=4b1620,3c6444").json
    assert answer["aircraft"] == [{"hex": "3c6444"}, {"hex": "4b1620", "flight": "SWR123  ", "alt_baro": 34000}]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("limit=0&offset=-1&colour=red", {"limit", "offset", "colour"}),
        ("limit=1001", {"limit"}),
        ("bbox=1,2,3", {"bbox"}),
        ("bbox=1,2,3,nan", {"bbox"}),
        ("bbox=0,50,1,40", {"bbox"}),
        ("lat=91&lon=8&radius_nm=5", {"lat"}),
        ("radius_nm=5", {"lat", "lon"}),
        ("min_altitude_ft=inf&max_speed_kt=fast", {"min_altitude_ft", "max_speed_kt"}),
        ("military=maybe", {"military"}),
        ("hex=zzzzzz", {"hex"}),
        ("sort=beauty", {"sort"}),
        ("fields=flight,beauty", {"fields"}),
        ("limit=1&limit=2", {"limit"}),
    ],
)
def test_every_fault_of_a_query_is_named(client, sky, query, names):
    assert faults(client.get(f"/api/v1/aircraft?{query}", status=400)) == names


def test_a_live_answer_has_each_header_once(client, sky):
    response = client.get("/api/v1/aircraft")
    names = [name for name, _ in response.headerlist]
    assert sorted(names) == [
        "Cache-Control", "Content-Length", "Content-Security-Policy", "Content-Type", "Cross-Origin-Opener-Policy",
        "ETag", "Permissions-Policy", "Referrer-Policy", "Vary", "X-Content-Type-Options", "X-Frame-Options",
        "X-Picture-Age", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-ID",
    ]  # fmt: skip
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Content-Length"] == str(len(response.body))
    assert response.headers["Cache-Control"] == "no-cache, private"
    assert response.headers["ETag"].startswith('W/"')


def test_the_etag_changes_with_the_tick_and_with_the_question(client, sky):
    first = client.get("/api/v1/aircraft")
    etag = first.headers["ETag"]
    assert client.get("/api/v1/aircraft", headers={"If-None-Match": etag}, status=304).body == b""
    assert client.get("/api/v1/aircraft?limit=1", headers={"If-None-Match": etag}).status_code == 200
    show(client.runtime, sky_of(*PICTURE, seq=2))
    assert client.get("/api/v1/aircraft", headers={"If-None-Match": etag}).headers["ETag"] != etag


def raw(client, path, **headers):
    """The response as it is on the wire: WebTest's own would be decompressed."""
    return Request.blank(path, headers=headers).get_response(client.app)


def test_bodies_over_1_kib_are_compressed_when_asked_for(client):
    show(client.runtime, sky_of(*(SWISS | {"hex": f"4b00{n:02x}"} for n in range(30))))
    response = raw(client, "/api/v1/aircraft", **{"Accept-Encoding": "gzip"})
    assert response.headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(response.body))["count"] == 30
    assert "Accept-Encoding" in response.headers["Vary"]
    for path, accepted in (
        ("/api/v1/aircraft?limit=1", "gzip"),
        ("/api/v1/aircraft", "identity"),
        ("/api/v1/aircraft", "gzip;q=0"),
    ):
        assert "Content-Encoding" not in raw(client, path, **{"Accept-Encoding": accepted}).headers


def test_one_aircraft_with_ages(client, sky):
    found = client.get("/api/v1/aircraft/4B1620/").json
    assert found["r"] == "HB-IJS"
    assert found["airframe"] is None
    assert found["ages"] == {"message": 0.0, "position": 0.0}


@pytest.mark.parametrize("address", ["ffffff", "~4b1620"])
def test_an_aircraft_that_is_not_in_the_sky_is_404(client, sky, address):
    assert client.get(f"/api/v1/aircraft/{address}", status=404).json["code"] == "not_found"
    assert client.get(f"/api/v1/aircraft/{address}/trail", status=404).json["code"] == "not_found"


def keep_trails(client, *skies):
    """A tracker's trails of these pictures."""
    trails = TrailStore()
    for sky in skies:
        trails.add(sky)
    return TrailServer(client.runtime.bus, trails)


def test_trails_of_several_aircraft_are_those_of_each_alone(client, sky):
    moved = ({**one, "lat": one["lat"] + 0.1} for one in PICTURE if "lat" in one)
    later = show(client.runtime, sky_of(*moved, seq=3, now=NOW + 40))
    server = keep_trails(client, sky, later)
    try:
        answer = client.get("/api/v1/aircraft/trails?icao_hex=406A90,ffffff,4b1620").json
        assert [trail["hex"] for trail in answer["trails"]] == ["406a90", "4b1620"]
        for trail in answer["trails"]:
            alone = client.get(f"/api/v1/aircraft/{trail['hex']}/trail").json["trail"]
            assert trail["lat"] == [point["lat"] for point in alone]
            assert trail["altitude_ft"] == [point["altitude_ft"] for point in alone]
            assert len(trail["at"]) == len(trail["lon"]) == len(trail["on_ground"]) == 2
        [newest] = client.get("/api/v1/aircraft/trails?icao_hex=4b1620&since_s=30").json["trails"]
        assert newest["at"] == [answer["now"]]
    finally:
        server.close()


def test_trails_of_military_aircraft_are_for_who_may_see_them(make_client):
    client = install(make_client(auth_mode="hybrid"))
    server = keep_trails(client, show(client.runtime, sky_of(*PICTURE)))
    path = "/api/v1/aircraft/trails?icao_hex=4b7f01,4b1620"
    try:
        seen = {
            role: [trail["hex"] for trail in client.get(path, headers=as_role(role)).json["trails"]]
            for role in ("viewer", "analyst")
        }
        assert seen == {"viewer": ["4b1620"], "analyst": ["4b7f01", "4b1620"]}
    finally:
        server.close()


def test_no_more_than_a_hundred_trails_are_asked_for_at_once(client, sky):
    addresses = ",".join(f"{number:06x}" for number in range(101))
    assert faults(client.get(f"/api/v1/aircraft/trails?icao_hex={addresses}", status=400)) == {"icao_hex"}
    assert faults(client.get("/api/v1/aircraft/trails?icao_hex=4b1620&since_s=9999", status=400)) == {"since_s"}


@pytest.mark.parametrize("address", ["4b162", "4b16200", "hornet", "%F0%9F%9B%A9"])
def test_a_malformed_address_is_named(client, sky, address):
    assert faults(client.get(f"/api/v1/aircraft/{address}", status=400)) == {"icao_hex"}


def test_the_nearest_to_a_point_and_to_the_station(client, sky):
    answer = client.get("/api/v1/aircraft/nearest?lat=46.2&lon=6.2&limit=2").json
    assert [a["hex"] for a in answer["aircraft"]] == ["406a90", "4b7f01"]
    assert answer["aircraft"][0]["from_nm"] == pytest.approx(4.16, abs=0.02)
    assert answer["aircraft"][0]["from_bearing"] == pytest.approx(270.0, abs=0.1)
    assert client.get("/api/v1/aircraft/nearest").json["aircraft"][0]["hex"] == "4b0001"
    assert client.get("/api/v1/aircraft/nearest?on_ground=false").json["aircraft"][0]["hex"] == "4b1620"
    assert faults(client.get("/api/v1/aircraft/nearest?lat=4", status=400)) == {"lon"}


def test_without_a_station_a_point_is_needed(client):
    show(client.runtime, sky_of(SWISS, station=None))
    assert faults(client.get("/api/v1/aircraft/nearest", status=400)) == {"lat"}


def test_the_picture_in_numbers(client, sky):
    stats = client.get("/api/v1/aircraft/stats").json
    assert (stats["total"], stats["with_position"], stats["on_ground"], stats["airborne"]) == (6, 5, 1, 5)
    assert (stats["military"], stats["emergency"]) == (1, 1)
    assert stats["highest_ft"] == 39000
    assert stats["fastest_kt"] == 510
    assert stats["by_altitude"]["ground"] == 1
    assert stats["by_altitude"]["5000-10000"] == 1
    assert stats["by_source"] == {"adsb_icao": 5, "adsb_icao_nt": 1}
    assert stats["by_type"] == {"A20N": 1, "A320": 1}


def test_what_stands_out(client, sky):
    top = client.get("/api/v1/aircraft/top?limit=2").json
    assert [a["hex"] for a in top["highest"]] == ["c88001", "4b1620"]
    assert [a["hex"] for a in top["fastest"]] == ["4b7f01", "4b1620"]
    assert [a["hex"] for a in top["descending"]] == ["406a90"]
    assert top["climbing"] == []
    assert [a["hex"] for a in top["farthest"]] == ["c88001", "406a90"]


def test_geojson_has_the_aircraft_with_positions(client, sky):
    response = client.get("/api/v1/aircraft/geojson")
    assert response.content_type == "application/geo+json"
    features = response.json["features"]
    assert len(features) == 5
    swiss = next(f for f in features if f["id"] == "4b1620")
    assert swiss["geometry"] == {"type": "Point", "coordinates": [8.6, 47.5, 10515.6]}
    assert swiss["properties"]["flight"] == "SWR123  "
    assert len(client.get("/api/v1/aircraft/geojson?on_ground=true").json["features"]) == 1


def test_whatever_gets_past_caches_is_the_same_question(client, sky):
    """Only what a view reads makes another answer: one body and one ETag for each tick."""
    addresses = ["/data/aircraft.json", *(f"/data/aircraft.json?_={n}" for n in range(5)), "/data/aircraft.json/?x=y"]
    answers = [client.get(address) for address in addresses]
    assert len({answer.headers["ETag"] for answer in answers}) == 1
    assert len({answer.body for answer in answers}) == 1
    assert len(sky.scratch) == 1
    for path in ("stats", "top?limit=2", "nearest?limit=2&lat=47&lon=8", "geojson?on_ground=true"):
        name, _, query = path.partition("?")
        reordered = "&".join(reversed(query.split("&")))
        first = client.get(f"/api/v1/aircraft/{path}")
        again = client.get(f"/api/v1/aircraft/{name}/?{reordered}")
        assert first.headers["ETag"] == again.headers["ETag"]
    assert len(sky.scratch) == 5


def test_another_question_is_another_answer(client, sky):
    paths = ("top", "top?limit=2", "nearest", "nearest?limit=2", "nearest?lat=47&lon=8", "stats", "geojson", "")
    assert len({client.get(f"/api/v1/aircraft/{path}").headers["ETag"] for path in paths}) == len(paths)


class TestRights:
    """What others must not see in a mode where rights count."""

    @pytest.fixture
    def client(self, make_client):
        client = install(make_client(auth_mode="hybrid"))
        show(client.runtime, sky_of(*PICTURE))
        return client

    def test_nobody_is_asked_to_authenticate(self, client):
        response = client.get("/api/v1/aircraft", status=401)
        assert response.json["code"] == "authentication_required"
        assert "Bearer" in response.headers["WWW-Authenticate"]

    def test_military_aircraft_are_nowhere_for_who_may_not_see_them(self, client):
        viewer, analyst = as_role("viewer"), as_role("analyst")
        assert "4b7f01" not in hexes(client, headers=viewer)
        assert "4b7f01" in hexes(client, headers=analyst)
        assert hexes(client, "military=true", headers=viewer) == []
        for path in ("4b7f01", "4b7f01/trail"):
            client.get(f"/api/v1/aircraft/{path}", headers=viewer, status=404)
        client.get("/api/v1/aircraft/4b7f01", headers=analyst, status=200)
        for path in ("aircraft/top", "aircraft/geojson", "aircraft/nearest?limit=9", "aircraft/stats"):
            assert "4b7f01" not in client.get(f"/api/v1/{path}", headers=viewer).text
        assert client.get("/api/v1/aircraft/stats", headers=viewer).json["military"] == 0
        assert "4b7f01" not in client.get("/data/aircraft.json", headers=viewer).text

    def test_registration_and_owner_need_their_permission(self, client):
        viewer, operator = as_role("viewer"), as_role("operator")
        for path in ("/api/v1/aircraft", "/api/v1/aircraft/4b1620", "/api/v1/aircraft/top", "/data/aircraft.json"):
            assert "HB-IJS" not in client.get(path, headers=viewer).text
            assert "HB-IJS" in client.get(path, headers=operator).text
        for query in ("registration=HB-IJS", "sort=registration", "sort=-registration"):
            refused = client.get(f"/api/v1/aircraft?{query}", headers=viewer, status=403)
            assert refused.json["code"] == "permission_denied"
        client.get("/api/v1/aircraft/geojson?registration=HB-IJS", headers=viewer, status=403)

    def test_callers_with_other_rights_do_not_share_an_answer(self, client):
        first = client.get("/api/v1/aircraft", headers=as_role("superadmin"))
        second = client.get(
            "/api/v1/aircraft", headers={**as_role("viewer"), "If-None-Match": first.headers["ETag"]}, status=200
        )
        assert "4b7f01" not in second.text

    def test_a_key_without_the_scope_is_refused(self, client):
        refused = client.get("/api/v1/aircraft", headers=as_role("superadmin", scopes=["safety"]), status=403)
        assert refused.json["code"] == "scope_denied"
        client.get("/api/v1/aircraft", headers=as_role("viewer", scopes=["aircraft"]))
