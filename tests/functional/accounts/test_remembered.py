"""What is remembered of callers between requests, and that a change is felt at once."""

import threading

import sqlalchemy as sa

from skywatch.accounts.identity import cache
from skywatch.accounts.models import AccessVersion
from tests.functional.accounts.asking import bearer, code, login, role_id
from tests.waiting import until


def test_a_steady_reader_costs_no_query(api, monkeypatch):
    ada = api.people.user("ada", "viewer")
    headers = [api.people.bearer(ada), {"X-API-Key": api.people.key(ada, "aircraft")}]
    # What is remembered is believed for as long as this takes.
    monkeypatch.setattr(cache, "BELIEVED_S", 3600.0)
    mine, queries = threading.get_ident(), []

    @sa.event.listens_for(api.runtime.engine, "before_cursor_execute")
    def count(*args):
        if threading.get_ident() == mine:
            queries.append(args[2])

    def visits(times):
        queries.clear()
        for _ in range(times):
            [api.get("/api/v1/auth/profile", headers=h) for h in headers]
        return queries

    until(lambda: visits(1) == [], "the watcher's first look")
    assert visits(10) == []


def test_a_deactivated_user_is_out_at_once(api):
    ada = api.people.user("ada")
    root = api.people.user("root", "superadmin")
    tokens = login(api).json
    api.patch_json(f"/api/v1/users/{ada}", {"is_active": False}, headers=api.people.bearer(root))
    assert code(api.get("/api/v1/auth/profile", headers=bearer(tokens["access"]), status=401)) == "account_disabled"
    refused = api.post_json("/api/v1/auth/refresh", {"refresh": tokens["refresh"]}, status=401)
    assert code(refused) == "account_disabled"


def test_the_version_is_raised_by_changes_and_not_by_logins(api):
    def version():
        with api.runtime.sessions() as session:
            return session.scalars(sa.select(AccessVersion.version)).one()

    api.people.user("ada")
    before = version()
    tokens = login(api).json
    assert version() == before
    api.post_json("/api/v1/auth/logout", {}, headers=bearer(tokens["access"]))
    assert version() == before + 1


def test_a_profile_shows_changes_of_account_and_rights_at_once(api, root):
    ada = api.people.user("ada", "viewer")
    headers = [api.people.bearer(ada), {"X-API-Key": api.people.key(ada, "alerts")}]

    def profiles():
        return [api.get("/api/v1/auth/profile", headers=one).json for one in headers]

    assert profiles() == profiles()
    by_token, by_key = (set(profile["permissions"]) for profile in profiles())
    assert by_key == {name for name in by_token if name.startswith("alerts.")} != by_token
    api.patch_json(f"/api/v1/users/{ada}", {"display_name": "Ada L."}, headers=root)
    assert [profile["display_name"] for profile in profiles()] == ["Ada L."] * 2
    api.post_json("/api/v1/user-roles", {"user": ada, "role": role_id(api, "operator")}, headers=root, status=201)
    assert all("alerts.create" in profile["permissions"] for profile in profiles())
    api.patch_json(f"/api/v1/users/{ada}", {"is_active": False}, headers=root)
    assert {code(api.get("/api/v1/auth/profile", headers=one, status=401)) for one in headers} == {"account_disabled"}


def test_a_credential_in_the_address_is_refused_every_time(api):
    for _ in range(2):
        api.get("/api/v1/auth/config")
        refused = api.get("/api/v1/aircraft?limit=1&Access_Token=x", status=401)
        assert "Access_Token" in refused.json["detail"]
        unknown = api.get("/api/v1/auth/config?more=1", status=400)
        assert unknown.json["errors"][0]["name"] == "more"
