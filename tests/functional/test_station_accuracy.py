"""Who may know exactly where the station is: in every answer that follows from its place."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from skywatch.core import geo
from skywatch.security.permissions import Permission
from tests.identities import as_role, install
from tests.skies import show, sky_of

STATION = (47.451234, 8.567891)
SHOWN = {"exact": STATION, "1km": (47.45, 8.57), "10km": (47.5, 8.6), "none": None}
NEAR = {"hex": "4b1620", "flight": "SWR1", "alt_baro": 3000, "lat": 47.46, "lon": 8.56}
FAR = {"hex": "4b1621", "flight": "SWR2", "alt_baro": 30000, "lat": 48.1, "lon": 9.2}
AWAY, HERE = {"REMOTE_ADDR": "203.0.113.5"}, {"REMOTE_ADDR": "127.0.0.1"}
PROXIED = [{**HERE, "HTTP_X_FORWARDED_FOR": "203.0.113.5"}, {**HERE, "HTTP_X_REAL_IP": "127.0.0.1"},
           {**HERE, "HTTP_FORWARDED": "for=127.0.0.1"}, {**HERE, "HTTP_VIA": "1.1 cache"}]  # fmt: skip
VIEWER, ADMIN = as_role("viewer"), as_role("admin", 2)


@pytest.fixture
def make(make_client):
    def make(accuracy, mode="hybrid", **settings):
        client = install(
            make_client(
                auth_mode=mode, station_lat=STATION[0], station_lon=STATION[1], station_accuracy=accuracy, **settings
            )
        )
        place = SHOWN[accuracy]
        sky = sky_of(*(placed(entry, place) for entry in (NEAR, FAR)), station=place)
        show(client.runtime, replace(sky, exact_station=STATION))
        return client

    return make


def placed(entry, place):
    """An aircraft as the picture encodes it."""
    if place is None:
        return entry
    where = (
        float(geo.distance_nm(*place, entry["lat"], entry["lon"])),
        float(geo.bearing_deg(*place, entry["lat"], entry["lon"])),
    )
    return {**entry, "distance_nm": round(where[0], 3), "bearing": round(where[1], 1)}


def get(client, path, headers=VIEWER, environ=AWAY, status=200):
    return client.get(path, headers=headers, extra_environ=environ, status=status)


def answers(client, headers, environ):
    """Everything that follows from the place of the station, for one caller."""

    def ask(path, status=200):
        return get(client, path, headers, environ, status).json

    body = {"rule": {"name": "n", "conditions": {"field": "distance_nm", "op": "ge", "value": 0}}, "aircraft": [NEAR]}
    tried = client.post_json("/api/v1/alerts/rules/test", body, headers=headers, extra_environ=environ).json["alerts"]
    receiver = ask("/data/receiver.json")
    return {
        "list": [entry.get("distance_nm") for entry in ask("/api/v1/aircraft?sort=hex")["aircraft"]],
        "fields": [e.get("distance_nm") for e in ask("/api/v1/aircraft?sort=hex&fields=distance_nm")["aircraft"]],
        "one": ask("/api/v1/aircraft/4b1620").get("bearing"),
        "farthest": [entry.get("distance_nm") for entry in ask("/api/v1/aircraft/top?limit=1")["farthest"]],
        "stats": ask("/api/v1/aircraft/stats")["farthest_nm"],
        "geojson": [f["properties"].get("distance_nm") for f in ask("/api/v1/aircraft/geojson")["features"]],
        "readsb": [entry.get("r_dst") for entry in ask("/data/aircraft.json")["aircraft"]],
        "receiver": (receiver.get("lat"), receiver.get("lon")),
        "info": ask("/api/v1/system/info")["station"],
        "tried": [alert["aircraft"].get("distance_nm") for alert in tried],
    }  # fmt: skip


def expected(place):
    if place is None:
        nothing = [None, None]
        return {"list": nothing, "fields": nothing, "one": None, "farthest": [], "stats": None, "geojson": nothing,
                "readsb": nothing, "receiver": (None, None), "info": None, "tried": []}  # fmt: skip
    near, far = placed(NEAR, place), placed(FAR, place)
    both = [near["distance_nm"], far["distance_nm"]]
    return {
        "list": both, "fields": both, "one": near["bearing"], "farthest": [far["distance_nm"]],
        "stats": pytest.approx(far["distance_nm"], abs=0.051), "geojson": both, "readsb": both, "receiver": place,
        "info": {"lat": place[0], "lon": place[1]}, "tried": [near["distance_nm"]],
    }  # fmt: skip


@pytest.mark.parametrize("accuracy", SHOWN)
def test_every_answer_is_as_exact_as_its_caller_may_know(make, accuracy):
    client = make(accuracy)
    assert answers(client, VIEWER, AWAY) == expected(SHOWN[accuracy])
    for environ in PROXIED:
        assert answers(client, VIEWER, environ) == expected(SHOWN[accuracy])
    for headers, environ in ((ADMIN, AWAY), (VIEWER, HERE), (VIEWER, {"REMOTE_ADDR": "::1"})):
        assert answers(client, headers, environ) == expected(STATION)
    # And again, for answers that are kept.
    assert answers(client, VIEWER, AWAY) == expected(SHOWN[accuracy])


def test_without_accounts_strangers_know_as_little(make):
    client = make("1km", "public")
    assert answers(client, VIEWER, AWAY) == expected(SHOWN["1km"])
    assert answers(client, VIEWER, HERE) == expected(STATION)
    for environ, place in ((AWAY, SHOWN["1km"]), (HERE, STATION)):
        listed = get(client, "/api/v1/aircraft?sort=hex", {}, environ).json["aircraft"]
        assert [entry["distance_nm"] for entry in listed] == expected(place)["list"]
    holding = as_role(None, 3, None, Permission.SYSTEM_MANAGE)
    assert answers(client, holding, AWAY) == expected(STATION)


@pytest.mark.parametrize("settings", [{"base_url": "https://sky.example.org"}, {"trusted_proxy": "127.0.0.1"}])
def test_loopback_is_this_machine_only_under_a_name_of_its_own_and_without_a_proxy(make, settings):
    """A page whose host name leads to 127.0.0.1 (DNS rebinding), and a proxy on this machine."""
    client = make("1km", "public", **settings)
    host = "localhost:6543" if "trusted_proxy" in settings else "evil.example:6543"
    assert answers(client, VIEWER, {**HERE, "HTTP_HOST": host}) == expected(SHOWN["1km"])


def test_a_service_of_this_machine_alone_answers_to_no_other_host(make, caplog):
    client = make("1km", "public")
    rebound = {**HERE, "HTTP_HOST": "evil.example:6543"}
    for path in ("/data/receiver.json", "/api/v1/system/info", "/", "/console", "/api/v1/nothing", "/docs"):
        refused = get(client, path, {"Accept": "application/json"}, rebound, 421)
        assert "base_url" in refused.text
        assert "47.4" not in refused.text
    problem = get(client, "/data/receiver.json", {}, rebound, 421).json
    assert (problem["code"], problem["status"]) == ("misdirected_request", 421)
    client.post_json("/api/v1/auth/login", {"username": "a", "password": "b"}, extra_environ=rebound, status=421)
    assert sum("base_url" in record.getMessage() for record in caplog.records) == 1
    # Behind a proxy on the same machine, and after the cure.
    proxied = {**rebound, "HTTP_X_FORWARDED_FOR": "203.0.113.5"}
    assert answers(client, VIEWER, proxied) == expected(SHOWN["1km"])
    for settings in ({"base_url": "http://evil.example:6543"}, {"listen": "0.0.0.0:6543"}):
        assert answers(make("1km", "public", **settings), VIEWER, rebound) == expected(SHOWN["1km"])


def test_validators_of_one_are_none_of_the_other(make):
    client = make("1km")
    for path in ("/api/v1/aircraft", "/api/v1/aircraft/geojson", "/data/aircraft.json", "/api/v1/aircraft/top"):
        exact_etag = get(client, path, ADMIN).headers["ETag"]
        assert get(client, path).headers["ETag"] != exact_etag
        answer = client.get(path, headers={**VIEWER, "If-None-Match": exact_etag}, extra_environ=AWAY)
        assert answer.status_code == 200


def test_the_nearest_ones_are_from_the_place_that_is_shown(make):
    def nearest(client, headers, status=200):
        return get(client, "/api/v1/aircraft/nearest?limit=1", headers, AWAY, status).json

    for accuracy in ("1km", "10km"):
        client = make(accuracy)
        place = SHOWN[accuracy]
        (entry,) = nearest(client, VIEWER)["aircraft"]
        assert entry["from_nm"] == round(float(geo.distance_nm(*place, NEAR["lat"], NEAR["lon"])), 2)
        (entry,) = nearest(client, ADMIN)["aircraft"]
        assert entry["from_nm"] == round(float(geo.distance_nm(*STATION, NEAR["lat"], NEAR["lon"])), 2)
    assert "not shown" in str(nearest(make("none"), VIEWER, 400))


@pytest.mark.parametrize("accuracy", ["1km", "none"])
def test_coverage_and_outline(make, accuracy):
    client = make(accuracy)
    analyst = as_role("analyst")
    if accuracy == "none":
        get(client, "/api/v1/history/coverage", analyst, AWAY, 409)
        get(client, "/data/outline.json", analyst, AWAY, 404)
    else:
        shown = get(client, "/api/v1/history/coverage", analyst).json["station"]
        assert (shown["lat"], shown["lon"]) == SHOWN[accuracy]
    exactly = get(client, "/api/v1/history/coverage", ADMIN).json["station"]
    assert (exactly["lat"], exactly["lon"]) == STATION


def test_sorting_by_distance_goes_by_what_is_shown(make_client):
    """Of two aircraft at nearly the same distance the order would tell on which side the station is."""
    client = install(make_client(auth_mode="hybrid", station_lat=STATION[0], station_lon=STATION[1]))
    place = SHOWN["1km"]
    one, two = {**NEAR, "lat": 47.4513, "lon": 8.66}, {**FAR, "lat": 47.4513, "lon": 8.4784}
    sky = sky_of(placed(one, place), placed(two, place), station=place)
    show(client.runtime, replace(sky, exact_station=STATION))

    def order(headers):
        return [e["hex"] for e in get(client, "/api/v1/aircraft?sort=distance", headers).json["aircraft"]]

    def true_order(station):
        return sorted(("4b1620", "4b1621"), key=lambda h: float(
            geo.distance_nm(*station, *((one if h == "4b1620" else two)[k] for k in ("lat", "lon")))))  # fmt: skip

    assert true_order(place) != true_order(STATION)
    assert order(VIEWER) == true_order(place)
    assert order(ADMIN) == true_order(STATION)


def test_nothing_that_is_encoded_for_all_has_the_exact_place(make):
    client = make("1km")
    for path in ("/api/v1/aircraft", "/data/aircraft.json", "/data/receiver.json", "/api/v1/system/info",
                 "/data/stats.json", "/api/v1/system/status"):  # fmt: skip
        text = get(client, path, as_role("analyst")).text
        assert not any(f"{degrees}"[:7] in text for degrees in STATION), path
    assert msgspec.json.decode(get(client, "/api/v1/auth/config").body)["version"]
