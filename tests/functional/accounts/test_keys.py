"""API keys through the API: shown once, their owner's alone, and never too many."""

import re
import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import ApiKey
from skywatch.cannonball.models import CannonballAlert, CannonballSession
from skywatch.core.clock import utcnow
from tests.accounts import Population
from tests.functional.accounts.asking import V1, code, entries


def test_a_key_is_shown_once_and_works_until_it_is_deleted(api):
    ada = api.people.bearer(api.people.user("ada", "viewer"))
    for path in (f"{V1}/api-keys", f"{V1}/auth/api-keys"):
        made = api.post_json(path, {"name": "radar", "scopes": ["aircraft"]}, headers=ada, status=201).json
        key = made.pop("key")
        assert re.fullmatch("sk_[A-Za-z0-9]{48}", key)
        assert key not in api.get(path, headers=ada).text
        assert api.get(path, headers=ada).json["api_keys"][0] == made
        for header in ({"X-API-Key": key}, {"Authorization": f"ApiKey {key}"}):
            assert api.get(f"{V1}/auth/profile", headers=header).json["username"] == "ada"
        api.delete(f"{V1}/api-keys/{made['id']}", headers=ada, status=204)
        assert code(api.get(f"{V1}/auth/profile", headers={"X-API-Key": key}, status=401)) == "token_invalid"


def test_a_key_belongs_to_its_owner_alone(api, root):
    ada = api.people.user("ada")
    api.people.key(ada, "aircraft")
    assert api.get(f"{V1}/api-keys", headers=root).json["count"] == 0
    with api.runtime.sessions() as session:
        number = session.scalars(sa.select(ApiKey.id)).one()
    api.delete(f"{V1}/api-keys/{number}", headers=root, status=404)
    body = {"name": "x", "scopes": ["aircraft"], "user": ada}
    api.post_json(f"{V1}/api-keys", body, headers=root, status=400)


@pytest.mark.parametrize(
    "body",
    [
        {"name": "x", "scopes": []},
        {"name": "x", "scopes": ["users"]},
        {"name": "", "scopes": ["aircraft"]},
        {"name": "x", "scopes": ["aircraft"], "expires_at": "soon"},
        {"scopes": ["aircraft"]},
    ],
)
def test_a_bad_key_is_not_made(api, root, body):
    api.post_json(f"{V1}/api-keys", body, headers=root, status=400)
    assert api.get(f"{V1}/api-keys", headers=root).json["count"] == 0


def test_a_key_whose_time_is_past_is_stored_and_opens_nothing(api, root):
    body = {"name": "x", "scopes": ["aircraft"], "expires_at": "2020-01-01T00:00:00Z"}
    key = api.post_json(f"{V1}/api-keys", body, headers=root, status=201).json
    assert (key["expires_at"], key["is_active"]) == ("2020-01-01T00:00:00Z", False)
    assert api.get(f"{V1}/api-keys", headers=root).json["count"] == 1
    api.get(f"{V1}/aircraft", headers={"X-API-Key": key["key"]}, status=401)


@pytest.mark.parametrize("is_service", [False, True])
def test_of_expired_keys_the_fifty_made_last_stay(api, root, is_service):
    ada = api.people.user("ada")
    past, later = (utcnow() + timedelta(days=days) for days in (-1, 1))
    owner = ada
    if is_service:
        robot = {"kind": "service", "username": "robot", "roles": ["viewer"]}
        owner = api.post_json(f"{V1}/users", robot, headers=root, status=201).json["id"]
    for _ in range(52):
        api.people.key(owner, "aircraft", expires_at=past)
    api.people.key(owner, "aircraft"), api.people.key(owner, "aircraft", expires_at=later)
    stranger = api.people.user("eve")
    for _ in range(51):
        api.people.key(stranger, "aircraft", expires_at=past)
    with api.runtime.sessions() as session:
        before = session.scalars(sa.select(ApiKey.id).where(ApiKey.user_id == owner).order_by(ApiKey.id)).all()
    body = {"name": "x", "scopes": ["aircraft"], "expires_at": "2020-01-01T00:00:00Z"}
    body |= {"user": owner} if is_service else {}
    made = api.post_json(
        f"{V1}/api-keys", body, headers=root if is_service else api.people.bearer(ada), status=201
    ).json["id"]
    with api.runtime.sessions() as session:
        after = session.scalars(sa.select(ApiKey.id).where(ApiKey.user_id == owner).order_by(ApiKey.id)).all()
        others = session.scalar(sa.select(sa.func.count(ApiKey.id)).where(ApiKey.user_id == stranger))
    assert (after, others) == ([*before[3:], made], 51)
    removed = entries(api, "api_key.deleted")
    assert {entry.target_id for entry in removed} == {str(number) for number in before[:3]}
    assert {entry.before.get("owner") for entry in removed} == {"robot" if is_service else None}


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_fifty_at_once_never_make_a_fifty_first_key(make_client, request, database):
    api = make_client(auth_mode="hybrid", database_url=request.getfixturevalue(f"{database}_url"))
    people = Population(api.runtime)
    ada = people.user("ada")
    for _ in range(49):
        people.key(ada, "aircraft")
    people.key(ada, "aircraft", expires_at=utcnow() - timedelta(days=1))  # Does not count any more.
    token, start, statuses = people.bearer(ada), threading.Barrier(25), []

    def make():
        start.wait()
        for _ in range(2):
            body = {"name": "x", "scopes": ["aircraft"]}
            answer = api.post_json(f"{V1}/api-keys", body, headers=token, expect_errors=True)
            statuses.append(answer.status_code)

    threads = [threading.Thread(target=make) for _ in range(25)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(statuses) == [201] + [409] * 49
    with api.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count(ApiKey.id))) == 51


def test_an_unattended_device_uses_cannonball_with_a_key_and_manages_nothing(api):
    owner = api.people.user("ada", "admin")
    made = api.post_json(
        f"{V1}/api-keys", {"name": "car", "scopes": ["cannonball"]}, headers=api.people.bearer(owner), status=201
    ).json
    assert made["scopes"] == ["cannonball"]
    device, base = {"X-API-Key": made["key"]}, f"{V1}/cannonball"
    api.put_json(f"{base}/location/", {"lat": 47.0, "lon": 8.0}, headers=device)
    for path in ("location/", "sessions/", "sessions/active/", "alerts/", "patterns/", "known-aircraft/"):
        api.get(f"{base}/{path}", headers=device)
    with api.runtime.sessions() as session, session.begin():
        own, others = (_alert(session, user_id) for user_id in (owner, api.people.user("ben", "viewer")))
    for call in ("announced", "acknowledge"):
        assert api.post(f"{base}/alerts/{own}/{call}/", headers=device).json["id"] == own
        # Its owner sees everybody's; the key does not carry that.
        api.post(f"{base}/alerts/{others}/{call}/", headers=device, status=404)
    assert api.get(f"{base}/alerts/", headers=device).json["count"] == 1
    assert api.get(f"{base}/alerts/", headers=api.people.bearer(owner)).json["count"] == 2
    entry = {"icao_hex": "3C1234"}
    assert code(api.post_json(f"{base}/known-aircraft/", entry, headers=device, status=403)) == "scope_denied"
    assert code(api.get(f"{V1}/aircraft", headers=device, status=403)) == "scope_denied"
    for path in ("my-permissions", "profile"):
        assert api.get(f"{V1}/auth/{path}", headers=device).json["permissions"] == ["cannonball.view"]
    api.delete(f"{base}/location/", headers=device, status=204)


def _alert(session, user_id):
    now = utcnow()
    near = CannonballSession(
        user_id=user_id, icao_hex="3C1234", identification="known", threat_level="info", peak_threat_level="info",
        urgency_score=9, peak_urgency_score=9, distance_nm=1, closest_nm=1, bearing=1, closing_speed_kts=1,
        started_at=now, last_seen=now,
    )  # fmt: skip
    session.add(near)
    session.flush()
    alert = CannonballAlert(
        user_id=user_id, session_id=near.id, session_icao="3C1234", alert_type="overhead", priority="info", title="x",
        message="x", aircraft_lat=47, aircraft_lon=8, user_lat=47, user_lon=8, distance_nm=1, bearing=1, created_at=now,
    )  # fmt: skip
    session.add(alert)
    session.flush()
    return alert.id
