"""Service accounts through the API: programs without e-mail address, password and login, and the keys made for them."""

import pytest

from skywatch.accounts.identity.visibilities import people
from skywatch.accounts.login_tokens import begin_login
from skywatch.accounts.models import User
from skywatch.accounts.users.service import set_password
from skywatch.core.problems import Problem
from skywatch.history.analysis.views import evaluation_limiter
from tests.accounts import PASSWORD
from tests.functional.accounts.asking import V1, bearer, code, entries, login

KEYS = f"{V1}/api-keys"


@pytest.fixture
def make_service(api, root):
    """A new service account; gives its number."""

    def make(name, *roles):
        body = {"kind": "service", "username": name, "roles": list(roles)}
        return api.post_json(f"{V1}/users", body, headers=root, status=201).json["id"]

    return make


def key_for(api, number, header, status=201, scopes=("aircraft",)):
    body = {"name": "radar", "scopes": list(scopes), "user": number}
    return api.post_json(KEYS, body, headers=header, status=status).json


def test_a_program_gets_an_account_and_a_key_that_opens_what_both_allow(api, root):
    body = {"kind": "service", "username": "grafana", "roles": ["viewer"]}
    made = api.post_json(f"{V1}/users", body, headers=root, status=201).json
    assert (made["kind"], made["email"], made["auth_provider"]) == ("service", "", "none")
    key = key_for(api, made["id"], root)
    header = {"X-API-Key": key["key"]}
    profile = api.get(f"{V1}/auth/profile", headers=header).json
    assert (profile["username"], profile["permissions"]) == ("grafana", ["aircraft.view"])
    api.get(f"{V1}/aircraft", headers=header)
    api.get(f"{V1}/safety/events", headers=header, status=403)
    (listed,) = api.get(f"{KEYS}?user={made['id']}", headers=root).json["api_keys"]
    assert listed["id"] == key["id"]
    assert "key" not in listed
    assert api.get(KEYS, headers=root).json["count"] == 0
    # It is not the caller's own.
    api.delete(f"{KEYS}/{key['id']}", headers=root, status=404)
    api.delete(f"{KEYS}/{key['id']}?user={made['id']}", headers=root, status=204)
    api.get(f"{V1}/aircraft", headers=header, status=401)
    (created,), (deleted,) = entries(api, "api_key.created"), entries(api, "api_key.deleted")
    assert created.actor_name == deleted.actor_name == "root"
    assert created.after["owner"] == deleted.before["owner"] == "grafana"
    assert entries(api, "user.created")[0].after["kind"] == "service"


def test_a_program_has_neither_address_nor_password(api, root):
    body = {"username": "x y", "kind": "service", "email": "g@example.org", "password": PASSWORD}
    faults = api.post_json(f"{V1}/users", {**body, "username": "grafana"}, headers=root, status=400).json["errors"]
    assert {fault["name"] for fault in faults} == {"email", "password"}
    faults = api.post_json(f"{V1}/users", {"username": "ok", "kind": "robot"}, headers=root, status=400).json["errors"]
    assert "kind" in {fault["name"] for fault in faults}


def test_a_program_gets_no_address_password_kind_link_or_login_later_either(api, root, make_service):
    path = f"{V1}/users/{make_service('grafana', 'viewer')}"
    for change in ({"email": "g@example.org"}, {"password": PASSWORD}, {"kind": "person"}):
        fault = api.patch_json(path, change, headers=root, status=400).json
        assert [error["name"] for error in fault["errors"]] == list(change)
    assert api.patch_json(path, {"display_name": "Grafana", "roles": []}, headers=root).json["roles"] == []
    assert code(login(api, "grafana", "", status=400)) == "validation_failed"
    assert code(login(api, "grafana", PASSWORD, status=401)) == "invalid_credentials"
    with api.runtime.sessions() as session:
        user = session.query(User).filter_by(username="grafana").one()
        with pytest.raises(Problem, match="1 fault"):
            set_password(user, PASSWORD, "password")
        with pytest.raises(Problem, match="cannot log in"):
            begin_login(session, user, "password", None, None)


def test_keys_of_a_service_account_need_user_editing_and_every_right_of_the_account(api, root, admin, make_service):
    small, great = make_service("small", "viewer"), make_service("great", "superadmin")
    viewer = api.people.bearer(api.people.user("vera", "viewer"))
    made = {number: key_for(api, number, root)["id"] for number in (small, great)}
    for header, number in ((viewer, small), (admin, great)):
        assert code(api.post_json(KEYS, {"name": "x", "scopes": ["aircraft"], "user": number}, headers=header,
                                  status=403)) == "permission_denied"  # fmt: skip
        api.get(f"{KEYS}?user={number}", headers=header, status=403)
        api.delete(f"{KEYS}/{made[number]}?user={number}", headers=header, status=403)
    assert [entry.actor_name for entry in entries(api, "api_key.created.refused")] == ["vera", "boss"]
    key_for(api, small, admin)
    assert api.get(f"{KEYS}?user={small}", headers=admin).json["count"] == 2
    # A key of another account is not found by this one's number.
    api.delete(f"{KEYS}/{made[great]}?user={small}", headers=admin, status=404)
    api.delete(f"{KEYS}/{made[small]}?user={small}", headers=admin, status=204)


def test_keys_of_people_are_made_by_themselves_alone(api, root, admin):
    ada = api.people.user("ada", "viewer")
    for number in (ada, root.id, 999_999):
        fault = key_for(api, number, root, status=400)
        assert fault["errors"][0]["name"] == "user"
        api.get(f"{KEYS}?user={number}", headers=root, status=400)
    for wrong in ("0", "x", "-1"):
        api.get(f"{KEYS}?user={wrong}", headers=root, status=400)
    api.post_json(KEYS, {"name": "x", "scopes": ["aircraft"], "user": "1"}, headers=root, status=400)


def test_a_key_never_makes_another_and_a_feature_switched_off_stops_the_managing(api, root, make_service):
    number = make_service("grafana", "viewer")
    key = key_for(api, number, root)["key"]
    api.post_json(KEYS, {"name": "x", "scopes": ["aircraft"], "user": number}, headers={"X-API-Key": key}, status=403)
    api.patch_json(f"{V1}/feature-access/users", {"is_enabled": False}, headers=root)
    body = {"name": "x", "scopes": ["aircraft"], "user": number}
    assert code(api.post_json(KEYS, body, headers=root, status=403)) == "feature_disabled"
    # Own keys are everybody's own matter.
    api.get(KEYS, headers=root)


def test_a_program_is_not_the_superadmin_who_stays(api, root, make_service):
    make_service("robot", "superadmin")
    assert code(api.delete(f"{V1}/users/{root.id}", headers=root, status=409)) == "conflict"
    token = bearer(api.people.token(api.people.user("second", "superadmin")))
    api.delete(f"{V1}/users/{root.id}", headers=token, status=204)


def test_a_deactivated_program_is_refused_until_it_is_active_again(api, root, make_service):
    number = make_service("grafana", "viewer")
    header = {"X-API-Key": key_for(api, number, root)["key"]}
    api.patch_json(f"{V1}/users/{number}", {"is_active": False}, headers=root)
    assert code(api.get(f"{V1}/aircraft", headers=header, status=401)) == "account_disabled"
    api.patch_json(f"{V1}/users/{number}", {"is_active": True}, headers=root)
    api.get(f"{V1}/aircraft", headers=header)


def test_a_service_account_has_no_turn_beside_its_owners(api, root, make_service, monkeypatch):
    turns = api.runtime.shared(evaluation_limiter)
    monkeypatch.setattr(turns, "wait_s", 0)
    owner = api.get(f"{V1}/auth/profile", headers=root).json["id"]
    key = {"X-API-Key": key_for(api, make_service("grafana", "viewer"), root, scopes=["history"])["key"]}
    with turns.turn(f"user {owner}"):
        for header in (root, key):
            assert "of yours" in api.get(f"{V1}/history/heatmap", headers=header, status=503).json["detail"]
    with turns.turn("user 4711"):
        for header in (root, key):
            api.get(f"{V1}/history/heatmap", headers=header)
    with api.runtime.sessions() as session:
        accounts = {user.id: user.owner_id for user in session.query(User)}
        assert people(session, list(accounts)) == dict.fromkeys(accounts, f"user {owner}")
