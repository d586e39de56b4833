"""Overflights over REST: areas, heights, counts, who sees what, and files."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from skywatch.alerts.models import Geofence
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.database.engine import writing
from skywatch.history.models import Flight
from skywatch.picture.counted import record_real_sky
from skywatch.security.permissions import Permission
from tests.identities import as_role, install_with_users
from tests.unit.overflights.drawn import BEGIN, Drawn, store

V1 = "/api/v1/overflights"
VIEWER = as_role("viewer")
OPERATOR = as_role("operator", 1, None, Permission.AIRCRAFT_VIEW_MILITARY)
DAY = 86_400.0
BOX = "7.9,46.9,8.1,47.1"
RING = [[7.9, 46.9], [8.1, 46.9], [8.1, 47.1], [7.9, 47.1], [7.9, 46.9]]


def iso(seconds):
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def line(number, at, height, **marks):
    """A flight that crosses the middle from west to east."""
    points = [(at + 20 * n, 47.0, round(7.8 + 0.02 * n, 5), height, n == 0) for n in range(21)]
    return Drawn(number, 0x4B0000 + number, points, **marks)


@pytest.fixture
def client(make_client):
    client = install_with_users(
        make_client(auth_mode="hybrid", station_lat=47, station_lon=8, station_timezone="Europe/Zurich")
    )
    with writing(client.runtime.sessions) as session:
        record_real_sky(session)
        store(
            session,
            [
                line(1, BEGIN + 3_600, 1_000.0),  # 03:00 in Zurich
                line(2, BEGIN + 10 * 3_600, 2_000.0),
                line(3, BEGIN + 11 * 3_600, 2_500.0, military=True),
                line(4, BEGIN + 12 * 3_600, 8_000.0),
                line(5, BEGIN + 34 * 3_600, 1_500.0),
                line(6, BEGIN + 35 * 3_600, 1_500.0, simulated=True),
            ],
        )
        fences = [(1, "=1+1", 500.0), (2, "Other", None)]
        for number, (user, name, elevation) in enumerate(fences, 1):
            session.add(
                Geofence(
                    id=number, user_id=user, name=name, geometry={"type": "Polygon", "coordinates": [RING]},
                    elevation_ft=elevation, created_at=utcnow(), updated_at=utcnow(),
                )
            )  # fmt: skip
    return client


def ask(client, headers=OPERATOR, status=200, **query):
    given = {"from": iso(BEGIN), "to": iso(BEGIN + 2 * DAY), "below_ft": 3_000} | query
    given = {name: str(value) for name, value in given.items() if value is not None}
    return client.get(V1, given, headers=headers, status=status)


def test_flights_over_an_area_are_listed_and_counted(client):
    found = ask(client, bbox=BOX).json
    assert [flight["flight_id"] for flight in found["flights"]] == [5, 3, 2, 1]
    assert found["count"] == 4
    first = found["flights"][-1]
    assert first == {
        "flight_id": 1,
        "icao_hex": "4B0001",
        "callsign": "TST1",
        "registration": "HB-ABC",
        "type": "C172",
        "entered_at": iso(BEGIN + 3_700),
        "left_at": iso(BEGIN + 3_900),
        "lowest_ft": 1_000,
        "closest_nm": 0.0,
        "at_night": True,
    }
    assert {hour: flights for hour, flights in enumerate(found["by_hour"]) if flights} == {3: 1, 12: 2, 13: 1}
    assert found["by_day"] == [
        {"day": "2026-06-01", "flights": 3, "night": 1},
        {"day": "2026-06-02", "flights": 1, "night": 0},
        {"day": "2026-06-03", "flights": 0, "night": 0},
    ]
    assert found["by_type"] == [
        {"type": None, "flights": 2},
        {"type": "A320", "flights": 1},
        {"type": "C172", "flights": 1},
    ]
    assert (found["night_share"], found["timezone"], found["simulated"]) == (0.25, "Europe/Zurich", False)
    page = ask(client, bbox=BOX, limit=1, offset=1).json
    assert [flight["flight_id"] for flight in page["flights"]] == [3]
    assert page["count"] == 4
    assert page["by_hour"] == found["by_hour"]


def test_the_whole_world_is_an_area_drawn_the_way_it_lies(client):
    found = ask(client, bbox="-180,-90,180,90").json
    assert [flight["flight_id"] for flight in found["flights"]] == [5, 3, 2, 1]
    (ring,) = found["area"]["geometry"]["coordinates"]
    assert ring[:4] == [[-180, -90], [-60, -90], [60, -90], [180, -90]]
    assert ring[4:] == [[180, 90], [60, 90], [-60, 90], [-180, 90], [-180, -90]]
    assert ask(client, bbox="-100,40,100,50").json["count"] == 4
    assert ask(client, bbox="100,40,-100,50").json["count"] == 0


def test_a_flight_stays_in_the_day_in_which_it_entered(client):
    at = datetime(2026, 6, 2, 22, tzinfo=UTC).timestamp() - 100.04
    with writing(client.runtime.sessions) as session:
        store(session, [line(7, at, 1_200.0)])
    found = ask(client, bbox=BOX, to=iso(BEGIN + 3 * DAY)).json
    assert found["flights"][0]["entered_at"] == "2026-06-02T21:59:59.900Z"
    assert {entry["day"]: entry["flights"] for entry in found["by_day"]}["2026-06-02"] == 2
    assert ask(client, bbox=BOX, to="2026-06-02T22:00:00Z").json["count"] == 5
    assert ask(client, bbox=BOX, **{"from": "2026-06-02T22:00:00Z"}, to=iso(BEGIN + 3 * DAY)).json["count"] == 0


def test_without_the_rights_military_aircraft_have_never_flown_and_registrations_are_null(client):
    found = ask(client, VIEWER, bbox=BOX).json
    assert [flight["flight_id"] for flight in found["flights"]] == [5, 2, 1]
    assert {flight["registration"] for flight in found["flights"]} == {None}
    assert sum(found["by_hour"]) == sum(entry["flights"] for entry in found["by_type"]) == 3


@pytest.mark.deep("costs over a processor second")
def test_heights_over_the_ground_are_from_the_elevation_of_query_geofence_or_airport(client):
    assert ask(client, geofence=1, below_ft=2_000).json["count"] == 2
    found = ask(client, geofence=1, below_ft=2_000, over="ground").json
    assert (found["count"], found["elevation_ft"]) == (3, 500)
    assert found["flights"][-1]["lowest_ft"] == 500
    assert ask(client, geofence=1, below_ft=2_000, over="ground", elevation_ft=7_000).json["count"] == 5
    near = ask(client, bbox=BOX, over="ground").json
    assert 1_000 < near["elevation_ft"] < 3_000, "of the nearest airport"


def test_a_geofence_of_nobody_else_is_answered(client):
    found = ask(client, geofence=1).json
    assert (found["area"]["name"], found["area"]["geometry"]["coordinates"]) == ("=1+1", [RING])
    assert found["area"]["lat"] == pytest.approx(47.0)
    assert ask(client, geofence=2, status=404).json["code"] == "not_found"
    assert ask(client, geofence=99, status=404).json["code"] == "not_found"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({}, "geofence"),
        ({"geofence": 1, "bbox": BOX}, "bbox"),
        ({"bbox": BOX, "to": iso(BEGIN - 1)}, "from"),
        ({"bbox": BOX, "to": iso(BEGIN + 93 * DAY)}, "to"),
        ({"bbox": BOX, "below_ft": 0}, "below_ft"),
        ({"bbox": BOX, "format": "xls"}, "format"),
        ({"bbox": BOX, "over": "moon"}, "over"),
        ({"bbox": "8,47,8,48"}, "bbox"),
        ({"bbox": "8,47,9,47.0000001"}, "bbox"),
        ({"bbox": "180,47,-180,48"}, "bbox"),
        ({"bbox": BOX, "from": "9999-12-31T00:00:00Z", "to": "9999-12-31T23:59:59.999999Z"}, "from"),
        ({"bbox": BOX, "from": "0001-01-01T00:00:00Z", "to": "0001-01-02T00:00:00Z"}, "from"),
        ({"bbox": BOX, "from": None, "to": "1969-12-31T00:00:00Z"}, "to"),
        ({"bbox": BOX, "from": None, "to": "0001-01-01T00:00:00Z"}, "to"),
    ],
)
def test_what_is_no_question_is_refused_by_name(client, query, name):
    assert ask(client, status=400, **query).json["errors"][0]["name"] == name


@pytest.mark.parametrize(("days", "status"), [(92, 400), (91.9, 200)])
def test_a_span_without_an_end_ends_now(client, days, status):
    begin = to_iso(utcnow() - timedelta(days=days))
    answer = ask(client, bbox=BOX, status=status, **{"from": begin, "to": None}).json
    if status == 200:
        assert utcnow() - datetime.fromisoformat(answer["to"]) < timedelta(hours=1)
    else:
        (error,) = answer["errors"]
        assert (error["name"], error["detail"]) == ("from", "may be at most 92 days ago without an end")


def test_more_flights_than_are_held_at_once_are_refused(client, monkeypatch):
    monkeypatch.setattr("skywatch.overflights.service.MOST_FLIGHTS", 3)
    (error,) = ask(client, bbox=BOX, status=400).json["errors"]
    assert (error["name"], error["detail"]) == ("from", "has more than 3 flights since then: ask for less")
    assert ask(client, VIEWER, bbox=BOX).json["count"] == 3


def test_a_span_has_seven_days_by_default_and_may_have_92(client):
    found = ask(client, bbox=BOX, **{"from": None}).json
    assert found["from"] == iso(BEGIN - 5 * DAY)
    assert ask(client, bbox=BOX, **{"from": iso(BEGIN - 90 * DAY)}).json["count"] == 4


@pytest.mark.parametrize(("form", "media_type"), [("csv", "text/csv"), ("pdf", "application/pdf")])
def test_the_same_request_gives_the_same_bytes(client, form, media_type):
    one, other = (ask(client, geofence=1, format=form) for _ in range(2))
    assert one.body == other.body
    assert one.content_type == media_type
    assert one.content_disposition == f'attachment; filename="overflights-20260601-20260603.{form}"'


def test_the_table_has_all_pages_and_runs_nothing(client):
    with writing(client.runtime.sessions) as session:
        session.execute(sa.update(Flight).where(Flight.id == 1).values(callsign="=1+1", registration='a,"b\nc'))
    table = ask(client, bbox=BOX, format="csv", limit=1)
    rows = list(csv.DictReader(io.StringIO(table.text, newline="")))
    assert [row["flight_id"] for row in rows] == ["5", "3", "2", "1"]
    assert (rows[3]["at_night"], rows[3]["entered_at"]) == ("true", iso(BEGIN + 3_700))
    assert (rows[3]["callsign"], rows[3]["registration"]) == ("'=1+1", 'a,"b\nc')


def test_simulated_aircraft_count_until_others_are_heard(make_client):
    client = install_with_users(make_client(auth_mode="hybrid"))
    with writing(client.runtime.sessions) as session:
        store(session, [line(6, BEGIN + 3_600, 1_500.0, simulated=True)])
    assert ask(client, bbox=BOX).json["count"] == 1
    with writing(client.runtime.sessions) as session:
        record_real_sky(session)
    assert ask(client, bbox=BOX).json["count"] == 0


def test_a_geofence_has_an_elevation(client):
    url = "/api/v1/alerts/geofences/"
    body = {"name": "Home", "geometry": {"type": "Polygon", "coordinates": [RING]}, "elevation_ft": 1_450}
    made = client.post_json(url, body, headers=OPERATOR, status=201).json
    assert made["elevation_ft"] == 1_450
    export = client.get(f"{url}export", headers=OPERATOR).json
    assert export["features"][-1]["properties"]["elevation_ft"] == 1_450
    imported = client.post_json(f"{url}import", export["features"][-1], headers=OPERATOR).json
    assert imported["geofences"][0]["elevation_ft"] == 1_450
    changed = client.patch_json(f"{url}{made['id']}/", {"elevation_ft": None}, headers=OPERATOR).json
    assert changed["elevation_ft"] is None
