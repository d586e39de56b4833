"""Claim mappings through the API."""

import sqlalchemy as sa

from skywatch.core.database.engine import writing
from skywatch.sso.models import ClaimMapping
from tests.functional.sso.signing_on import add_mapping, audit, sign_on


def test_mappings_are_created_changed_and_deleted(api):
    root = api.people.bearer(api.people.user("root", "superadmin"))
    made = add_mapping(api, "operator", "tower", who=root, priority=7)
    url = f"/api/v1/oidc-mappings/{made['id']}"
    assert made["is_active"] is True
    assert api.get(url, headers=root).json == made
    changed = api.patch_json(url, {"is_active": False, "role": "viewer"}, headers=root).json
    assert (changed["is_active"], changed["role"], changed["priority"]) == (False, "viewer", 7)
    body = {name: made[name] for name in ("name", "claim_name", "match_type", "claim_value", "role")}
    assert api.put_json(url, body, headers=root).json["priority"] == 0
    listed = api.get("/api/v1/oidc-mappings", headers=root).json
    assert [entry["id"] for entry in listed["oidc_mappings"]] == [made["id"]]
    api.delete(url, headers=root)
    api.get(url, headers=root, status=404)
    assert [len(audit(api, f"claim_mapping.{a}")) for a in ("created", "changed", "deleted")] == [1, 2, 1]


def test_a_mapping_must_make_sense(api):
    root = api.people.bearer(api.people.user("root", "superadmin"))
    bad = add_mapping(api, "viewer", "(unclosed", match_type="regex", who=root, status=400)
    assert bad["errors"][0]["name"] == "claim_value"
    # A backward reference is what makes other engines slow.
    assert add_mapping(api, "viewer", r"(a)\1", match_type="regex", who=root, status=400)["errors"]
    add_mapping(api, "viewer", "(" * 400 + "x{1000}" + "){1000}" * 10, match_type="regex", who=root, status=400)
    assert add_mapping(api, "nobody", "x", who=root, status=400)["errors"][0]["name"] == "role"
    misspelt = add_mapping(api, "viewer", "x", provider="defualt", who=root, status=400)["errors"][0]
    assert misspelt["name"] == "provider"
    assert "default" in misspelt["detail"]
    add_mapping(api, "viewer", "x" * 501, who=root, status=400)
    add_mapping(api, "viewer", "x", match_type="like", who=root, status=400)
    add_mapping(api, "viewer", "x", who=root)
    assert add_mapping(api, "viewer", "x", who=root, status=409)["code"] == "conflict"


def test_a_mapping_of_a_provider_that_was_removed_can_still_be_changed(make_api):
    more = {"oidc__work__provider_url": "https://work.example.org", "oidc__work__client_id": "x"}
    api = make_api(**more)
    root = api.people.bearer(api.people.user("root", "superadmin"))
    made = add_mapping(api, "viewer", "x", who=root, provider="work")
    body = {name: made[name] for name in ("name", "claim_name", "match_type", "claim_value", "role", "provider")}
    api = make_api()
    url = f"/api/v1/oidc-mappings/{made['id']}"
    assert api.put_json(url, body | {"claim_value": "y"}, headers=root).json["claim_value"] == "y"
    assert api.patch_json(url, {"provider": None}, headers=root).json["provider"] is None
    api.patch_json(url, {"provider": "work"}, headers=root, status=400)


def test_nobody_maps_to_a_role_that_gives_more_than_they_hold(api):
    api.people.role("mapper", ["roles.edit", "roles.view", "aircraft.view"])
    api.people.role("watcher", ["aircraft.view"])
    root = api.people.bearer(api.people.user("root", "superadmin"))
    mapper = api.people.bearer(api.people.user("mapper", "mapper"))
    own = add_mapping(api, "watcher", "all", who=mapper)
    assert add_mapping(api, "superadmin", "all", who=mapper, status=403)["code"] == "permission_denied"
    url = f"/api/v1/oidc-mappings/{own['id']}"
    for change in (api.patch_json, api.put_json):
        body = {name: own[name] for name in ("name", "claim_name", "match_type", "claim_value")}
        change(url, {**body, "role": "admin"}, headers=mapper, status=403)
    theirs = add_mapping(api, "admin", "chiefs", who=root)
    their_url = f"/api/v1/oidc-mappings/{theirs['id']}"
    api.patch_json(their_url, {"claim_value": "everybody"}, headers=mapper, status=403)
    api.delete(their_url, headers=mapper, status=403)
    assert api.get(their_url, headers=root).json["claim_value"] == "chiefs"
    assert audit(api, "claim_mapping.created.refused")


def test_a_stored_expression_beyond_the_limits_gives_no_role_and_can_be_switched_off(api):
    root = api.people.bearer(api.people.user("root", "superadmin"))
    made = add_mapping(api, "operator", "^x", match_type="regex", who=root)
    with writing(api.runtime.sessions) as session:
        session.execute(sa.update(ClaimMapping).values(claim_value=r"(\pL\pN){29}N|.*"))
    assert sign_on(api)["user"]["roles"] == ["viewer"]
    url = f"/api/v1/oidc-mappings/{made['id']}"
    refused = api.patch_json(url, {"name": "Other"}, headers=root, status=400)
    assert "needs more than 128 kB" in refused.json["errors"][0]["detail"]
    assert api.patch_json(url, {"is_active": False}, headers=root).json["is_active"] is False
    api.patch_json(url, {"is_active": True}, headers=root, status=400)
