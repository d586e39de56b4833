"""Roles and their assignments through the API."""

from datetime import timedelta

import pytest

from skywatch.core.clock import to_iso, utcnow
from tests.functional.accounts.asking import V1, code, role_id
from tests.waiting import go_on


def test_a_role_is_created_changed_and_deleted(api, root):
    body = {"name": "spotter", "display_name": "Spotter", "permissions": ["aircraft.view"], "priority": 15}
    role = api.post_json(f"{V1}/roles", body, headers=root, status=201).json
    assert (role["is_system"], role["user_count"], role["priority"]) == (False, 0, 15)
    api.post_json(f"{V1}/roles", body, headers=root, status=409)
    path = f"{V1}/roles/{role['id']}"
    api.patch_json(path, {"permissions": ["aircraft.view", "aircraft.fly"]}, headers=root, status=400)
    api.people.user("ada", "spotter")
    assert api.get(path, headers=root).json["user_count"] == 1
    refused = api.delete(path, headers=root, status=409)
    assert (code(refused), "by 1 user;" in refused.json["detail"]) == ("conflict", True)
    api.delete(f"{path}?force=true", headers=root, status=204)
    names = [role["name"] for role in api.get(f"{V1}/roles", headers=root).json["roles"]]
    assert names == ["superadmin", "admin", "analyst", "operator", "viewer"]


def test_a_change_of_a_role_is_felt_at_once(api, root):
    ada = api.people.bearer(api.people.user("ada", "viewer"))
    assert "alerts.view" in api.get(f"{V1}/auth/my-permissions", headers=ada).json["permissions"]
    api.patch_json(f"{V1}/roles/{role_id(api, 'viewer')}", {"permissions": ["aircraft.view"]}, headers=root)
    assert api.get(f"{V1}/auth/my-permissions", headers=ada).json["permissions"] == ["aircraft.view"]


def test_an_assignment_ends_by_the_second_without_a_restart(api, root, monkeypatch):
    ada = api.people.user("ada")
    token = api.people.bearer(ada)
    body = {"user": ada, "role": role_id(api, "admin"), "expires_at": to_iso(utcnow() + timedelta(minutes=30))}
    made = api.post_json(f"{V1}/user-roles", body, headers=root, status=201).json
    assert (made["username"], made["role_name"], made["is_expired"]) == ("ada", "admin", False)
    assert made["assigned_by"] == root.id
    api.get(f"{V1}/users", headers=token)
    go_on(monkeypatch, 30 * 60)
    api.get(f"{V1}/users", headers=token, status=403)
    assert api.get(f"{V1}/auth/profile", headers=token).json["roles"] == []
    assert api.get(f"{V1}/user-roles/{made['id']}", headers=root).json["is_expired"] is True
    # What has run out may be given again, and without an end.
    again = api.post_json(f"{V1}/user-roles", {"user": ada, "role": role_id(api, "admin")}, headers=root, status=201)
    assert again.json["expires_at"] is None
    api.post_json(f"{V1}/user-roles", {"user": ada, "role": role_id(api, "admin")}, headers=root, status=409)


def test_assignments_are_listed_changed_and_taken_back(api, root):
    ada = api.people.user("ada", "viewer")
    listed = api.get(f"{V1}/user-roles?user={ada}", headers=root).json
    assert [entry["role_name"] for entry in listed["user_roles"]] == ["viewer"]
    path = f"{V1}/user-roles/{listed['user_roles'][0]['id']}"
    later = to_iso(utcnow().replace(microsecond=0) + timedelta(days=1))
    assert api.patch_json(path, {"expires_at": later}, headers=root).json["expires_at"] == later
    past = api.patch_json(path, {"expires_at": "2020-01-01T00:00:00Z"}, headers=root).json
    assert (past["expires_at"], past["is_expired"]) == ("2020-01-01T00:00:00Z", True)
    assert api.get(f"{V1}/users/{ada}", headers=root).json["roles"] == []
    api.delete(path, headers=root, status=204)
    assert api.get(f"{V1}/users/{ada}", headers=root).json["roles"] == []


def test_an_assignment_of_what_is_not_there_is_named(api, root):
    fault = api.post_json(f"{V1}/user-roles", {"user": 999, "role": 1}, headers=root, status=400).json
    assert fault["errors"][0]["name"] == "user"
    fault = api.post_json(f"{V1}/user-roles", {"user": root.id, "role": 999}, headers=root, status=400).json
    assert fault["errors"][0]["name"] == "role"


@pytest.mark.parametrize(
    ("path", "plural"), [("auth/permissions", "permissions"), ("feature-access", "feature_access")]
)
def test_short_lists_have_the_envelope_of_all_lists(api, root, path, plural):
    whole = api.get(f"{V1}/{path}", headers=root).json
    assert list(whole) == [plural, "count", "next", "previous"]
    assert (whole["count"], whole["next"], whole["previous"]) == (len(whole[plural]), None, None)
    part = api.get(f"{V1}/{path}?limit=2&offset=1", headers=root).json
    assert (part[plural], part["count"]) == (whole[plural][1:3], whole["count"])
    assert part["next"].endswith("?limit=2&offset=3")


def test_everything_that_is_wrong_with_an_assignment_is_named_at_once(api, root):
    body = {"user": 999, "role": 998}
    errors = api.post_json(f"{V1}/user-roles", body, headers=root, status=400).json["errors"]
    assert [error["name"] for error in errors] == ["user", "role"]


def test_an_assignment_whose_time_is_past_is_stored_and_has_no_effect(api, root):
    eve = api.people.user("eve")
    body = {"user": eve, "role": role_id(api, "viewer"), "expires_at": "2020-01-01T00:00:00Z"}
    made = api.post_json(f"{V1}/user-roles", body, headers=root, status=201).json
    assert (made["expires_at"], made["is_expired"]) == ("2020-01-01T00:00:00Z", True)
    assert api.get(f"{V1}/auth/my-permissions", headers=api.people.bearer(eve)).json == {"permissions": [], "roles": []}


def test_a_role_may_be_made_without_permissions(api, root):
    role = api.post_json(f"{V1}/roles", {"name": "guests"}, headers=root, status=201).json
    assert role["permissions"] == []
