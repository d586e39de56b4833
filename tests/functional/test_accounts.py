"""Users, roles, assignments, keys, access settings and the audit log through the API; and that nobody climbs."""

import json
import re
import threading
import time
from datetime import timedelta
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import ApiKey, User
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.models import AuditEntry
from tests.accounts import PASSWORD, Population

V1 = "/api/v1"


@pytest.fixture
def api(make_client):
    client = make_client(auth_mode="hybrid")
    client.people = Population(client.runtime)
    return client


@pytest.fixture
def root(api):
    """The header of the only superadmin, whose number is ``root.id``."""

    class Header(dict):
        id: int

    number = api.people.user("root", "superadmin")
    header = Header(api.people.bearer(number))
    header.id = number
    return header


def role_id(api, name):
    with api.runtime.sessions() as session:
        return session.scalars(sa.text("SELECT id FROM roles WHERE name = :name").bindparams(name=name)).one()


def entries(api):
    with api.runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry).order_by(AuditEntry.id)).all()


def code(response):
    return response.json["code"]


# Users


def test_a_user_is_created_found_changed_and_deleted(api, root):
    body = {"username": "Ada", "email": "ada@example.org", "password": PASSWORD, "roles": ["viewer"]}
    ada = api.post_json(f"{V1}/users", body, headers=root, status=201).json
    assert (ada["username"], ada["display_name"], ada["roles"], ada["is_active"]) == ("Ada", "Ada", ["viewer"], True)
    assert "password" not in repr(ada)
    assert api.get(f"{V1}/users/{ada['id']}", headers=root).json == ada
    assert api.get(f"{V1}/users?search=ADA@", headers=root).json["users"] == [ada]
    assert api.get(f"{V1}/users?role=viewer&is_active=true", headers=root).json["count"] == 1
    changed = api.patch_json(
        f"{V1}/users/{ada['id']}", {"roles": ["operator"], "display_name": "Ada L."}, headers=root
    ).json
    assert (changed["roles"], changed["display_name"]) == (["operator"], "Ada L.")
    assert api.delete(f"{V1}/users/{ada['id']}", headers=root, status=204).body == b""
    api.get(f"{V1}/users/{ada['id']}", headers=root, status=404)
    assert [entry.action for entry in entries(api)] == ["user.created", "user.changed", "user.deleted"]


@pytest.mark.parametrize(
    ("username", "email"),
    [
        ("ada", "other@example.org"),
        ("ADA", "other@example.org"),
        ("ａｄａ", "other@example.org"),
        ("other", "ADA@EXAMPLE.org"),
    ],
)
def test_a_name_or_address_that_is_there_is_a_conflict_in_any_form(api, root, username, email):
    api.people.user("ada")
    refused = api.post_json(f"{V1}/users", {"username": username, "email": email}, headers=root, status=409)
    assert code(refused) == "conflict"


@pytest.mark.parametrize(
    "username",
    ["аdа", "a", "ad a", "ada\u200b", "-ada", "ada.", "a" * 65, "ada@example", "<script>", "", 7, None, "ada\r\nX: y"],
)
def test_names_that_mislead_or_break_are_refused(api, root, username):
    body = {"username": username, "email": "x@example.org"}
    fault = api.post_json(f"{V1}/users", body, headers=root, status=400).json
    assert [error["name"] for error in fault["errors"]] == ["username"]


def test_every_fault_of_a_body_is_named_at_once(api, root):
    body = {"username": "x y", "email": "nowhere", "password": "", "roles": "viewer", "is_admin": True}
    fault = api.post_json(f"{V1}/users", body, headers=root, status=400).json
    assert {error["name"] for error in fault["errors"]} == {"username", "email", "password", "roles", "is_admin"}
    unknown = {"username": "ok", "email": "o@x.org", "roles": ["no"]}
    assert api.post_json(f"{V1}/users", unknown, headers=root, status=400).json["errors"][0]["name"] == "roles"


def test_a_body_that_cannot_be_read_is_refused(api, root):
    def post(body, content_type="application/json", status=400):
        return api.post(f"{V1}/users", body, content_type=content_type, headers=root, status=status)

    for body in (b"{", b'{"username": "a", "username": "b"}', b'{"username": NaN}', b"\xff\xfe", b"[" * 5000, b"[]"):
        post(body)
    post(b"username=ada", "text/plain", 415)
    post(b"username=ada", "application/x-www-form-urlencoded", 415)
    assert api.get(f"{V1}/users", headers=root).json["count"] == 1


def test_ids_that_name_nothing_are_not_found(api, root):
    for number in ("0", "999999999999999999", "9999999999999999999999", "-1", "1e3", "%00"):
        api.get(f"{V1}/users/{number}", headers=root, status=404)
        api.delete(f"{V1}/roles/{number}", headers=root, status=404)


def test_lists_have_pages_in_a_steady_order(api, root):
    for name in ("eve", "bob", "ada"):
        api.people.user(name)
    first = api.get(f"{V1}/users?limit=2", headers=root).json
    assert [user["username"] for user in first["users"]] == ["ada", "bob"]
    assert (first["count"], first["previous"]) == (4, None)
    second = api.get(first["next"].removeprefix("http://localhost"), headers=root).json
    assert [user["username"] for user in second["users"]] == ["eve", "root"]


def test_a_search_is_never_a_pattern(api, root):
    api.people.user("ada")
    assert api.get(f"{V1}/users?search=%25", headers=root).json["count"] == 0
    assert api.get(f"{V1}/users?search=a'+OR+1=1--", headers=root).json["count"] == 0


def test_a_password_set_by_an_administrator_ends_the_logins(api, root):
    ada = api.people.user("ada")
    token = api.people.bearer(ada)
    api.patch_json(f"{V1}/users/{ada}", {"password": "nine green bottles"}, headers=root)
    assert code(api.get(f"{V1}/auth/profile", headers=token, status=401)) == "token_revoked"


def test_the_number_of_a_deleted_user_is_not_used_again(api, root):
    ada = api.people.user("ada")
    api.delete(f"{V1}/users/{ada}", headers=root, status=204)
    assert api.people.user("eve") > ada


# Nobody hands out what they lack


@pytest.fixture
def admin(api):
    return api.people.bearer(api.people.user("boss", "admin"))


def test_an_administrator_cannot_touch_who_holds_more(api, root, admin):
    for body in ({"display_name": "x"}, {"is_active": False}, {"password": "nine green bottles"}, {"roles": []}):
        assert code(api.patch_json(f"{V1}/users/{root.id}", body, headers=admin, status=403)) == "permission_denied"


def test_an_administrator_cannot_hand_out_superadmin_by_any_path(api, root, admin):
    ada = api.people.user("ada")
    superadmin = role_id(api, "superadmin")
    refusals = [
        api.patch_json(f"{V1}/users/{ada}", {"roles": ["superadmin"]}, headers=admin, status=403),
        api.post_json(f"{V1}/user-roles", {"user": ada, "role": superadmin}, headers=admin, status=403),
    ]
    assert {code(refusal) for refusal in refusals} == {"permission_denied"}
    refused = [entry for entry in entries(api) if entry.action.endswith(".refused")]
    assert [entry.actor_name for entry in refused] == ["boss", "boss"]


def test_a_role_maker_cannot_make_or_change_a_role_beyond_themselves(api, root):
    api.people.role("maker", ["roles.create", "roles.edit", "roles.delete", "roles.view", "aircraft.view"])
    maker = api.people.bearer(api.people.user("maker", "maker"))
    more = {"name": "more", "permissions": ["users.delete"]}
    api.post_json(f"{V1}/roles", more, headers=maker, status=403)
    mine = api.post_json(f"{V1}/roles", {"name": "mine", "permissions": ["aircraft.view"]}, headers=maker, status=201)
    path = f"{V1}/roles/{mine.json['id']}"
    api.patch_json(path, {"permissions": ["aircraft.view", "users.delete"]}, headers=maker, status=403)
    admin_role = f"{V1}/roles/{role_id(api, 'admin')}"
    api.patch_json(admin_role, {"description": "mine now"}, headers=maker, status=403)
    api.delete(path, headers=maker, status=204)


def test_a_user_maker_creates_nobody_with_more(api):
    api.people.role("clerk", ["users.create", "users.view", "aircraft.view"])
    clerk = api.people.bearer(api.people.user("clerk", "clerk"))
    body = {"username": "ada", "email": "ada@example.org", "roles": ["viewer"]}
    api.post_json(f"{V1}/users", body, headers=clerk, status=403)
    api.post_json(f"{V1}/users", {**body, "roles": []}, headers=clerk, status=201)


def test_rights_that_have_just_gone_count_for_nothing(api, root):
    boss = api.people.user("boss", "admin")
    token, ada = api.people.bearer(boss), api.people.user("ada")
    api.get(f"{V1}/users", headers=token)
    api.patch_json(f"{V1}/users/{boss}", {"roles": ["viewer"]}, headers=root)
    api.get(f"{V1}/users", headers=token, status=403)
    api.patch_json(f"{V1}/users/{ada}", {"display_name": "x"}, headers=token, status=403)


# The last superadmin


def test_the_last_superadmin_stays_by_every_path(api, root):
    with api.runtime.sessions() as session:
        assignment = session.scalars(sa.text("SELECT id FROM user_roles")).one()
    later = to_iso(utcnow() + timedelta(days=1))
    refusals = [
        api.delete(f"{V1}/users/{root.id}", headers=root, status=409),
        api.patch_json(f"{V1}/users/{root.id}", {"is_active": False}, headers=root, status=409),
        api.patch_json(f"{V1}/users/{root.id}", {"roles": ["admin"]}, headers=root, status=409),
        api.delete(f"{V1}/user-roles/{assignment}", headers=root, status=409),
        api.patch_json(f"{V1}/user-roles/{assignment}", {"expires_at": later}, headers=root, status=409),
        api.delete(f"{V1}/roles/{role_id(api, 'superadmin')}?force=true", headers=root, status=409),
        api.patch_json(f"{V1}/roles/{role_id(api, 'superadmin')}", {"permissions": []}, headers=root, status=409),
        api.patch_json(f"{V1}/roles/{role_id(api, 'superadmin')}", {"name": "king"}, headers=root, status=409),
    ]
    assert {code(refusal) for refusal in refusals} == {"conflict"}
    assert "superadmin" in api.get(f"{V1}/auth/my-permissions", headers=root).json["roles"]
    api.people.user("second", "superadmin")
    api.delete(f"{V1}/users/{root.id}", headers=root, status=204)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_two_superadmins_cannot_remove_each_other_at_once(make_client, request, database):
    api = make_client(auth_mode="hybrid", database_url=request.getfixturevalue(f"{database}_url"))
    people = Population(api.runtime)
    ids = [people.user("one", "superadmin"), people.user("two", "superadmin")]
    tokens = [people.bearer(number) for number in ids]
    start, statuses = threading.Barrier(2), []

    def remove(mine, other):
        start.wait()
        statuses.append(api.delete(f"{V1}/users/{other}", headers=tokens[mine], expect_errors=True).status_code)

    threads = [threading.Thread(target=remove, args=(0, ids[1])), threading.Thread(target=remove, args=(1, ids[0]))]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(statuses)[0] == 204
    assert sorted(statuses)[1] in (401, 409)
    with api.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count(User.id))) == 1


# Roles and assignments


def test_a_role_is_created_changed_and_deleted(api, root):
    body = {"name": "spotter", "display_name": "Spotter", "permissions": ["aircraft.view"], "priority": 15}
    role = api.post_json(f"{V1}/roles", body, headers=root, status=201).json
    assert (role["is_system"], role["user_count"], role["priority"]) == (False, 0, 15)
    api.post_json(f"{V1}/roles", body, headers=root, status=409)
    path = f"{V1}/roles/{role['id']}"
    api.patch_json(path, {"permissions": ["aircraft.view", "aircraft.fly"]}, headers=root, status=400)
    api.people.user("ada", "spotter")
    assert api.get(path, headers=root).json["user_count"] == 1
    assert code(api.delete(path, headers=root, status=409)) == "conflict"
    api.delete(f"{path}?force=true", headers=root, status=204)
    names = [role["name"] for role in api.get(f"{V1}/roles", headers=root).json["roles"]]
    assert names == ["superadmin", "admin", "analyst", "operator", "viewer"]


def test_a_change_of_a_role_is_felt_at_once(api, root):
    ada = api.people.bearer(api.people.user("ada", "viewer"))
    assert "alerts.view" in api.get(f"{V1}/auth/my-permissions", headers=ada).json["permissions"]
    api.patch_json(f"{V1}/roles/{role_id(api, 'viewer')}", {"permissions": ["aircraft.view"]}, headers=root)
    assert api.get(f"{V1}/auth/my-permissions", headers=ada).json["permissions"] == ["aircraft.view"]


def test_an_assignment_ends_by_the_second_without_a_restart(api, root):
    ada = api.people.user("ada")
    token = api.people.bearer(ada)
    body = {"user": ada, "role": role_id(api, "admin"), "expires_at": to_iso(utcnow() + timedelta(seconds=1.5))}
    made = api.post_json(f"{V1}/user-roles", body, headers=root, status=201).json
    assert (made["username"], made["role_name"], made["is_expired"]) == ("ada", "admin", False)
    assert made["assigned_by"] == root.id
    api.get(f"{V1}/users", headers=token)
    time.sleep(1.6)
    api.get(f"{V1}/users", headers=token, status=403)
    assert api.get(f"{V1}/auth/profile", headers=token).json["roles"] == []
    assert api.get(f"{V1}/user-roles/{made['id']}", headers=root).json["is_expired"] is True
    # What has run out may be given again, and for ever.
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
    api.patch_json(path, {"expires_at": "2020-01-01T00:00:00Z"}, headers=root, status=400)
    api.delete(path, headers=root, status=204)
    assert api.get(f"{V1}/users/{ada}", headers=root).json["roles"] == []


def test_an_assignment_of_what_is_not_there_is_named(api, root):
    fault = api.post_json(f"{V1}/user-roles", {"user": 999, "role": 1}, headers=root, status=400).json
    assert fault["errors"][0]["name"] == "user"
    fault = api.post_json(f"{V1}/user-roles", {"user": root.id, "role": 999}, headers=root, status=400).json
    assert fault["errors"][0]["name"] == "role"


# API keys


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
        {"name": "x", "scopes": ["aircraft"], "expires_at": "2020-01-01T00:00:00Z"},
        {"name": "x", "scopes": ["aircraft"], "expires_at": "soon"},
        {"scopes": ["aircraft"]},
    ],
)
def test_a_bad_key_is_not_made(api, root, body):
    api.post_json(f"{V1}/api-keys", body, headers=root, status=400)
    assert api.get(f"{V1}/api-keys", headers=root).json["count"] == 0


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


# Credentials in requests


def test_two_credentials_are_refused_and_a_cookie_beside_a_header_is_not_looked_at(make_client):
    api = make_client(auth_mode="hybrid", jwt_auth_cookie="true")
    people = Population(api.runtime)
    ada = people.user("ada")
    both = {**people.bearer(ada), "X-API-Key": people.key(ada, "aircraft")}
    assert code(api.get(f"{V1}/auth/profile", headers=both, status=400)) == "validation_failed"
    # A header sent twice arrives as one, with a comma between.
    token, key = both["Authorization"], both["X-API-Key"]
    for name, value in (
        ("Authorization", f"{token}, {token}"),
        ("Authorization", f"{token},ApiKey {key}"),
        ("Authorization", f"Basic YTpi, {token}"),
        ("X-API-Key", f"{key}, {key}"),
    ):
        assert code(api.get(f"{V1}/auth/profile", headers={name: value}, status=400)) == "validation_failed"
    api.set_cookie("skywatch_access", "nonsense")
    assert code(api.get(f"{V1}/auth/profile", status=401)) == "token_invalid"
    assert api.get(f"{V1}/auth/profile", headers=people.bearer(ada)).json["username"] == "ada"


@pytest.mark.parametrize("number", ["\u0661", "\uff11", "1\u0660", "1" * 19, "+1", "-1", "1.0"])
def test_only_ascii_digits_are_the_number_of_a_row(api, number):
    owner = api.people.bearer(api.people.user("owner", "superadmin"))
    for path in ("users", "user-roles", "roles", "oidc-mappings", "cannonball/known-aircraft"):
        assert code(api.get(f"{V1}/{path}/{quote(number)}", headers=owner, status=404)) == "not_found"


@pytest.mark.parametrize(
    "name", ["a\u202eb", "a\u200bb", "\u2066a", "a\u0085b", "a\u2028b", "\ufeffa", "  ", "\u3164", "a\ue000"]
)
def test_a_display_name_holds_nothing_that_cannot_be_seen(api, name):
    owner = api.people.bearer(api.people.user("owner", "superadmin"))
    body = {"display_name": name}
    for method, path, extra in (
        ("PATCH", "auth/profile", {}),
        ("POST", "users", {"username": "eve", "email": "eve@example.org"}),
        ("PATCH", "users/1", {}),
        ("POST", "roles", {"name": "crew", "permissions": []}),
        ("PATCH", "roles/1", {}),
    ):
        refused = api.request(
            f"{V1}/{path}",
            method=method,
            body=json.dumps({**body, **extra}).encode(),
            content_type="application/json",
            headers=owner,
            status=400,
        )
        assert [fault["name"] for fault in refused.json["errors"]] == ["display_name"]


def test_a_display_name_may_be_in_any_script(api):
    owner = api.people.bearer(api.people.user("owner", "superadmin"))
    for name, kept in (("Zoë O’Neil-Łukasz", None), ("山田 太郎", None), ("Ame\u0301lie", "Amélie"), ("नेहा", None)):
        changed = api.patch_json(f"{V1}/auth/profile", {"display_name": name}, headers=owner)
        assert changed.json["display_name"] == (kept or name)


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer a b",
        "Basic YTpi",
        "bearer",
        "token",
        "Bearer\tx",
        "",
        "Bearer x,y",
        'Digest realm="x", nonce="y"',
    ],
)
def test_a_malformed_header_is_401_even_where_anybody_may_come(make_client, header):
    api = make_client(auth_mode="public")
    for path in ("/auth/config", "/aircraft", "/nothing"):
        refused = api.get(V1 + path, headers={"Authorization": header}, status=401)
        assert code(refused) == "token_invalid"
        assert "WWW-Authenticate" in refused.headers


@pytest.mark.parametrize("name", ["api_key", "apikey", "key", "API-Key", "x-api-key", "access_token", "token"])
def test_a_credential_in_the_address_is_refused_with_a_hint(api, name):
    key = api.people.key(api.people.user("ada"), "aircraft")
    for path in ("/auth/config", "/aircraft"):
        fault = api.get(f"{V1}{path}?{name}={key}", status=400)
        assert "header" in fault.json["errors"][0]["detail"]
        assert key not in fault.text


def test_a_token_where_a_key_belongs_and_the_other_way_round(api):
    ada = api.people.user("ada")
    token, key = api.people.token(ada), api.people.key(ada, "aircraft")
    api.get(f"{V1}/auth/profile", headers={"X-API-Key": token}, status=401)
    api.get(f"{V1}/auth/profile", headers={"Authorization": f"Bearer {key}"}, status=401)


# Access settings and audit


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


@pytest.mark.parametrize(
    ("collection", "body"),
    [
        ("users", {"username": "ada", "email": "ada@example.org"}),
        ("roles", {"name": "night", "permissions": []}),
        ("user-roles", {"user": 1, "role": 1}),
        (
            "oidc-mappings",
            {"name": "m", "claim_name": "groups", "claim_value": "g", "match_type": "exact", "role": "viewer"},
        ),
        ("cannonball/known-aircraft/", {"icao_hex": "A0CAFE", "agency_name": "State Police"}),
    ],
    ids=["users", "roles", "user-roles", "oidc-mappings", "known-aircraft"],
)
@pytest.mark.parametrize("base_url", ["", "https://radar.example.org/"], ids=["asked", "public"])
def test_what_is_created_is_found_at_its_location(make_client, collection, body, base_url):
    api = make_client(auth_mode="hybrid", base_url=base_url)
    people = Population(api.runtime)
    root = people.bearer(people.user("root", "superadmin"))
    created = api.post_json(f"{V1}/{collection}", body, headers=root, status=201)
    host = base_url.rstrip("/") or "http://localhost"
    location = created.headers["Location"]
    canonical = f"{host}{V1}/{collection.rstrip('/')}/{created.json['id']}{'/' if collection.endswith('/') else ''}"
    assert location == canonical
    assert api.get(location.removeprefix(host), headers=root).json == created.json


def test_a_refused_creation_has_no_location(api, root):
    body = {"username": "root", "email": "other@example.org"}
    assert "Location" not in api.post_json(f"{V1}/users", body, headers=root, status=409).headers


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
