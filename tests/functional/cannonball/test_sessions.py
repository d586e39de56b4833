"""Locations, sessions, patterns and alerts over HTTP: shapes, ownership, and what is refused."""

import json
from datetime import timedelta

import pytest

from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern, SessionPattern
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from tests.functional.cannonball.conftest import ADMIN, ANALYST, OTHER, VIEWER
from tests.identities import as_role, install
from tests.servers import BEFORE_SQL

URL = "/api/v1/cannonball/"
SUMMARY = {
    "id", "icao_hex", "callsign", "is_active", "threat_level", "urgency_score", "distance_nm", "bearing",
    "closing_speed_kts", "last_seen", "pattern_count", "alert_count",
}  # fmt: skip
ALERT = {
    "id", "session", "session_icao", "session_callsign", "alert_type", "priority", "title", "message",
    "title_code", "title_params", "message_code", "message_params",
    "aircraft_lat", "aircraft_lon", "aircraft_altitude", "user_lat", "user_lon", "distance_nm", "bearing", "pattern",
    "notified", "delivered_by", "simulated", "announced", "acknowledged", "acknowledged_at", "created_at",
}  # fmt: skip


@pytest.fixture
def records(client):
    """Of user 2: a running session with a pattern and two alerts, an ended one, a military one; of user 3: one."""
    now = utcnow()
    with writing(client.runtime.sessions) as db:

        def session(user_id, icao_hex, **changes):
            told = {
                "callsign": "PIROL1", "identification": "known", "threat_level": "info", "peak_threat_level": "warning",
                "urgency_score": 30.0, "peak_urgency_score": 60.0, "distance_nm": 9.5, "closest_nm": 4.0,
                "bearing": 120.0, "closing_speed_kts": -10.0, "started_at": now, "last_seen": now, "is_active": True,
            } | changes  # fmt: skip
            row = CannonballSession(user_id=user_id, icao_hex=icao_hex, **told)
            db.add(row)
            db.flush()
            return row.id

        def alert(session_id, user_id, **changes):
            told = {
                "session_icao": "3C0001", "alert_type": "le_detected", "priority": "info", "title": "Police",
                "message": "Police near", "aircraft_lat": 47.0, "aircraft_lon": 8.0, "aircraft_altitude": 1500,
                "user_lat": 47.1, "user_lon": 8.1, "distance_nm": 7.0, "bearing": 200.0, "created_at": now,
            } | changes  # fmt: skip
            row = CannonballAlert(user_id=user_id, session_id=session_id, **told)
            db.add(row)
            db.flush()
            return row.id

        running = session(2, "3C0001", urgency_score=80.0, pattern_count=1, alert_count=2)
        ended = session(2, "3C0002", is_active=False, ended_at=now, end_reason="left_area",
                        started_at=now - timedelta(hours=2))  # fmt: skip
        military = session(2, "AE0001", military=True)
        others = session(3, "3C0001")
        pattern = FlightPattern(
            key="3c0001-1/1", icao_hex="3C0001", pattern_type="circling", is_surveillance=True, confidence="high",
            confidence_score=0.9, center_lat=47.0, center_lon=8.0, radius_nm=0.7, started_at=now, duration_s=300.0,
            details={"turns": 4.0},
        )  # fmt: skip
        db.add(pattern)
        db.flush()
        db.add(SessionPattern(session_id=running, pattern_id=pattern.id))
        return {
            "running": running, "ended": ended, "military": military, "others": others, "pattern": pattern.id,
            "alert": alert(running, 2),
            "second": alert(running, 2, alert_type="overhead", priority="critical", pattern_id=pattern.id),
            "others_alert": alert(others, 3),
        }  # fmt: skip


@pytest.fixture
def published(client):
    """Events on the real-time topic."""
    events = []
    client.runtime.bus.subscribe(["alerts"], lambda m: events.append((m.event, json.loads(m.data), m.audience)))
    return events


def test_a_location_is_put_shown_refreshed_and_ended(client):
    body = client.put_json(URL + "location/", {"lat": 47.1, "lon": 8.2}, headers=VIEWER).json
    assert (body["lat"], body["lon"], body["radius_nm"], body["heading"]) == (47.1, 8.2, 25.0, None)
    assert client.get(URL + "location", headers=VIEWER).json == body
    assert client.get(URL + "location/", headers=OTHER, status=404).json["code"] == "not_found"
    moved = {"lat": 47.2, "lon": 8.2, "heading": 90, "speed_kt": 50.5, "radius_nm": 100}
    assert client.put_json(URL + "location/", moved, headers=VIEWER).json["radius_nm"] == 100
    client.delete(URL + "location/", headers=VIEWER, status=204)
    client.delete(URL + "location/", headers=VIEWER, status=204)
    client.get(URL + "location/", headers=VIEWER, status=404)


@BEFORE_SQL
@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"lat": 90.1}, "lat"), ({"lat": -91}, "lat"), ({"lon": 180.5}, "lon"), ({"lon": "8"}, "lon"),
        ({"lat": None}, "lat"), ({"radius_nm": 100.1}, "radius_nm"), ({"radius_nm": 0}, "radius_nm"),
        ({"heading": 361}, "heading"), ({"speed_kt": -1}, "speed_kt"), ({"speed_kt": 5000}, "speed_kt"),
        ({"altitude": 3}, "altitude"), ({"lat": True}, "lat"),
    ],
)  # fmt: skip
def test_a_wrong_location_is_refused_by_field(client, change, name):
    body = {"lat": 47.0, "lon": 8.0, **change}
    errors = client.put_json(URL + "location/", body, headers=VIEWER, status=400).json["errors"]
    assert [error["name"].removeprefix("body.") for error in errors] == [name]


@BEFORE_SQL
@pytest.mark.parametrize("text", ['{"lat": NaN, "lon": 8}', '{"lat": 1e999, "lon": 8}', '{"lat": Infinity, "lon": 8}'])
def test_a_number_that_is_none_is_refused(client, text):
    client.put(URL + "location/", text, headers=VIEWER, content_type="application/json", status=400)


def test_what_a_positioning_does_not_know_may_be_null(client):
    body = {"lat": 47.0, "lon": 8.0, "heading": None, "speed_kt": None, "radius_nm": None}
    assert client.put_json(URL + "location/", body, headers=VIEWER).json["radius_nm"] == 25.0


def test_a_jump_of_a_thousand_kilometres_starts_over(client):
    client.put_json(URL + "location/", {"lat": 47.0, "lon": 8.0}, headers=VIEWER)
    assert client.put_json(URL + "location/", {"lat": 56.0, "lon": 8.0}, headers=VIEWER).json["lat"] == 56.0


def test_active_sessions_are_the_callers_own_in_the_form_of_the_specification(client, records):
    body = client.get(URL + "sessions/active/", headers=VIEWER).json
    assert set(body) == {"sessions", "count", "next", "previous"}
    assert [s["id"] for s in body["sessions"]] == [records["running"]]
    assert body["count"] == 1
    assert set(body["sessions"][0]) == SUMMARY
    assert body["sessions"][0]["is_active"] is True
    everybody = client.get(URL + "sessions/active/", headers=ADMIN).json
    assert [s["id"] for s in everybody["sessions"]] == [records["running"], records["military"], records["others"]]
    of_viewer = client.get(URL + "sessions/active/", {"user": 2}, headers=ADMIN).json
    assert [s["id"] for s in of_viewer["sessions"]] == [records["running"], records["military"]]
    none = {"sessions": [], "count": 0, "next": None, "previous": None}
    assert client.get(URL + "sessions/active/", {"user": 1}, headers=ADMIN).json == none
    assert client.get(URL + "sessions/active/", {"user": 3}, headers=VIEWER).json["count"] == 0


def test_military_sessions_are_shown_to_those_who_may_see_them(client, records):
    client.get(f"{URL}sessions/{records['military']}/", headers=VIEWER, status=404)
    seeing = as_role("analyst", user_id=2)
    assert client.get(f"{URL}sessions/{records['military']}/", headers=seeing).json["military"] is True


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["ended", "running"]),
        ({"is_active": "true"}, ["running"]),
        ({"icao_hex": "3c0002"}, ["ended"]),
        ({"threat_level": "critical"}, []),
        ({"user": 3}, []),
    ],
)
def test_sessions_are_filtered(client, records, query, names):
    body = client.get(URL + "sessions/", query, headers=VIEWER).json
    assert [s["id"] for s in body["sessions"]] == [records[name] for name in names]
    assert body["count"] == len(names)


def test_sessions_within_a_time(client, records):
    hour_ago = (utcnow() - timedelta(hours=1)).isoformat().replace("+00:00", "Z")
    ids = [s["id"] for s in client.get(URL + "sessions/", {"to": hour_ago}, headers=VIEWER).json["sessions"]]
    assert ids == [records["ended"]]


def test_what_belongs_to_another_does_not_exist(client, records):
    for path in (f"sessions/{records['running']}/", f"alerts/{records['alert']}/"):
        assert client.get(URL + path, headers=OTHER, status=404).json["code"] == "not_found"
        assert client.get(URL + path, headers=ADMIN).json["id"]
    for path in (f"sessions/{records['running']}/end/", f"alerts/{records['alert']}/acknowledge/",
                 f"alerts/{records['alert']}/announced/"):  # fmt: skip
        client.post(URL + path, headers=OTHER, status=404)
    assert client.get(f"{URL}alerts/", {"session": records["running"]}, headers=OTHER).json["count"] == 0
    assert client.get(f"{URL}patterns/", {"session": records["running"]}, headers=OTHER).json["count"] == 0


def test_ending_a_session_is_told_once(client, records, published):
    url = f"{URL}sessions/{records['running']}/end/"
    ended = client.post(url, headers=VIEWER).json
    assert (ended["is_active"], ended["end_reason"]) == (False, "ended_by_user")
    assert client.post(url, headers=VIEWER).json["ended_at"] == ended["ended_at"]
    assert [event for event, _, _ in published] == ["cannonball:session"]
    assert published[0][2].users == {2}
    assert client.get(URL + "sessions/active/", headers=VIEWER).json["count"] == 0


def test_alerts_have_every_field_and_are_filtered(client, records):
    body = client.get(URL + "alerts/", headers=VIEWER).json
    assert [a["id"] for a in body["alerts"]] == [records["second"], records["alert"]]
    assert set(body["alerts"][0]) == ALERT
    assert body["alerts"][0]["pattern"] == records["pattern"]
    for query, name in (({"alert_type": "overhead"}, "second"), ({"priority": "info"}, "alert")):
        found = client.get(URL + "alerts/", query, headers=VIEWER).json
        assert [a["id"] for a in found["alerts"]] == [records[name]]
    assert client.get(URL + "alerts/", {"user": 1}, headers=ADMIN).json["count"] == 0
    assert client.get(URL + "alerts/", {"user": 2}, headers=ADMIN).json["count"] >= 2
    client.get(URL + "alerts/", {"alert_type": "boom"}, headers=VIEWER, status=400)


def test_acknowledging_keeps_the_first_moment(client, records, published):
    url = f"{URL}alerts/{records['alert']}/acknowledge/"
    # Clients send more than what is read.
    first = client.post_json(url, {"note": "seen", "by": {"app": 1}}, headers=VIEWER).json
    assert set(first) == ALERT
    assert first["acknowledged"] is True
    assert first["acknowledged_at"]
    assert client.post(url, headers=VIEWER).json == first
    assert len(published) == 1
    assert client.post(f"{URL}alerts/987654/acknowledge/", headers=VIEWER, status=404).json["code"] == "not_found"


def test_the_newest_of_many_acknowledged_alerts_are_told(client, records, published, monkeypatch):
    monkeypatch.setattr("skywatch.cannonball.sessions.service.ANNOUNCED_AT_ONCE", 1)
    assert client.post(URL + "alerts/acknowledge-all/", headers=VIEWER).json == {"acknowledged": 2}
    alerts = client.get(f"{URL}alerts/", headers=VIEWER).json["alerts"]
    assert all(alert["acknowledged"] and alert["acknowledged_at"] for alert in alerts)
    assert [(event, alert) for event, alert, _ in published] == [("cannonball:alert", alerts[0])]


def test_all_of_the_callers_alerts_are_acknowledged_and_nobody_elses(client, records):
    url = URL + "alerts/acknowledge-all/"
    assert client.post_json(url, {"before": "now"}, headers=VIEWER).json == {"acknowledged": 2}
    assert client.post(url, headers=VIEWER).json == {"acknowledged": 0}
    assert client.get(f"{URL}alerts/{records['others_alert']}/", headers=OTHER).json["acknowledged"] is False


def test_a_client_reports_that_it_spoke_an_alert(client, records):
    assert client.post(f"{URL}alerts/{records['alert']}/announced/", headers=VIEWER).json["announced"] is True
    found = client.get(URL + "alerts/", {"announced": "true"}, headers=VIEWER).json
    assert [a["id"] for a in found["alerts"]] == [records["alert"]]


def test_patterns_are_there_for_all_and_tied_to_the_callers_session(client, records):
    mine = client.get(URL + "patterns/", headers=VIEWER).json["patterns"][0]
    assert (mine["session"], mine["icao_hex"], mine["pattern_type"]) == (records["running"], "3C0001", "circling")
    assert mine["details"] == {"turns": 4.0}
    assert client.get(URL + "patterns/", headers=ANALYST).json["patterns"][0]["session"] is None
    assert client.get(URL + "patterns/", {"active": "false"}, headers=VIEWER).json["count"] == 0
    assert client.get(URL + "patterns/", {"pattern_type": "racetrack"}, headers=VIEWER).json["count"] == 0


@pytest.mark.parametrize("mode", ["public", "hybrid", "private"])
def test_nobody_in_particular_is_refused_everywhere(make_client, mode):
    client = install(make_client(auth_mode=mode))
    for path in ("location/", "sessions/", "sessions/active/", "sessions/1/", "patterns/", "alerts/", "alerts/1/"):
        assert client.get(URL + path, status=401).json["code"] == "authentication_required"
    for path in ("sessions/1/end/", "alerts/1/acknowledge/", "alerts/1/announced/", "alerts/acknowledge-all/"):
        client.post(URL + path, status=401)
    client.put_json(URL + "location/", {"lat": 1, "lon": 1}, status=401)


def test_any_identity_uses_it_in_the_default_settings(client):
    nobody_special = as_role(None, user_id=4)
    assert client.get(URL + "sessions/active/", headers=nobody_special).json["sessions"] == []
    client.put_json(URL + "location/", {"lat": 1, "lon": 1}, headers=nobody_special)
