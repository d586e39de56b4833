"""Safety events over REST: who sees which, filters, acknowledging, thresholds, places and areas."""

import json
from datetime import UTC, datetime, timedelta

import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.safety.detection.finding import Finding, Position, Quantity
from skywatch.safety.events import storage
from skywatch.safety.events.tracker import EventTracker
from skywatch.safety.models import SafetyPlace, SafetyRegion
from skywatch.safety.thresholds.thresholds import FIELDS, Thresholds
from tests.archives import archive
from tests.identities import as_role, install

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_acknowledging_an_archived_event_archives_its_day_again",
        "test_areas_are_geojson_live_and_at_a_moment",
        "test_filters",
        "test_places_are_listed_and_forgotten",
        "test_thresholds_have_units_and_sources_and_are_changed_with_an_audit_entry",
        "test_what_is_military_is_hidden_in_lists_counts_and_areas",
    ],
)

V1 = "/api/v1/safety"
VIEWER = as_role("viewer", user_id=2)
OPERATOR = as_role("operator", user_id=3)
ANALYST = as_role("analyst", user_id=4)
ADMIN = as_role("admin", user_id=1)
NOW = datetime.now(UTC)


@pytest.fixture
def client(make_client, database_url):
    return install(make_client(database_url=database_url, auth_mode="hybrid"))


def finding(key="4b0001", kind="emergency_squawk", **fields):
    values = {
        "severity": "critical", "message": f"{key} declares", "hexes": (key,), "callsigns": ("SWR1",),
        "numbers": {"squawk": Quantity("7700")}, "position": Position(47.0, 8.0, 9000),
    }  # fmt: skip
    return Finding(type=kind, key=key, **{**values, **fields})


def store(client, *findings, ended=False, at=None):
    """Write events through the book, as the monitor does; the messages that were published."""
    at = at or NOW.timestamp() - 60
    book = EventTracker()
    changes = book.update(findings, at, Thresholds())
    if ended:
        changes += book.update((), at + 1000, Thresholds())
    with writing(client.runtime.sessions) as session:
        return storage.write(session, changes)[1]


def listed(client, headers, query=""):
    return client.get(f"{V1}/events{query}", headers=headers).json["events"]


def test_an_event_is_listed_with_all_that_the_contract_names(client):
    store(client, finding())
    [event] = listed(client, VIEWER)
    assert event["icao_hex"] == "4B0001"
    assert (event["type"], event["severity"], event["ended_at"]) == ("emergency_squawk", "critical", None)
    assert event["numbers"] == {"squawk": {"value": "7700", "unit": ""}}
    assert event["position"] == {"lat": 47.0, "lon": 8.0, "altitude_ft": 9000}
    assert (event["acknowledged"], event["acknowledged_by"], event["suppressed_by"]) == (False, None, [])
    assert client.get(f"{V1}/events/{event['id']}", headers=VIEWER).json == event
    assert client.get(f"{V1}/events/active", headers=VIEWER).json["events"] == [event]


def test_filters(client):
    store(client, finding(), finding("4b0002", "acas_ra"), finding("4b0003", suppressed_by=("formation",)))
    store(client, finding("4b0004", severity="warning"), ended=True, at=NOW.timestamp() - 5000)
    counts = {
        "": 4, "?type=acas_ra": 1, "?severity=warning": 1, "?icao_hex=4B0002": 1, "?active=true": 3,
        "?active=false": 1, "?acknowledged=true": 0, "?suppressed=true": 1, "?suppressed=false": 3,
        f"?from={(NOW - timedelta(hours=1)):%Y-%m-%dT%H:%M:%SZ}": 3,
        f"?to={(NOW - timedelta(hours=1)):%Y-%m-%dT%H:%M:%SZ}": 1,
    }  # fmt: skip
    assert {query: len(listed(client, VIEWER, query)) for query in counts} == counts
    client.get(f"{V1}/events?type=nothing", headers=VIEWER, status=400)


def test_acknowledging_twice_keeps_the_first(client):
    store(client, finding())
    [event] = listed(client, OPERATOR)
    path = f"{V1}/events/{event['id']}/acknowledge"
    client.post(path, headers=VIEWER, status=403)
    # Clients send more than what is read.
    first = client.post_json(path, {"note": "seen", "client": {"version": 2}}, headers=OPERATOR).json
    assert first["acknowledged"] is True
    second = client.post(path, headers=ADMIN).json
    assert second == first
    assert listed(client, OPERATOR, "?acknowledged=true") == [first]


def test_acknowledging_an_archived_event_archives_its_day_again(make_client, database_url, tmp_path):
    settings = {"database_url": database_url, "archive_url": f"file://{tmp_path}/archive", "archive_kinds": "safety"}
    client = install(make_client(auth_mode="hybrid", **settings))
    store(client, finding(), ended=True, at=NOW.timestamp() - 3 * 86_400)
    archive(client.runtime.sessions, client.runtime.settings, now=NOW)
    [event] = listed(client, OPERATOR)

    def archived():
        [file] = (tmp_path / "archive").rglob("safety*.parquet")
        return pq.ParquetFile(file).read(columns=["id", "acknowledged"]).to_pylist()

    assert archived() == [{"id": int(event["id"]), "acknowledged": False}]
    client.post(f"{V1}/events/{event['id']}/acknowledge", headers=OPERATOR)
    archive(client.runtime.sessions, client.runtime.settings, now=NOW)
    assert archived() == [{"id": int(event["id"]), "acknowledged": True}]


@pytest.fixture
def published(client):
    messages = []
    client.runtime.bus.subscribe(["safety"], messages.append)
    return messages


def test_the_first_acknowledgement_is_published_to_those_who_may_see_the_event(client, published):
    store(client, finding("ae0001", military=True))
    [event] = listed(client, ADMIN)
    published.clear()
    for headers in (ADMIN, ADMIN):
        client.post(f"{V1}/events/{event['id']}/acknowledge", headers=headers)
    [message] = published
    assert message.event == "safety:event_updated"
    assert message.audience.needs == {"aircraft.view_military"}
    data = json.loads(message.data)
    assert (data["id"], data["acknowledged"], data["ended_at"]) == (event["id"], True, None)
    assert data["acknowledged_by"] == client.get(f"{V1}/events/{event['id']}", headers=ADMIN).json["acknowledged_by"]


def test_an_acknowledgement_of_an_event_that_is_held_back_is_not_published(client, published):
    store(client, finding(suppressed_by=("formation",), severity="info"))
    [event] = listed(client, OPERATOR)
    answer = client.post(f"{V1}/events/{event['id']}/acknowledge", headers=OPERATOR).json
    assert answer["acknowledged"] is True
    assert published == []


def test_what_is_military_is_hidden_in_lists_counts_and_areas(client):
    messages = store(client, finding(), finding("ae0001", military=True))
    assert [event["icao_hex"] for event in listed(client, VIEWER)] == ["4B0001"]
    assert {event["icao_hex"] for event in listed(client, ANALYST)} == {"4B0001", "AE0001"}
    [hidden] = [event for event in listed(client, ANALYST) if event["icao_hex"] == "AE0001"]
    client.get(f"{V1}/events/{hidden['id']}", headers=VIEWER, status=404)
    client.post(f"{V1}/events/{hidden['id']}/acknowledge", headers=OPERATOR, status=404)
    assert client.get(f"{V1}/stats", headers=VIEWER).json["total"] == 1
    assert client.get(f"{V1}/stats", headers=ANALYST).json["total"] == 2
    assert {frozenset(message.audience.needs) for message in messages} == {
        frozenset(), frozenset({"aircraft.view_military"}),
    }  # fmt: skip


def test_an_event_that_is_held_back_is_stored_and_not_published(client):
    assert store(client, finding(suppressed_by=("formation",), severity="info")) == []
    stats = client.get(f"{V1}/stats", headers=VIEWER).json
    assert (stats["total"], stats["suppressed"], stats["active"]) == (0, 1, 0)


def region(military=False, at=NOW, name="region:1:1"):
    return SafetyRegion(
        region=name, from_at=at - timedelta(minutes=5), until_at=at, cell_deg=0.5, cells=["94:16", "94:17"], bad=4,
        good=5, military=military,
    )  # fmt: skip


def test_areas_are_geojson_live_and_at_a_moment(client):
    store(client, finding("region:1:1", "position_integrity", hexes=("4b0001",)))
    with writing(client.runtime.sessions) as session:
        session.add_all([region(), region(True, name="region:2:2")])
    [area] = client.get(f"{V1}/areas", headers=VIEWER).json["features"]
    assert area["geometry"]["type"] == "MultiPolygon"
    assert len(area["geometry"]["coordinates"]) == 2
    assert (area["properties"]["bad"], area["properties"]["good"]) == (4, 5)
    moment = f"{NOW - timedelta(minutes=2):%Y-%m-%dT%H:%M:%SZ}"
    assert len(client.get(f"{V1}/areas?at={moment}", headers=VIEWER).json["features"]) == 1
    assert len(client.get(f"{V1}/areas?at={moment}", headers=ANALYST).json["features"]) == 2
    before = f"{NOW - timedelta(hours=2):%Y-%m-%dT%H:%M:%SZ}"
    for moment in (before, "0001-01-01T00:00:00-14:00", "9999-12-31T23:59:59Z"):
        assert client.get(f"{V1}/areas?at={moment}", headers=VIEWER).json["features"] == []


def test_thresholds_have_units_and_sources_and_are_changed_with_an_audit_entry(client):
    shown = {entry["name"]: entry for entry in client.get(f"{V1}/settings", headers=VIEWER).json["settings"]}
    assert set(shown) == set(FIELDS)
    assert all(entry["source"] and entry["minimum"] <= entry["default"] <= entry["maximum"] for entry in shown.values())
    client.patch_json(f"{V1}/settings", {"leap_nm": 7}, headers=OPERATOR, status=403)
    client.patch_json(f"{V1}/settings", {"no_such_threshold": 7}, headers=ADMIN, status=400)
    client.patch_json(f"{V1}/settings", {"leap_nm": 7000}, headers=ADMIN, status=400)
    changed = client.patch_json(f"{V1}/settings", {"leap_nm": 7}, headers=ADMIN).json["settings"]
    assert next(entry for entry in changed if entry["name"] == "leap_nm")["value"] == 7
    with client.runtime.sessions() as session:
        [entry] = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "safety.settings_changed"))
        assert (entry.before, entry.after) == ({"leap_nm": 5.0}, {"leap_nm": 7.0})


def test_places_are_listed_and_forgotten(client):
    with writing(client.runtime.sessions) as session:
        session.add(
            SafetyPlace(
                y=470, x=80, levels={"12": 40}, runway_lat=47.01, runway_lon=8.02, runway_visits=3, updated_at=NOW
            )
        )
    [place] = client.get(f"{V1}/places", headers=ADMIN).json["places"]
    assert (place["south"], place["west"], place["floor_ft"]) == (47.0, 8.0, 6000)
    assert place["runway"] == {"lat": 47.01, "lon": 8.02}
    client.delete(f"{V1}/places", headers=OPERATOR, status=403)
    assert client.delete(f"{V1}/places", headers=ADMIN).json == {"forgotten": 1}
    assert client.get(f"{V1}/places", headers=ADMIN).json["places"] == []
