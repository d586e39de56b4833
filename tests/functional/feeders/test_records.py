"""Feeders as clients see them: registered, changed, rotated, and how much others may know of where they stand."""

import re
from uuid import uuid4

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import User
from skywatch.core.bus import Message
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.feeders.states import FeederState, encode
from skywatch.feeders.topics import STATES
from tests.identities import as_role, install_with_users

FEEDERS = "/api/v1/feeders/"
VIEWER, ADA, BEN = as_role("viewer", 4), as_role("operator"), as_role("operator", 2)
ADMIN = as_role("admin", 3)
PLACE = {"lat": 47.4567, "lon": 8.5432, "altitude_ft": 1510}


@pytest.fixture
def client(make_client):
    settings = {
        "receiver.in": "listen 0.0.0.0:30004",
        "receiver.roof": "simulate",
        "feeders_address": "feed.example.org",
    }
    return install_with_users(make_client(auth_mode="hybrid", **settings))


def register(client, headers=ADA, status=201, **body):
    return client.post_json(FEEDERS, {"name": "Attic", **body}, headers=headers, status=status).json


def show(client, feeder, headers=VIEWER):
    return client.get(f"{FEEDERS}{feeder['id']}/", headers=headers).json


@pytest.mark.deep("costs over a processor second")
def test_a_uuid_is_shown_once_with_lines_and_stored_nowhere(client):
    feeder = register(client)
    uuid = feeder["uuid"]
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", uuid)
    assert feeder["uuid_start"] == uuid[:8]
    assert feeder["lines"]["readsb"] == (
        f"--net-connector=feed.example.org,30004,beast_reduce_plus_out,uuid={uuid} --net-connector-delay=5"
    )
    assert feeder["lines"]["ultrafeeder"] == f"adsb,feed.example.org,30004,beast_reduce_plus_out,uuid={uuid}"
    assert f"printf '\\032\\344{uuid}'" in feeder["lines"]["socat"]
    assert {"uuid", "lines"} & show(client, feeder, ADA).keys() == set()
    with writing(client.runtime.sessions) as db:
        stored = str(db.execute(sa.text("SELECT * FROM feeders")).all())
        audited = str([(entry.before, entry.after) for entry in db.scalars(sa.select(AuditEntry))])
    assert uuid.replace("-", "") not in stored.replace("-", "")
    assert uuid[:8] not in audited


def test_a_uuid_of_ones_own_is_taken_and_belongs_to_one_feeder(client):
    uuid = str(uuid4())
    assert register(client, uuid=uuid.upper())["uuid"] == uuid
    taken = register(client, BEN, 409, name="Barn", uuid=uuid.replace("-", ""))
    assert (taken["code"], "UUID" in taken["detail"]) == ("conflict", True)
    assert register(client, BEN, 400, name="Barn", uuid="0" * 32)["errors"][0]["name"] == "uuid"


def test_a_name_is_unique_among_feeders_and_receivers(client):
    register(client)
    barn = register(client, BEN, name="Barn")
    assert register(client, BEN, 409, name="ATTIC")["code"] == "conflict"
    assert register(client, BEN, 409, name="Roof")["code"] == "conflict"
    client.patch_json(f"{FEEDERS}{barn['id']}/", {"name": "attic"}, headers=BEN, status=409)
    assert show(client, barn)["name"] == "Barn"


def test_only_the_owner_and_managers_change_a_feeder(client):
    feeder = register(client)
    path = f"{FEEDERS}{feeder['id']}/"
    client.patch_json(path, {"enabled": False}, headers=VIEWER, status=403)
    client.patch_json(path, {"enabled": False}, headers=BEN, status=403)
    client.post_json(f"{path}rotate/", {}, headers=BEN, status=403)
    client.delete(path, headers=BEN, status=403)
    assert client.patch_json(path, {"enabled": False}, headers=ADA).json["state"] == "disabled"
    assert client.patch_json(path, {"owner": 2}, headers=ADA, status=403).json["code"] == "permission_denied"
    assert client.patch_json(path, {"owner": 2}, headers=ADMIN).json["owner"] == {"id": 2, "username": "ben"}
    client.delete(path, headers=ADA, status=403)
    client.delete(path, headers=BEN, status=204)
    client.get(path, headers=BEN, status=404)


def test_trust_is_given_by_managers(client):
    assert register(client)["trusted"] is False
    register(client, ADA, 403, name="Barn", trusted=True)
    own = register(client, ADMIN, name="Tower")
    assert own["trusted"] is True
    path = f"{FEEDERS}{register(client, name='Barn')['id']}/"
    client.patch_json(path, {"trusted": True}, headers=ADA, status=403)
    assert client.patch_json(path, {"trusted": True}, headers=ADMIN).json["trusted"] is True
    # Sent back as it is, it is no change.
    assert client.patch_json(path, {"trusted": True, "mlat": True}, headers=ADA).json["mlat"] is True


@pytest.mark.parametrize(
    ("privacy", "place"),
    [("exact", (47.4567, 8.5432, 1510)), ("10km", (47.5, 8.5, None)), ("none", (None, None, None))],
)
def test_others_know_a_place_as_exactly_as_its_owner_allows(client, privacy, place):
    feeder = register(client, place_privacy=privacy, **PLACE)
    assert tuple(show(client, feeder, BEN)[name] for name in PLACE) == place
    for headers in (ADA, ADMIN):
        assert {name: show(client, feeder, headers)[name] for name in PLACE} == PLACE


def test_latitude_and_longitude_come_together(client):
    assert register(client, status=400, lat=47.0)["errors"][0]["name"] == "lon"
    path = f"{FEEDERS}{register(client, **PLACE)['id']}/"
    client.patch_json(path, {"lat": None}, headers=ADA, status=400)
    assert client.patch_json(path, {"lat": None, "lon": None}, headers=ADA).json["lat"] is None


def test_the_audit_log_names_a_changed_place_without_it(client):
    path = f"{FEEDERS}{register(client, **PLACE)['id']}/"
    client.patch_json(path, {"lat": 47.5, "altitude_ft": None}, headers=ADA)
    client.patch_json(path, {"lat": 47.5, "lon": PLACE["lon"]}, headers=ADA)
    client.patch_json(path, {"place_privacy": "none"}, headers=ADA)
    with client.runtime.sessions() as session:
        entries = session.scalars(
            sa.select(AuditEntry).where(AuditEntry.action == "feeder.changed").order_by(AuditEntry.id)
        )
        changes = [(entry.before, entry.after) for entry in entries]
    hidden = "********"
    assert changes == [
        ({"lat": hidden, "altitude_ft": hidden}, {"lat": hidden, "altitude_ft": None}),
        ({}, {}),
        ({"place_privacy": "10km"}, {"place_privacy": "none"}),
    ]


def test_the_state_of_a_connection_is_shown_and_is_coarse_for_others(client):
    feeder = register(client, **PLACE)
    since = 1_700_001_234.0
    state = FeederState(False, since, since + 60, "203.0.113.7:40123", 120.5, 30.25, 41, 5000.0, 0.01, "gps")
    client.runtime.bus.publish(Message(STATES, "states", encode({feeder["id"]: state}), snapshot=True))
    manager, owner, other = (show(client, feeder, headers) for headers in (ADMIN, ADA, BEN))
    assert manager["address"] == "203.0.113.7:40123"
    assert (owner["address"], owner["connected_since"], owner["aircraft"]) == (None, "2023-11-14T22:33:54Z", 41)
    assert (other["connected_since"], other["last_seen_at"]) == ("2023-11-14T22:00:00Z",) * 2
    assert (other["state"], other["clock"], other["messages_s"], other["disputes_share"]) == (
        "connected",
        "gps",
        120.5,
        0.01,
    )


def test_feeders_of_inactive_owners_are_disabled_those_of_deleted_ones_the_managers(client):
    feeder = register(client)
    with writing(client.runtime.sessions) as db:
        db.execute(sa.update(User).where(User.id == 1).values(is_active=False))
    assert show(client, feeder)["state"] == "disabled"
    with writing(client.runtime.sessions) as db:
        db.execute(sa.delete(User).where(User.id == 1))
    assert (show(client, feeder)["owner"], show(client, feeder)["state"]) == (None, "absent")
    client.delete(f"{FEEDERS}{feeder['id']}/", headers=BEN, status=403)
    client.delete(f"{FEEDERS}{feeder['id']}/", headers=ADMIN, status=204)


def test_a_user_has_at_most_fifty(client):
    for number in range(50):
        register(client, name=f"Feeder {number:02}")
    assert register(client, status=409, name="One more")["code"] == "conflict"
    register(client, BEN, name="Another's")
    listed = client.get(f"{FEEDERS}?mine=true&limit=2&offset=1", headers=ADA).json
    assert (listed["count"], [feeder["name"] for feeder in listed["feeders"]]) == (50, ["Feeder 01", "Feeder 02"])
    assert client.get(FEEDERS, headers=VIEWER).json["count"] == 51


def test_rotation_gives_another_uuid(client):
    feeder = register(client)
    rotated = client.post_json(f"{FEEDERS}{feeder['id']}/rotate/", {}, headers=ADA).json
    assert rotated["uuid"] != feeder["uuid"]
    assert rotated["uuid"] in rotated["lines"]["readsb"]
    # The old one can be registered again: it belongs to nobody.
    assert register(client, BEN, name="Barn", uuid=feeder["uuid"])["uuid"] == feeder["uuid"]
