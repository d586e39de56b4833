"""Deliveries over REST: whose are shown, the filters, and what may be sent again."""

from datetime import timedelta

import pytest

from skywatch.airframes.military import decide
from skywatch.core.backups import Restoration
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.storage.audit import Actor
from skywatch.notify.deliveries.leases import due_channels
from skywatch.notify.deliveries.restored import hold_pending
from tests.functional.notify.conftest import ADA, ADMIN, BASE, BEN
from tests.notifying import change_channel, deliveries, notification, send


@pytest.fixture
def sessions(client):
    return client.runtime.sessions


@pytest.fixture
def listed(client):
    def listed(query="", headers=ADA):
        return client.get(f"{BASE}/deliveries/{query}", headers=headers).json

    return listed


def give_up(sessions):
    with sessions() as session, session.begin():
        for delivery in session.query(type(deliveries(sessions)[0])):
            delivery.state, delivery.next_at, delivery.attempts = "dead", None, 9


def test_deliveries_are_listed_with_filters(sessions, add, listed):
    one, two = add()["id"], add()["id"]
    send(sessions, notification(1, one, two, rule_id=5), notification(1, one, subject_id=2, kind="safety"))
    found = listed()
    assert [(d["subject_id"], d["alert_id"], d["channel"]) for d in found["deliveries"]] == [
        (2, None, one),
        (1, 1, two),
        (1, 1, one),
    ]
    assert found["deliveries"][0]["state"] == "pending"
    assert listed(f"?channel={two}")["count"] == 1
    assert listed("?rule=5")["count"] == 2
    assert listed("?state=dead")["count"] == 0
    assert listed("?to=2020-01-01T00:00:00Z")["count"] == 0
    assert listed("?from=2020-01-01T00:00:00Z")["count"] == 3


def test_pages_go_on_by_cursor(client, sessions, add, listed):
    channel = add()["id"]
    send(sessions, *(notification(1, channel, subject_id=number) for number in range(1, 8)))
    first = listed("?limit=3")
    second = client.get(first["next"], headers=ADA).json
    third = client.get(second["next"], headers=ADA).json
    ids = [d["subject_id"] for page in (first, second, third) for d in page["deliveries"]]
    assert ids == [7, 6, 5, 4, 3, 2, 1]
    assert third["next"] is None


def test_those_of_others_and_of_military_aircraft_are_not_shown(client, sessions, add, listed):
    mine, bens = add()["id"], add(headers=BEN)["id"]
    send(sessions, notification(1, mine, military=True), notification(2, bens, military=True))
    assert listed()["count"] == 0  # an operator may not see military aircraft
    assert listed(headers=BEN)["count"] == 1
    assert listed(headers=ADMIN)["count"] == 2
    (first, second) = deliveries(sessions)
    for delivery in (first, second):
        client.post_json(f"{BASE}/deliveries/{delivery.id}/retry/", {}, headers=ADA, status=404)


def test_those_of_who_turns_military_are_hidden_and_shown_again(client, sessions, add, listed):
    channel = add()["id"]
    send(sessions, notification(1, channel, aircraft=("A12345", "4B1620")))
    for military, count in ((None, 1), (True, 0), (False, 1)):
        with writing(sessions) as session:
            decide(session, Actor("ada", "session", 1), "A12345", military)
        assert listed()["count"] == count
        assert listed(headers=ADMIN)["count"] == 1


def test_a_dead_delivery_is_sent_again_under_its_id(client, sessions, add):
    channel = add()["id"]
    send(sessions, notification(1, channel))
    (before,) = deliveries(sessions)
    give_up(sessions)
    url = f"{BASE}/deliveries/{before.id}/retry/"
    shown = client.post_json(url, {}, headers=ADA).json
    assert (shown["state"], shown["attempts"], shown["message_id"]) == ("pending", 0, before.message_id)
    give_up(sessions)
    change_channel(sessions, channel, state="disabled")
    assert "enable it first" in client.post_json(url, {}, headers=ADA, status=409).json["detail"]


def test_what_was_delivered_is_not_sent_again(client, sessions, add):
    send(sessions, notification(1, add()["id"]))
    (delivery,) = deliveries(sessions)
    with sessions() as session, session.begin():
        session.merge(delivery).state = "delivered"
    client.post_json(f"{BASE}/deliveries/{delivery.id}/retry/", {}, headers=ADA, status=409)


def test_a_span_is_sent_again(client, sessions, add):
    on, off, bens = add()["id"], add()["id"], add(headers=BEN)["id"]
    send(sessions, notification(1, on, off), notification(2, bens))
    give_up(sessions)
    change_channel(sessions, off, enabled=False)
    span = {"from": "2020-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z"}
    url = f"{BASE}/deliveries/retry/"
    assert client.post_json(url, {**span, "channel": off}, headers=ADA).json == {"retried": 0}
    assert client.post_json(url, span, headers=ADA).json == {"retried": 1}
    assert [d.state for d in deliveries(sessions)] == ["pending", "dead", "dead"]
    sent_again = deliveries(sessions)[0]
    assert (sent_again.attempts, sent_again.expires_at - sent_again.next_at) == (0, timedelta(hours=6))
    reversed_span = {"from": span["to"], "to": span["from"]}
    assert client.post_json(url, reversed_span, headers=ADA, status=400).json["errors"][0]["name"] == "to"


def test_critical_ones_of_a_span_are_tried_for_longer(client, sessions, add):
    send(sessions, notification(1, add()["id"], priority="critical"))
    give_up(sessions)
    span = {"from": "2020-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z"}
    assert client.post_json(f"{BASE}/deliveries/retry/", span, headers=ADA).json == {"retried": 1}
    (delivery,) = deliveries(sessions)
    assert delivery.expires_at - delivery.next_at == timedelta(days=3)


def test_what_waits_is_given_up_where_a_channel_is_switched_off(client, sessions, add, listed):
    channel = add()["id"]
    send(sessions, notification(1, channel))
    url = f"{BASE}/channels/{channel}/"
    client.patch_json(url, {"enabled": False}, headers=ADA)
    (delivery,) = listed()["deliveries"]
    assert (delivery["state"], delivery["last_error"]) == ("dead", "The channel is switched off.")
    client.patch_json(url, {"enabled": True}, headers=ADA)
    retry = f"{BASE}/deliveries/{delivery['id']}/retry/"
    assert client.post_json(retry, {}, headers=ADA).json["state"] == "pending"


def test_what_a_restore_holds_is_sent_when_somebody_retries_it(client, sessions, add, listed):
    channel = add()["id"]
    send(sessions, *(notification(1, channel, subject_id=number) for number in (1, 2, 3)))
    with sessions() as session, session.begin():
        hold_pending(session, Restoration())
    held = listed("?state=held")["deliveries"]
    assert [(d["subject_id"], d["next_at"]) for d in held] == [(3, None), (2, None), (1, None)]
    assert held[0]["last_error"] == "held: the database was restored from a backup"
    with sessions() as session:
        assert due_channels(session, utcnow() + timedelta(days=365), 10) == []
    assert client.post(f"{BASE}/deliveries/{held[0]['id']}/retry/", headers=ADA).json["state"] == "pending"
    span = {"from": "2020-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z"}
    assert client.post_json(f"{BASE}/deliveries/retry/", span, headers=ADA).json == {"retried": 2}
    assert listed("?state=held")["count"] == 0
