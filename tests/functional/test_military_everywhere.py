"""Who turns military is known by nothing that was stored of it before, whatever is asked; and shown again by a word."""

from datetime import UTC, timedelta

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.acars.models import AcarsMessage
from skywatch.airframes.military import record_lists, record_reports
from skywatch.airframes.models import AirframeRecord
from skywatch.alerts.models import Alert, AlertRule
from skywatch.audio.models import Recording, Transmission
from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern, KnownAircraft, SessionPattern
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.history.storage.points import POINT, address_code
from skywatch.notify.models import Channel, Delivery
from skywatch.safety.models import SafetyEvent, SafetyRegion
from skywatch.security.permissions import Permission
from tests.identities import as_role, install_with_users
from tests.unit.history.stored import row, store
from tests.waiting import until

GHOST, OTHER = "A12345", "4B1620"
# By what the aircraft could be known: address, callsign, registration, and words about it.
TRACES = ("a12345", "ghost77", "n77gho", "about the ghost")
EVERYTHING_ELSE = [permission for permission in Permission if permission != Permission.AIRCRAFT_VIEW_MILITARY]
OPERATOR, ROOT = as_role("operator", 1, None, *EVERYTHING_ELSE), as_role("superadmin", 1)
SYSTEM = as_role("admin", 2)


@pytest.fixture
def client(make_client):
    return install_with_users(make_client(auth_mode="hybrid", station_lat=47.0, station_lon=8.0))


@pytest.fixture
def begin(client):
    """When the ghost flew: everything that is stored of it, in every table that names aircraft."""
    now = utcnow().replace(microsecond=0)
    at = now - timedelta(minutes=90)
    with writing(client.runtime.sessions) as session:
        _messages(session, at)
        _safety(session, at)
        _alerts(session, at)
        _cannonball(session, at)
        _audio(session, at)
        _airframe(session, flags=0)
    _flights(client.runtime.sessions, at)
    return at


def _airframe(session, flags):
    empty = dict.fromkeys(("type_code", "type_name", "operator", "owner"), "")
    names = {"icao_hex": GHOST, "source": "tar1090", "registration": "N77GHO"}
    session.merge(AirframeRecord(**names, year=0, flags=flags, **empty))


def _flights(sessions, at):
    points = np.zeros(60, POINT)
    points["aircraft"], points["flight"] = address_code(GHOST), 7
    points["at"] = round(at.timestamp() * 100) + np.arange(60) * 1000
    points["lat"], points["lon"], points["alt"] = 4_700_000 + np.arange(60) * 500, 800_000, 2000
    times = {"first_seen_at": at, "last_seen_at": at + timedelta(minutes=10)}
    names = {"callsign": "GHOST77", "registration": "N77GHO", "aircraft_type": "C17", "operator": "About the ghost"}
    store(sessions, points, [row(7, GHOST, **names, **times)])


def _messages(session, at):
    empty = dict.fromkeys(column.name for column in AcarsMessage.__table__.c if column.nullable)
    common = {
        "at": at, "received_at": at, "source": "vdl2", "station": "A", "label": "H1", "text": "ABOUT THE GHOST",
        "search_text": "about the ghost", "incomplete": False, "heard_by": [], "repeats": 0, "raw": {},
        "military": False,
    }  # fmt: skip
    names = {"icao_hex": GHOST, "registration": "N77GHO", "flight": "GHOST77", "callsign": "GHOST77", "flight_id": 7}
    session.add(AcarsMessage(**empty | common | names))
    session.add(AcarsMessage(**empty | common | {"registration": "N77GHO"}))


def _safety(session, at):
    empty = dict.fromkeys(column.name for column in SafetyEvent.__table__.c)
    session.add(
        SafetyEvent(
            **empty
            | {
                "id": 1, "type": "proximity", "severity": "critical", "key": "p", "icao_hex": OTHER,
                "icao_hex_2": GHOST, "hexes": [OTHER, GHOST], "callsigns": ["SWR1", "GHOST77"], "numbers": {},
                "message": "About the ghost", "began_at": at, "last_at": at, "ended_at": at, "lat": 47.0, "lon": 8.0,
                "suppressed_by": [], "held_back": False, "military": False, "acknowledged": False,
            }
        )
    )  # fmt: skip
    session.add(
        SafetyRegion(
            region="About the ghost", from_at=at, until_at=at, cell_deg=0.5, cells=["94:16"], aircraft=[GHOST], bad=3,
            good=1, military=False,
        )
    )  # fmt: skip


def _alerts(session, at):
    session.add(
        AlertRule(
            id=1, user_id=1, name="Low", priority="info", conditions={"field": "alt_baro", "op": "lt", "value": 1},
            for_s=0, cooldown_s=0, visibility="private", created_at=at, updated_at=at,
        )
    )  # fmt: skip
    session.flush()
    common = {
        "user_id": 1, "rule_id": 1, "rule_name": "Low", "priority": "info", "message": "About the ghost",
        "geofence": None, "military": False, "triggered_at": at, "cleared_at": None,
    }  # fmt: skip
    body = {"hex": GHOST.lower(), "flight": "GHOST77", "r": "N77GHO"}
    names = {"icao_hex": GHOST, "callsign": "GHOST77", "registration": "N77GHO", "count": None}
    session.add(Alert(id=1, aircraft=body, matched=[], **names, **common))
    counted = [{"icao_hex": OTHER, "callsign": "SWR1"}, {"icao_hex": GHOST, "callsign": "GHOST77"}]
    nobody = dict.fromkeys(("icao_hex", "callsign", "registration"))
    session.add(Alert(id=2, aircraft={}, matched=counted, count=2, **nobody, **common))
    session.add(Channel(id=1, user_id=1, name="hook", kind="webhook", address="https://example.org/"))
    session.add(
        Delivery(
            id=1, message_id="m1", channel_id=1, user_id=1, kind="alert", event="alert.triggered", subject_id=1,
            priority="info", aircraft=[GHOST], title="Low", text="About the ghost", body={"icao_hex": GHOST}, at=at,
            next_at=at, expires_at=at + timedelta(days=1), last_error="About the ghost",
        )
    )  # fmt: skip


def _cannonball(session, at):
    numbers = {
        "threat_level": "info", "peak_threat_level": "info", "urgency_score": 1.0, "peak_urgency_score": 1.0,
        "distance_nm": 1.0, "closest_nm": 1.0, "bearing": 1.0, "closing_speed_kts": 1.0, "started_at": at,
        "last_seen": at,
    }  # fmt: skip
    session.add(
        KnownAircraft(id=1, icao_hex=GHOST, registration="N77GHO", created_at=at, updated_at=at, times_detected=9)
    )
    session.add(
        CannonballSession(id=1, user_id=1, icao_hex=GHOST, callsign="GHOST77", identification="known", **numbers)
    )
    session.add(
        FlightPattern(
            id=1, key="a12345-1/1", icao_hex=GHOST, callsign="GHOST77", pattern_type="circling", is_surveillance=True,
            confidence="high", confidence_score=0.9, center_lat=47.0, center_lon=8.0, radius_nm=1.0, started_at=at,
            duration_s=300.0, details={},
        )
    )  # fmt: skip
    session.flush()
    session.add(SessionPattern(session_id=1, pattern_id=1))
    session.add(
        CannonballAlert(
            id=1, user_id=1, session_id=1, session_icao=GHOST, session_callsign="GHOST77", alert_type="overhead",
            priority="info", title="Overhead", message="About the ghost", aircraft_lat=47.0, aircraft_lon=8.0,
            aircraft_altitude=1500, user_lat=47.0, user_lon=8.0, distance_nm=1.0, bearing=1.0, created_at=at,
        )
    )  # fmt: skip


def _audio(session, at):
    session.add(
        Recording(
            sha256="0" * 64, path="0.mp3", media_type="audio/mpeg", bytes=1, duration_s=1.0, waveform=b"", stored_at=at,
            is_truncated=False, peak_db=None, loudness_lufs=None,
        )
    )  # fmt: skip
    session.add(
        Transmission(
            id=1, at=at, received_at=at, channel="TWR", source="upload", sha256="0" * 64, duration_s=1.0, bytes=1,
            status="done", icao_hex=GHOST, callsign="GHOST77",
        )
    )  # fmt: skip


def paths(begin):
    """What may tell of the ghost, each as it is asked."""
    span = f"from={to_iso(begin - timedelta(minutes=5))}&to={to_iso(begin + timedelta(minutes=30))}"
    day = begin.astimezone(UTC)
    traces = f"traces/{GHOST[-2:].lower()}/trace_full_{GHOST.lower()}.json"
    known = [
        f"history/flights?{span}", "history/flights?military=false", "history/flights?callsign=GHOST77",
        "history/flights/7", "history/flights/7/track", "history/flights/7/track?format=kml",
        f"history/tracks/{GHOST}?{span}", f"history/picture?at={to_iso(begin + timedelta(minutes=5))}",
        f"history/replay?{span}&step_s=60", f"history/stats?{span}", f"history/export?{span}&format=csv",
        f"history/export?{span}&format=geojson", f"history/export?{span}&format=kml",
        "acars/messages", "acars/messages/1", "acars/messages/2", "acars/messages?q=ghost",
        "acars/export?format=jsonl", "acars/export?format=csv", "alerts/history", "alerts/history/1",
        "alerts/history/2", "alerts/history?q=ghost", "alerts/deliveries", "safety/events", "safety/events/1",
        f"safety/events?icao_hex={OTHER}", "safety/events?active=false", f"safety/areas?at={to_iso(begin)}",
        "audio/transmissions", "audio/transmissions/1", f"audio/transmissions?icao_hex={GHOST}",
        "cannonball/sessions", "cannonball/sessions/1", "cannonball/sessions/active",
        "cannonball/patterns", "cannonball/alerts", "cannonball/alerts/1", "cannonball/known-aircraft",
        "cannonball/known-aircraft/1", "cannonball/known-aircraft?search=n77",
        f"cannonball/known-aircraft/check/{GHOST}",
    ]  # fmt: skip
    return [f"/api/v1/{path}" for path in known] + [f"/data/{traces}", f"/globe_history/{day:%Y/%m/%d}/{traces}"]


# They say how much there is, and of whom is not said.
COUNTS = {
    "/api/v1/history/stats": "flights",
    "/api/v1/acars/stats": "total",
    "/api/v1/alerts/stats": "total",
    "/api/v1/safety/stats?from=2020-01-01T00:00:00Z": "total",
    "/api/v1/cannonball/known-aircraft/stats": "total",
}


def told(client, begin, headers):
    """The paths whose answers have a trace of the ghost."""
    found = set()
    for path in paths(begin):
        answer = client.get(path, headers=headers, expect_errors=True)
        assert answer.status_int in (200, 404), (path, answer.text)
        text = answer.body.decode("utf-8", "replace").lower()
        # Two answers repeat the address that was asked for.
        says_nothing = any(nothing in text for nothing in ('"points":[]', '"found":false'))
        if answer.status_int == 200 and not says_nothing and any(trace in text for trace in TRACES):
            found.add(path)
    return found


def counts(client, headers):
    return {path: client.get(path, headers=headers).json[name] for path, name in COUNTS.items()}


def report(client):
    with writing(client.runtime.sessions) as session:
        record_reports(session, [GHOST])


def list_it(client):
    with writing(client.runtime.sessions) as session:
        _airframe(session, flags=1)
        session.flush()
        record_lists(session.connection())


def decide(client, military, status=200, headers=SYSTEM):
    path = f"/api/v1/aircraft/airframes/{GHOST.lower()}/military"
    return client.put_json(path, {"military": military}, headers=headers, status=status).json


def hide(client):
    decide(client, True)


@pytest.mark.deep("asks everything that may name an aircraft, several times")
@pytest.mark.parametrize("turn", [report, list_it, hide], ids=["report", "list", "decision"])
def test_who_turns_military_is_known_by_nothing_that_was_stored(client, begin, turn):
    before, all_of_it = counts(client, OPERATOR), told(client, begin, ROOT)
    # Everything that is asked here does tell of it, to who may see it.
    assert set(paths(begin)) - all_of_it == set()
    assert told(client, begin, OPERATOR) == all_of_it
    turn(client)
    # The list of known aircraft is as old as half a second where nobody announces the change.
    until(lambda: told(client, begin, OPERATOR) == set(), "nothing tells of it")
    assert told(client, begin, ROOT) == all_of_it - {"/api/v1/history/flights?military=false"}
    now = counts(client, OPERATOR)
    assert {path for path in COUNTS if now[path] >= before[path]} == set()
    # A word of who manages the service shows it again.
    assert decide(client, False)["military"] is False
    until(lambda: told(client, begin, OPERATOR) == all_of_it, "it is told again")
    assert counts(client, OPERATOR) == before


def test_the_word_is_that_of_who_manages_the_service_and_in_the_audit_log(client):
    path = f"/api/v1/aircraft/airframes/{GHOST}/military"
    client.put_json(path, {"military": False}, headers=as_role("analyst"), status=403)
    client.get(path, headers=as_role("analyst"), status=403)
    client.put_json(path, {"military": "no"}, headers=SYSTEM, status=400)
    client.put_json(path, {}, headers=SYSTEM, status=400)
    client.put_json("/api/v1/aircraft/airframes/xyz/military", {"military": True}, headers=SYSTEM, status=400)
    unknown = {"icao_hex": GHOST, "military": False, "decided": None, "listed": False, "reported_at": None}
    assert client.get(path, headers=SYSTEM).json == unknown
    assert decide(client, True) == {**unknown, "military": True, "decided": True}
    assert client.get(path, headers=SYSTEM).json == {**unknown, "military": True, "decided": True}
    assert decide(client, None) == unknown
    # Who may set it and not see them learns what was set alone.
    blind = as_role(None, 3, None, Permission.SYSTEM_MANAGE)
    assert decide(client, True, headers=blind) == dict.fromkeys(unknown) | {"icao_hex": GHOST, "decided": True}
    with client.runtime.sessions() as session:
        entries = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "airframe.military_set")).all()
        assert [(entry.target_id, entry.actor_name, entry.after) for entry in entries] == [
            (GHOST, "user2", {"military": True}),
            (GHOST, "user2", {"military": None}),
            (GHOST, "user3", {"military": True}),
        ]


def test_an_aircraft_of_a_military_block_is_shown_where_somebody_says_so(client):
    path = "/api/v1/aircraft/airframes/43c001"
    client.get(path, headers=OPERATOR, status=404)
    client.put_json(f"{path}/military", {"military": False}, headers=SYSTEM)
    assert client.get(path, headers=OPERATOR).json["military"] is False


def test_nobody_sets_it_in_mode_public_without_an_identity(make_client):
    client = make_client(auth_mode="public")
    client.put_json("/api/v1/aircraft/airframes/43c001/military", {"military": False}, status=401)
