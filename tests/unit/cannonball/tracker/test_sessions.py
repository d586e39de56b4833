"""Sessions in the tracker: when they open and end, and what they tell their users."""

import json

import pytest
import sqlalchemy as sa

from skywatch.airframes.service import Airframe
from skywatch.cannonball import topics
from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern, KnownAircraft
from skywatch.core.bus.base import Message
from skywatch.core.bus.message_codec import unpack
from skywatch.core.database.engine import writing
from skywatch.core.database.models import StoredEvent
from tests.cannonball import HERE, POLICE, add_known, orbit, report, straight
from tests.waiting import until


@pytest.mark.deep("costs over a processor second")
def test_a_known_aircraft_opens_a_session_and_closes_in(stage):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 390, straight(47.2, 8.0, 180.0, 120.0), flight="PIROL12")
    stage.close()
    (session,) = stage.rows(CannonballSession)
    assert (session.user_id, session.icao_hex, session.is_active) == (1, "3C1234", True)
    assert session.identification == "known"
    assert session.agency_name == "Bundespolizei"
    assert session.closest_nm < 0.1
    assert session.peak_threat_level == "critical"
    assert session.peak_urgency_score > 75
    assert session.alert_count == len(stage.rows(CannonballAlert))
    assert stage.alert_types() == ["le_detected", "threat_escalated", "closing_fast", "threat_escalated", "overhead"]
    # Nothing has delivered them yet.
    assert {(alert.notified, len(alert.delivered_by)) for alert in stage.rows(CannonballAlert)} == {(False, 0)}


def test_an_alert_carries_the_numbers_of_its_moment(stage):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 2, straight(47.2, 8.0, 180.0, 100.0), alt_baro=2500)
    stage.close()
    (alert,) = stage.rows(CannonballAlert)
    assert (alert.user_lat, alert.user_lon, alert.aircraft_altitude) == (47.0, 8.0, 2500)
    assert alert.distance_nm == pytest.approx(12.0, abs=0.05)
    assert alert.bearing == pytest.approx(0.0, abs=0.1)
    assert "12.0 nm north" in alert.title
    assert "2,500 ft" in alert.message
    _, data, audience = next(e for e in stage.events if e[0] == "cannonball:alert")
    assert data["id"] == alert.id
    assert data["session"] == alert.session_id
    assert audience.users == {1}
    assert audience.oversight == "cannonball.manage"


def test_an_ordinary_aircraft_opens_none(stage):
    stage.locate(1, *HERE)
    stage.fly("4b1620", 60, straight(47.1, 8.0, 180.0, 120.0), flight="SWR123")
    stage.close()
    assert stage.rows(CannonballSession) == []


@pytest.mark.parametrize(
    ("fields", "identification"),
    [({"flight": "BPO123"}, "callsign"), ({"ownOp": "Kantonspolizei Bern"}, "operator")],
)
def test_callsign_and_operator_identify(stage, fields, identification):
    stage.locate(1, *HERE)
    stage.fly("4b1620", 20, straight(47.1, 8.0, 180.0, 100.0), **fields)
    stage.close()
    assert [session.identification for session in stage.rows(CannonballSession)] == [identification]
    assert stage.alert_types() == ["le_detected"]


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize(
    "fields", [{"r": "N911PD", "t": "AS50"}, {"flight": "LVPD1"}, {"r": "N42SO", "category": "A7"}]
)
def test_letters_of_an_agency_stay_info_until_a_pattern_is_flown(stage, fields):
    stage.locate(1, *HERE)
    stage.fly("a0beef", 60, straight(47.01, 8.0, 180.0, 100.0), **fields)
    assert {entry["level"] for entry in stage.timeline} == {"info"}
    stage.fly("a0beef", 200, orbit(47.0, 8.0, 0.3, 120.0), alt_baro=1500, **fields)
    stage.close()
    (session,) = stage.rows(CannonballSession)
    assert (session.identification, session.peak_threat_level) == ("suffix", "critical")
    first = stage.rows(CannonballAlert)[0]
    assert (first.alert_type, first.priority) == ("le_detected", "info")
    assert "Possible law-enforcement aircraft" in first.title


def test_letters_count_once_the_aircraft_is_seen_to_be_a_rotorcraft(stage):
    stage.locate(1, *HERE)
    stage.fly("a0beef", 5, straight(47.1, 8.0, 180.0, 100.0), r="N911PD")
    assert not stage.monitor._sessions.sessions
    stage.fly("a0beef", 5, straight(47.1, 8.0, 180.0, 100.0), r="N911PD", t="AS50")
    stage.close()
    assert [session.identification for session in stage.rows(CannonballSession)] == ["suffix"]


def test_the_first_text_of_an_aircraft_just_heard_claims_no_trend(stage):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 100, straight(47.3, 8.0, 180.0, 150.0))
    stage.close()
    first, *others = stage.rows(CannonballAlert)
    assert not any(word in first.message for word in ("closing", "receding", "steady"))
    assert others
    assert all("closing at" in alert.message for alert in others)


def test_an_operator_that_becomes_known_late_identifies_at_once(stage):
    stage.locate(1, *HERE)
    stage.fly("4b1620", 5, straight(47.1, 8.0, 180.0, 100.0), ownOp="Leasing Ltd")
    stage.airframes.known["4b1620"] = Airframe("4B1620", operator="Kantonspolizei Bern")
    stage.fly("4b1620", 1, straight(47.1, 8.0, 180.0, 100.0), ownOp="Leasing Ltd")
    stage.close()
    (session,) = stage.rows(CannonballSession)
    assert (session.identification, session.agency_name) == ("operator", "Kantonspolizei Bern")


def test_it_ends_beyond_one_fifth_more_than_the_radius(stage):
    stage.locate(1, *HERE, radius_nm=5.0)
    stage.fly(POLICE, 200, straight(47.05, 8.0, 0.0, 120.0))
    stage.close()
    (session,) = stage.rows(CannonballSession)
    assert (session.is_active, session.end_reason) == (False, "left_area")
    assert session.distance_nm == pytest.approx(6.0, abs=0.1)
    assert stage.alert_types()[-1] == "threat_cleared"


def test_it_ends_five_minutes_after_the_last_position(stage):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 10, straight(47.2, 8.0, 180.0, 100.0))
    stage.silence(295)
    assert len(stage.monitor._sessions.sessions) == 1
    stage.silence(10)
    stage.close()
    (session,) = stage.rows(CannonballSession)
    assert session.end_reason == "unseen"


def test_it_ends_when_the_location_is_gone(stage):
    stage.locate(1, *HERE)
    path = orbit(47.2, 8.0, 2.0, 100.0)
    # Ten minutes, with a report every five seconds.
    for second in range(0, 595, 5):
        stage.fly(POLICE, 1, lambda _, at=second: path(at))
        stage.now += 4.0
    assert len(stage.monitor._sessions.sessions) == 1
    stage.fly(POLICE, 10, lambda second: path(second + 600))
    stage.close()
    assert stage.rows(CannonballSession)[0].end_reason == "location_gone"


def test_a_jump_ends_the_sessions_of_the_old_place_without_a_false_alarm(stage):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 10, straight(47.2, 8.0, 90.0, 100.0))
    before = stage.alert_types()
    stage.locate(1, 56.0, 8.0)
    stage.fly(POLICE, 3, straight(47.2, 8.0, 90.0, 100.0))
    stage.close()
    assert stage.rows(CannonballSession)[0].end_reason == "left_area"
    assert "closing_fast" not in stage.alert_types()
    assert set(stage.alert_types()) <= {*before, "le_detected", "threat_cleared"}


def test_each_user_has_a_session_of_their_own(stage):
    stage.locate(1, *HERE)
    stage.locate(2, 47.1, 8.0)
    stage.fly(POLICE, 10, straight(47.3, 8.0, 180.0, 100.0))
    stage.close()
    assert [(s.user_id, round(s.distance_nm)) for s in stage.rows(CannonballSession)] == [(1, 18), (2, 12)]
    assert {a["session"] for a in stage.alerts(1)}.isdisjoint({a["session"] for a in stage.alerts(2)})


def test_a_surveillance_pattern_makes_an_unknown_aircraft_interesting(stage):
    stage.locate(1, *HERE)
    stage.fly("4b1620", 240, orbit(47.02, 8.0, 0.3, 120.0), t="AS50")
    stage.close()
    (session,) = stage.rows(CannonballSession)
    (pattern,) = stage.rows(FlightPattern)
    assert session.identification == "pattern"
    assert session.pattern_count == 1
    assert (pattern.pattern_type, pattern.is_surveillance) == ("circling", True)
    assert pattern.ended_at is None
    first = stage.alerts()[0]
    assert first["alert_type"] == "new_threat"
    assert first["pattern"] == pattern.id
    assert "Unidentified aircraft circling" in first["title"]
    assert "le_detected" not in stage.alert_types()


def test_a_pattern_with_an_ordinary_reason_makes_nobody_interesting(stage):
    stage.locate(1, *HERE)
    circles = orbit(47.02, 8.0, 0.4, 90.0)
    # A spiral down from 9,000 ft at 600 ft a minute.
    for second in range(300):
        stage.fly("4b1621", 1, lambda _, at=second: circles(at), alt_baro=9000 - 10 * second, t="C172")
    stage.close()
    assert stage.rows(CannonballSession) == []
    (pattern,) = stage.rows(FlightPattern)
    assert (pattern.pattern_type, pattern.is_surveillance) == ("circling", False)
    assert pattern.details["reason"] == "spiral_descent"
    assert stage.alerts() == []


@pytest.mark.deep("costs over a processor second")
def test_circling_of_a_known_aircraft_is_told_once(stage):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 415, orbit(47.02, 8.0, 0.3, 120.0))
    stage.close()
    assert stage.alert_types().count("pattern_detected") == 1


@pytest.mark.deep("costs over a processor second")
def test_alerts_pause_also_over_sessions(stage):
    stage.locate(1, *HERE, radius_nm=5.0)
    for _ in range(3):
        stage.fly(POLICE, 120, straight(47.05, 8.0, 0.0, 140.0))
    stage.close()
    assert len(stage.rows(CannonballSession)) >= 2
    assert stage.alert_types().count("le_detected") == 1


def test_what_a_user_ended_stays_quiet_until_the_aircraft_has_left(stage):
    stage.locate(1, *HERE, radius_nm=5.0)
    stage.fly(POLICE, 5, orbit(47.03, 8.0, 1.0, 100.0))
    session = next(iter(stage.monitor._sessions.sessions.values()))
    until(lambda: session.id is not None)
    with writing(stage.runtime.sessions) as db:
        row = db.get(CannonballSession, session.id)
        row.is_active, row.end_reason = False, "ended_by_user"
    stage.runtime.bus.publish(Message(topics.COMMANDS, "end", str(session.id).encode()))
    stage.fly(POLICE, 30, orbit(47.03, 8.0, 1.0, 100.0))
    assert stage.monitor._sessions.sessions == {}
    stage.locate(1, 48.0, 8.0, radius_nm=5.0)
    stage.fly(POLICE, 3, orbit(47.03, 8.0, 1.0, 100.0))
    stage.locate(1, *HERE, radius_nm=5.0)
    stage.fly(POLICE, 3, orbit(47.03, 8.0, 1.0, 100.0))
    assert len(stage.monitor._sessions.sessions) == 1
    stage.close()
    assert [row.end_reason for row in stage.rows(CannonballSession)] == ["ended_by_user", None]


def test_a_message_that_is_no_number_is_one_logged_fault(stage, caplog):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 5, orbit(47.03, 8.0, 1.0, 100.0))
    session = next(iter(stage.monitor._sessions.sessions.values()))
    until(lambda: session.id is not None)
    bus = stage.runtime.bus
    for topic, event in ((topics.COMMANDS, "end"), (topics.LOCATIONS, "delete")):
        for data in (b"garbage", b"", b"\xff", b"1.5"):
            bus.publish(Message(topic, event, data))
        assert [r.levelname for r in caplog.records if topic in r.message] == ["ERROR"]
    assert len(stage.monitor._sessions.sessions) == 1
    bus.publish(Message(topics.COMMANDS, "end", str(session.id).encode()))
    stage.tick()
    assert stage.monitor._sessions.sessions == {}


def test_detections_count_once_a_flight(stage):
    stage.fly(POLICE, 5, straight(47.2, 8.0, 180.0, 100.0))
    stage.silence(90)
    stage.fly(POLICE, 5, straight(47.2, 8.0, 180.0, 100.0))
    stage.now += 3600
    stage.fly(POLICE, 5, straight(47.2, 8.0, 180.0, 100.0))
    stage.close()
    with stage.runtime.sessions() as db:
        entry = db.scalar(sa.select(KnownAircraft))
    assert entry.times_detected == 2
    assert entry.last_detected.timestamp() == pytest.approx(stage.now - 5, abs=1)


def test_an_aircraft_put_on_the_list_while_in_the_sky_is_found(stage):
    stage.locate(1, *HERE)
    stage.fly("4b1620", 5, straight(47.2, 8.0, 180.0, 100.0))
    add_known(stage.runtime, "4B1620,HB-ZKP,Kantonspolizei\n")
    stage.monitor._refresh_table()
    stage.fly("4b1620", 5, straight(47.2, 8.0, 180.0, 100.0))
    stage.close()
    assert [row.icao_hex for row in stage.rows(CannonballSession)] == ["4B1620"]


def test_an_aircraft_on_the_ground_threatens_nobody(stage):
    stage.locate(1, *HERE)
    for _ in range(30):
        stage.receive(report(POLICE, stage.now, 47.001, 8.0, alt_baro="ground", gs=0.0))
        stage.tick()
    stage.close()
    (session,) = stage.rows(CannonballSession)
    assert session.peak_threat_level == "info"
    assert stage.alert_types() == ["le_detected"]


def test_a_user_who_was_deleted_holds_nobody_up(stage, caplog):
    stage.locate(1, *HERE)
    stage.locate(99, *HERE)
    stage.fly(POLICE, 5, straight(47.2, 8.0, 180.0, 100.0))
    stage.close()
    assert [row.user_id for row in stage.rows(CannonballSession)] == [1]
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_no_location_reaches_the_database_but_in_alerts(stage):
    stage.locate(1, 47.123456, 8.654321)
    stage.fly(POLICE, 5, straight(47.2, 8.0, 180.0, 100.0))
    stage.close()
    with stage.runtime.sessions() as db:
        for table in ("cannonball_sessions", "cannonball_patterns", "users", "cannonball_known_aircraft"):
            assert "47.123456" not in str(db.execute(sa.text(f"SELECT * FROM {table}")).all())


def stored(stage):
    """Every stored event: (its number, its name, its data, who may receive it)."""
    with stage.runtime.sessions() as db:
        rows = db.scalars(sa.select(StoredEvent).order_by(StoredEvent.id)).all()
    messages = [unpack(row.topic, row.message) for row in rows]
    return [(row.id, m.event, json.loads(m.data), m.audience) for row, m in zip(rows, messages, strict=True)]


def test_alerts_starts_and_ends_of_sessions_are_stored_as_they_were_published(stage):
    stage.locate(1, *HERE, radius_nm=5.0)
    path = straight(47.05, 8.0, 0.0, 120.0)
    stage.fly(POLICE, 20, path)
    until(lambda: sum(event == "cannonball:session" for event, _, _ in stage.events) > 1)
    stage.fly(POLICE, 180, lambda second: path(second + 20))
    stage.close()
    published = [(event, data, audience) for event, data, audience in stage.events]
    events = stored(stage)
    assert [event for event in published if event[0] == "cannonball:alert"] == [
        event[1:] for event in events if event[1] == "cannonball:alert"
    ]
    sessions = [data for _, event, data, _ in events if event == "cannonball:session"]
    assert [(data["is_active"], data["end_reason"]) for data in sessions] == [(True, None), (False, "left_area")]
    assert sum(event == "cannonball:session" for event, _, _ in published) > 2
    assert not any(data["notified"] for _, event, data, _ in events if event == "cannonball:alert")
