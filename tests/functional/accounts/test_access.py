"""Access settings, and the audit log of what was done to accounts."""

from datetime import timedelta

import pytest

from skywatch.core.clock import to_iso, utcnow
from tests.accounts import PASSWORD
from tests.functional.accounts.asking import V1, code


@pytest.mark.deep("costs over a processor second")
def test_access_settings_hold_at_once(api, root):
    path = f"{V1}/feature-access/aircraft"
    api.get(f"{V1}/aircraft", status=401)
    opened = api.patch_json(path, {"read_access": "public"}, headers=root).json
    assert (opened["read_access"], opened["write_access"], opened["is_enabled"]) == ("public", "permission", True)
    api.get(f"{V1}/aircraft")
    api.put_json(path, {"read_access": "permission"}, headers=root, status=400)
    closed = {"read_access": "permission", "write_access": "permission", "is_enabled": False}
    api.put_json(path, closed, headers=root)
    for headers in ({}, root):
        assert code(api.get(f"{V1}/aircraft", headers=headers, status=403)) == "feature_disabled"
    api.get(f"{V1}/feature-access/pilots", headers=root, status=404)
    api.patch_json(path, {"read_access": "everybody"}, headers=root, status=400)


def test_a_switch_that_is_off_can_be_switched_on(api, root):
    for feature in ("system", "users", "roles"):
        api.patch_json(f"{V1}/feature-access/{feature}", {"is_enabled": False}, headers=root)
    api.get(f"{V1}/users", headers=root, status=403)
    for feature in ("system", "users", "roles"):
        api.patch_json(f"{V1}/feature-access/{feature}", {"is_enabled": True}, headers=root)
    api.get(f"{V1}/users", headers=root)


def test_write_level_authenticated_lets_any_logged_in_user_write(api, root):
    bearer = api.people.bearer(api.people.user("eve", "viewer"))
    rule = {"name": "Low", "conditions": {"field": "alt_baro", "op": "lt", "value": 1000}}
    # Address -> status where access lets the call through: what it asks for is not there, or no such body.
    writes = {
        f"{V1}/safety/events/999/acknowledge": 404,
        f"{V1}/audio/transmissions": 415,
        f"{V1}/audio/transmissions/999/transcribe": 503,
    }
    for address in (*writes, f"{V1}/alerts/rules/"):
        assert code(api.post_json(address, rule, headers=bearer, status=403)) == "permission_denied"
    for feature in ("alerts", "safety", "audio"):
        path = f"{V1}/feature-access/{feature}"
        api.patch_json(path, {"write_access": "authenticated"}, headers=root)
    for address, status in writes.items():
        api.post_json(address, {}, headers=bearer, status=status)
        api.post_json(address, {}, status=401)
    made = api.post_json(f"{V1}/alerts/rules/", rule, headers=bearer, status=201).json
    one = f"{V1}/alerts/rules/{made['id']}/"
    assert api.patch_json(one, {"name": "Lower"}, headers=bearer).json["name"] == "Lower"
    api.delete(one, headers=bearer, status=204)
    # What no level gives.
    api.delete(f"{V1}/audio/transmissions/999", headers=bearer, status=403)
    api.patch_json(f"{V1}/safety/settings", {}, headers=bearer, status=403)


def test_the_audit_log_tells_who_did_what_from_where_and_no_secret(api, root):
    api.post_json(f"{V1}/auth/login", {"username": "root", "password": "wrong"}, status=401)
    body = {"username": "ada", "email": "ada@example.org", "password": PASSWORD}
    ada = api.post_json(f"{V1}/users", body, headers={**root, "X-Request-ID": "trace-me-0123456"}, status=201).json
    api.patch_json(f"{V1}/users/{ada['id']}", {"password": "nine green bottles", "is_active": False}, headers=root)
    log = api.get(f"{V1}/system/audit", headers=root).json
    assert [entry["action"] for entry in log["entries"]] == ["user.changed", "user.created", "login.failed"]
    changed, created, failed = log["entries"]
    assert (created["actor_name"], created["method"], created["address"]) == ("root", "jwt", "127.0.0.1")
    assert created["request_id"] == "trace-me-0123456"
    assert (created["target_type"], created["target_id"], created["target_name"]) == ("user", str(ada["id"]), "ada")
    assert (changed["before"]["is_active"], changed["after"]["is_active"]) == (True, False)
    assert failed["method"] == "anonymous"
    for secret in (PASSWORD, "nine green", "argon2"):
        assert secret not in repr(log)
    assert api.get(f"{V1}/system/audit?action=login", headers=root).json["count"] == 1
    for actor in (root.id, "root", "ROOT"):
        assert api.get(f"{V1}/system/audit?actor={actor}&target_type=user", headers=root).json["count"] == 2
    assert api.get(f"{V1}/system/audit?actor=ada", headers=root).json["count"] == 0
    soon = to_iso(utcnow() + timedelta(minutes=1))
    assert api.get(f"{V1}/system/audit?from={soon}", headers=root).json["count"] == 0
    assert api.get(f"{V1}/system/audit?to={soon}", headers=root).json["count"] == 3


def test_a_name_of_digits_finds_its_own_entries_too(api, root):
    number = api.people.user("4711", "superadmin")
    api.patch_json(f"{V1}/feature-access/audio", {"is_enabled": False}, headers=api.people.bearer(number))
    for actor in (number, "4711"):
        assert api.get(f"{V1}/system/audit?actor={actor}", headers=root).json["count"] == 1
    assert api.get(f"{V1}/system/audit?actor={'9' * 300}", headers=root, status=400).json["errors"]


def test_the_audit_log_is_read_on_by_cursor(api, root):
    for number in range(5):
        api.post_json(f"{V1}/roles", {"name": f"role_{number}", "permissions": []}, headers=root, status=201)
    address, seen = f"{V1}/system/audit?limit=2&action=role.created", []
    while address:
        found = api.get(address.removeprefix("http://localhost"), headers=root).json
        seen += [entry["target_name"] for entry in found["entries"]]
        address = found["next"]
        # What is written meanwhile moves nothing to the next page.
        api.post_json(f"{V1}/roles", {"name": f"later_{len(seen)}", "permissions": []}, headers=root, status=201)
    assert seen == [f"role_{number}" for number in (4, 3, 2, 1, 0)]
