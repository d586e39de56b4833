"""What is imported is counted before any of it is looked at, and the refusal names the count and the limit."""

import json

import pytest

from skywatch.alerts.access import MAX_GEOFENCES, MAX_GEOMETRY, MAX_LISTED, MAX_RULES
from skywatch.alerts.models import Geofence, Watchlist
from skywatch.alerts.rules import transfer
from skywatch.alerts.watchlists.entries import MAX_ENTRIES, MAX_LINES
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.polygons.geometry import MAX_POSITIONS
from tests.alerts import BOX
from tests.functional.alerts.conftest import URL

pytestmark = pytest.mark.portable("sends what others send", but=["test_what_a_user_has_altogether_is_limited"])

# Places from which geometries are read and entries of watch lists parsed.
WORK = (
    "skywatch.core.polygons.imports.parse_geometry",
    "skywatch.core.polygons.imports.parse_openair",
    "skywatch.alerts.types.parse_geometry",
    "skywatch.alerts.types.parse",
    "skywatch.alerts.watchlists.entries.parse_entry",
    "skywatch.alerts.watchlists.schemas.parse_entry",
)


@pytest.fixture
def no_work(monkeypatch):
    """Whatever reads a part of an import fails."""

    def fail(*args):
        raise AssertionError("something was read before it was counted")

    for name in WORK:
        monkeypatch.setattr(name, fail)


@pytest.fixture
def refused(client, no_work):
    """Sends an import and returns what it is refused with, as text."""

    def send(path, body, content_type="application/json", status=409):
        data = body if isinstance(body, str) else json.dumps(body)
        answer = client.post(
            URL + path, data, content_type=content_type, headers=client.people["olga"], status=status
        ).json
        return " ".join([answer["detail"], *(error["detail"] for error in answer.get("errors", ()))])

    return send


@pytest.mark.parametrize(("kind", "most"), [("rules", 500), ("geofences", 200), ("watchlists", 200)])
def test_one_more_in_an_export_than_a_user_may_have(refused, kind, most):
    words = refused("rules/import", {"version": 1, kind: [{}] * (most + 1)})
    assert str(most) in words
    assert str(most + 1) in words


def test_entries_of_an_export_that_are_no_objects(refused):
    document = {"version": 1, "rules": [7], "geofences": [{"id": 1}, [], {"name": "\0"}], "watchlists": [None]}
    words = refused("rules/import", document, status=400)
    assert words.count("must be an object") == 3
    assert "NUL" in words


def collection(count, geometry=BOX):
    feature = {"type": "Feature", "geometry": geometry, "properties": {}}
    return {"type": "FeatureCollection", "features": [feature] * count}


def circle_of(positions):
    return {"type": "Polygon", "coordinates": [[[0, 0]] * positions]}


@pytest.mark.deep("costs over a processor second")
def test_geofences_of_geojson(refused):
    words = refused("geofences/import", collection(20_000))
    assert str(MAX_GEOFENCES) in words
    assert "20000" in words


def test_geofences_of_geojson_that_are_nothing(refused):
    assert "20000" in refused("geofences/import", {"type": "FeatureCollection", "features": [0] * 20_000})


def test_positions_of_geofences(refused):
    words = refused("geofences/import", collection(11, circle_of(10_000)), status=400)
    assert str(MAX_POSITIONS) in words
    assert "110000" in words


def test_geofences_of_openair(refused):
    words = refused("geofences/import", "AC D\nAN Zone\n" * 20_000, "text/plain")
    assert str(MAX_GEOFENCES) in words
    assert "20000" in words


def test_arcs_of_openair_end_where_there_are_too_many(client):
    circles = "AC D\nV X=47:27:30 N 008:33:20 E\n" + "DC 5\n" * 10_000
    answer = client.post(
        f"{URL}geofences/import", circles, content_type="text/plain", headers=client.people["olga"], status=400
    ).json
    assert [(e["name"], str(MAX_POSITIONS) in e["detail"]) for e in answer["errors"]] == [("line 836", True)]


def test_rules_of_an_export(refused):
    words = refused("rules/import", {"version": 1, "rules": [{"name": "R"}] * 20_000})
    assert str(MAX_RULES) in words
    assert "20000" in words


def test_rules_of_an_export_are_added_to_those_that_exist(client, refused, monkeypatch):
    monkeypatch.setattr(transfer, "MAX_RULES", 3)
    words = refused("rules/import", {"version": 1, "rules": [{"name": "R"}] * 4})
    assert "at most 3 rules" in words
    assert "4 more" in words


@pytest.mark.deep("costs over a processor second")
def test_geofences_and_watch_lists_of_an_export(refused):
    fences = [{"id": n, "name": "F", "geometry": circle_of(10_000)} for n in range(11)]
    assert "110000" in refused("rules/import", {"version": 1, "geofences": fences}, status=400)
    lists = [{"id": n, "name": "L", "entries": ["4B1620"] * 50_000} for n in range(5)]
    assert "250000" in refused("rules/import", {"version": 1, "watchlists": lists}, status=400)


@pytest.mark.parametrize("content_type", ["text/plain", "text/csv"])
def test_lines_of_watch_lists(client, content_type, monkeypatch):
    listed = client.post_json(f"{URL}watchlists", {"name": "L"}, headers=client.people["olga"]).json["id"]
    path = f"{URL}watchlists/{listed}/import"
    calls = []
    monkeypatch.setattr("skywatch.alerts.watchlists.entries.parse_entry", calls.append)

    def refused(text):
        answer = client.post(path, text, content_type=content_type, headers=client.people["olga"], status=400).json
        return answer["errors"][0]["detail"]

    words = refused("4B1620\n" * (MAX_LINES + 5))
    assert str(MAX_LINES) in words
    assert str(MAX_LINES + 6) in words
    assert calls == []
    assert str(MAX_ENTRIES) in refused("4B1620\n" * (MAX_ENTRIES + 5))
    assert len(calls) == MAX_ENTRIES


def test_what_a_user_has_altogether_is_limited(client):
    headers = client.people["olga"]
    fence = client.post_json(f"{URL}geofences", {"name": "F", "geometry": BOX}, headers=headers).json
    listed = client.post_json(f"{URL}watchlists", {"name": "L", "entries": ["4B1620"]}, headers=headers).json
    now = utcnow()
    with writing(client.runtime.sessions) as session:
        dated = {"user_id": fence["user"], "created_at": now, "updated_at": now}
        large = {**BOX, "name": "x" * (MAX_GEOMETRY - 100)}
        session.add(Geofence(name="Large", geometry=large, **dated))
        session.add(Watchlist(name="Large", entries="", entry_count=MAX_LISTED - 1, **dated))
    wider = {"geometry": {"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [1, 0], [0, 0]]]}}
    for send, path, body in (
        (client.post_json, "geofences", {"name": "F", **wider}),
        (client.patch_json, f"geofences/{fence['id']}", wider),
        (client.post_json, "watchlists", {"name": "L", "entries": ["4B1621", "4B1622"]}),
        (client.patch_json, f"watchlists/{listed['id']}", {"entries": ["4B1621", "4B1622"]}),
    ):
        answer = send(URL + path, body, headers=headers, status=409).json
        assert str(MAX_GEOMETRY if "geofences" in path else MAX_LISTED) in answer["detail"]
    # What is there can be made smaller, or stay.
    client.patch_json(f"{URL}geofences/{fence['id']}", {"name": "G"}, headers=headers)
    client.patch_json(f"{URL}watchlists/{listed['id']}", {"entries": ["4B1623"]}, headers=headers)


def test_a_page_ends_before_its_limit_where_geometries_are_large(client, monkeypatch):
    monkeypatch.setattr("skywatch.alerts.geofences.queries.READ_AT_ONCE", 2)
    monkeypatch.setattr("skywatch.alerts.geofences.queries.MAX_PAGE", 1)
    headers = client.people["olga"]
    made = [
        client.post_json(f"{URL}geofences", {"name": f"F{n}", "geometry": BOX}, headers=headers).json for n in range(5)
    ]
    seen, address = [], f"{URL}geofences?limit=4"
    while address:
        page = client.get(address, headers=headers).json
        assert page["count"] == 5
        seen.append(page["geofences"])
        address = page["next"]
    assert [len(part) for part in seen] == [2, 2, 1]
    assert [fence for part in seen for fence in part] == made


def test_long_edges_side_by_side_are_refused_before_each_is_compared_with_each(client):
    teeth = [[n * 1e-4 + 10 * (n % 4 in (1, 2)), -n * 1e-4 + 10 * (n % 4 in (1, 2))] for n in range(9_000)]
    comb = {"type": "Polygon", "coordinates": [[*teeth, [-5, -5], teeth[0]]]}
    body = {"name": "Comb", "geometry": comb}
    answer = client.post_json(f"{URL}geofences", body, headers=client.people["olga"], status=400).json
    assert answer["errors"][0]["detail"] == "has too many long edges close to each other"
