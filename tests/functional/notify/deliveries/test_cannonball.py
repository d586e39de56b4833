"""Cannonball alerts go through the channels whose owners want them, and are notified when one has delivered."""

from datetime import UTC, datetime

import pytest

from skywatch.cannonball.models import CannonballAlert, CannonballSession
from skywatch.cannonball.sessions.notifications import delivered, notify_of, written
from skywatch.core.database.engine import writing
from skywatch.core.feature import WrittenEvent
from skywatch.notify.channels.queries import channels_for_source
from tests.notifying import add_channel, deliveries, delivering
from tests.waiting import until

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def raise_alert(sessions, ada):
    """Writes an alert as the tracker does; gives its number."""

    def raise_alert(priority="critical"):
        with writing(sessions) as db:
            session = CannonballSession(
                user_id=ada, icao_hex="abc123", identification="known", threat_level="critical",
                peak_threat_level="critical", urgency_score=90, peak_urgency_score=90, distance_nm=1, closest_nm=1,
                bearing=10, closing_speed_kts=100, started_at=NOW, last_seen=NOW,
            )  # fmt: skip
            db.add(session)
            db.flush()
            alert = CannonballAlert(
                user_id=ada, session_id=session.id, session_icao="abc123", alert_type="overhead", priority=priority,
                title="Overhead", message="N911 is overhead", aircraft_lat=47, aircraft_lon=8, user_lat=47,
                user_lon=8, distance_nm=0.2, bearing=10, created_at=NOW,
            )  # fmt: skip
            db.add(alert)
            db.flush()
            notify_of(db, alert, channels_for_source(db, [ada], "cannonball")[ada])
            return alert.id

    return raise_alert


def test_an_alert_is_notified_when_a_channel_has_delivered_it(runtime, sessions, ada, receiver, raise_alert):
    add_channel(sessions, ada, receiver.url)  # wants no cannonball alerts
    add_channel(sessions, ada, receiver.url + "/c", sources=["cannonball"], minimum_priority="warning")
    alert_id = raise_alert()

    def notified(number):
        with sessions() as session:
            return session.get(CannonballAlert, number).notified

    assert notified(alert_id) is False
    with delivering(runtime):
        until(lambda: notified(alert_id))
    with sessions() as session:
        (delivery,) = session.get(CannonballAlert, alert_id).delivered_by
    assert delivery["kind"] == "webhook"
    assert datetime.fromisoformat(delivery["at"]) > NOW
    (document,) = receiver.documents
    assert receiver.requests[0]["path"] == "/c"
    assert document["type"] == "cannonball.alert"
    assert (document["data"]["id"], document["data"]["title"]) == (alert_id, "Overhead")
    assert document["data"]["created_at"] == "2026-05-01T12:00:00Z"
    # One that no channel takes has reached nobody.
    assert notified(raise_alert("info")) is False
    assert len(deliveries(sessions)) == 1


def test_a_channel_that_fails_has_delivered_nothing(runtime, sessions, ada, receiver, raise_alert):
    receiver.status = 500
    add_channel(sessions, ada, receiver.url, sources=["cannonball"])
    alert_id = raise_alert()
    with delivering(runtime):
        until(lambda: receiver.requests)
        until(lambda: deliveries(sessions)[0].last_error)
    with sessions() as session:
        alert = session.get(CannonballAlert, alert_id)
        assert (alert.notified, alert.delivered_by) == (False, [])


def test_the_first_delivery_of_each_kind_is_kept(sessions, raise_alert):
    alert_id = raise_alert()
    event = WrittenEvent(b'{"id":%d,"title":"Overhead"}' % alert_id, NOW)
    for _ in range(2):
        with writing(sessions) as session:
            delivered(session, "web_push", [alert_id])
        with writing(sessions) as session:
            written(session, [event, event, WrittenEvent(b'{"id":999999}', NOW)])
    with sessions() as session:
        alert = session.get(CannonballAlert, alert_id)
        assert alert.notified
        assert [delivery["kind"] for delivery in alert.delivered_by] == ["web_push", "realtime"]
        assert alert.delivered_by[1]["at"] == "2026-05-01T12:00:00Z"
