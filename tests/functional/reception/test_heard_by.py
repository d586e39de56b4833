"""Who hears an aircraft, as callers may know it."""

from __future__ import annotations

import time

import pytest

from skywatch.picture.access import PictureAccess
from skywatch.picture.picture import Picture
from skywatch.reception.hearers.hearers import NEWEST_S
from skywatch.security.permissions import Permission
from tests.identities import as_role, install_with_users
from tests.skies import show
from tests.unit.picture.reports import snapshot

VIEWER, ADA, ADMIN = as_role("viewer", 4), as_role("operator"), as_role("admin", 3)
ANALYST = as_role("analyst", 2)
AIRCRAFT = Permission.AIRCRAFT_VIEW


@pytest.fixture
def client(make_client):
    return install_with_users(make_client(auth_mode="hybrid", **{"receiver.roof": "simulate"}))


def register(client, name, **body):
    return client.post_json("/api/v1/feeders/", {"name": name, **body}, headers=ADA, status=201).json["id"]


def hear(client, *receivers, age_s=1.0, **fields):
    """Let receivers hear an aircraft; the last of them the latest."""
    picture = client.runtime.shared(PictureAccess).picture
    if picture is None:
        picture = Picture((47.45, 8.56))
        client.runtime.shared(PictureAccess).open(picture)
    for number, receiver in enumerate(receivers):
        at = time.time() - age_s + number / 1000
        picture.put(receiver, [snapshot("4b1620", at, lat=47.5, lon=8.6, **fields)], 1)
    show(client.runtime, picture.tick())


def heard_by(client, headers):
    return client.get("/api/v1/aircraft/4B1620", headers=headers).json["heard_by"]


def test_receivers_and_feeders_are_named_with_signal_and_time_the_latest_first(client):
    attic = register(client, "Attic", place_privacy="exact")
    hear(client, "roof", f"feeder-{attic}", rssi=-12.5)
    latest, earlier = heard_by(client, VIEWER)
    assert latest.keys() == {"name", "kind", "rssi", "last_at"}
    assert (latest["name"], latest["kind"], latest["rssi"]) == ("Attic", "feeder", -12.5)
    assert (earlier["name"], earlier["kind"]) == ("roof", "receiver")
    assert latest["last_at"].endswith("Z")


def test_feeders_of_coarse_places_are_counted_and_named_to_their_owner(client):
    attic, barn = register(client, "Attic"), register(client, "Barn", place_privacy="none")
    hear(client, "roof", f"feeder-{attic}", f"feeder-{barn}", "anonymous-3")
    assert [entry.get("name", entry) for entry in heard_by(client, VIEWER)] == ["roof", {"count": 3}]
    assert [entry.get("name", entry) for entry in heard_by(client, ADA)] == ["Barn", "Attic", "roof", {"count": 1}]


def test_managers_see_which_feeder_without_a_record_hears_an_aircraft(client):
    hear(client, "roof", "anonymous-3", rssi=-7.5)
    stranger, roof = heard_by(client, ADMIN)
    assert (stranger["name"], stranger["kind"], stranger["rssi"]) == ("anonymous-3", "feeder", -7.5)
    assert roof["name"] == "roof"
    for headers in (VIEWER, ADA):
        assert [entry.get("name", entry) for entry in heard_by(client, headers)] == ["roof", {"count": 1}]


def test_what_a_permission_does_not_show_is_counted(client):
    attic = register(client, "Attic", place_privacy="exact")
    hear(client, "roof", f"feeder-{attic}")
    only_feeders = as_role(None, 2, None, AIRCRAFT, Permission.FEEDERS_VIEW)
    only_receivers = as_role(None, 2, None, AIRCRAFT, Permission.SYSTEM_VIEW_STATUS)
    assert heard_by(client, only_feeders)[0]["name"] == "Attic"
    assert {"name", "kind", "rssi", "last_at"} == heard_by(client, only_receivers)[0].keys()
    assert heard_by(client, only_receivers)[-1] == {"count": 1}


def test_who_heard_it_longer_ago_hears_it_no_more(client):
    hear(client, "roof", age_s=NEWEST_S - 1)
    hear(client, "barn", age_s=NEWEST_S + 1)
    assert [entry["name"] for entry in heard_by(client, VIEWER)] == ["roof"]


def test_a_signal_that_is_not_known_is_null(client):
    hear(client, "roof")
    assert heard_by(client, VIEWER)[0]["rssi"] is None


def test_without_a_tracker_that_answers_nothing_is_known(client):
    hear(client, "roof")
    client.runtime.shared(PictureAccess).open(None)
    assert heard_by(client, VIEWER) is None


def test_no_answer_names_the_feeder_that_heard_an_aircraft(client):
    names = [f"feeder-{register(client, 'Attic', place_privacy='none')}", "anonymous-3", "feeder-99"]
    hear(client, "feeders", *names)
    for path in ("aircraft", "aircraft/4B1620", "aircraft/stats", "system/receivers"):
        text = client.get(f"/api/v1/{path}", headers=ANALYST).text
        assert not [name for name in names if name in text], path
    assert client.get("/api/v1/aircraft/4B1620", headers=VIEWER).json["receiver"] == "feeders"
    assert client.get("/api/v1/aircraft/stats", headers=VIEWER).json["by_receiver"] == {"feeders": 1}
    assert client.get(f"/api/v1/aircraft?receiver={names[0]}", headers=VIEWER).json["count"] == 0
    assert client.get("/api/v1/aircraft?receiver=feeders", headers=VIEWER).json["count"] == 1
