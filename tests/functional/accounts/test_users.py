"""Users through the API: made, found, changed, deleted, and what is refused of them."""

import json
from urllib.parse import quote

import pytest

from skywatch.accounts.users import resets
from skywatch.core.storage.audit import Actor
from tests.accounts import PASSWORD, Population
from tests.functional.accounts.asking import V1, code, entries, login


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
    for name, kept in (
        ("Zoë O’Neil-Łukasz", None),
        ("山田 太郎", None),
        ("Ame\u0301lie", "Amélie"),
        ("नेहा", None),
        ("Zoë 🧑‍✈️", None),
    ):
        changed = api.patch_json(f"{V1}/auth/profile", {"display_name": name}, headers=owner)
        assert changed.json["display_name"] == (kept or name)


@pytest.mark.parametrize("password", ["short", "password123"])
def test_a_password_that_is_too_easy_is_named_with_all_other_faults(api, root, password):
    body = {"username": "a b", "email": "nowhere", "password": password, "colour": 1}
    errors = api.post_json(f"{V1}/users", body, headers=root, status=400).json["errors"]
    assert {error["name"] for error in errors} == {"username", "email", "password", "colour"}


def test_a_call_that_takes_no_body_refuses_what_a_body_names(api, root):
    ada = api.people.user("ada", "viewer")
    refused = api.request(f"{V1}/users/{ada}", method="DELETE", body=b'{"force": true}', headers=root, status=400)
    assert [(error["location"], error["name"]) for error in refused.json["errors"]] == [("body", "force")]
    api.delete(f"{V1}/users/{ada}", headers=root, status=204)


def test_a_user_without_address_or_password_gets_in_by_the_link_of_the_answer(api, root):
    made = api.post_json(f"{V1}/users", {"username": "eve"}, headers=root, status=201).json
    assert (made["email"], made["is_active"]) == ("", True)
    address, _, token = made["setup_link"].partition("?link=")
    assert address == "http://localhost/console/reset"
    resets.use_reset(
        api.runtime.sessions, token, "plum tree", Actor("", "anonymous", None, "127.0.0.1", None), lambda *_: None
    )
    login(api, "eve", "plum tree")
    with_password = {"username": "bob", "password": PASSWORD}
    assert "setup_link" not in api.post_json(f"{V1}/users", with_password, headers=root, status=201).json


def test_a_user_may_be_created_deactivated(api, root):
    body = {"username": "eve", "password": PASSWORD, "is_active": False}
    made = api.post_json(f"{V1}/users", body, headers=root, status=201).json
    assert made["is_active"] is False
    assert code(login(api, "eve", status=401)) == "account_disabled"
    assert "setup_link" not in api.post_json(f"{V1}/users", {"username": "bob", "is_active": False}, headers=root).json


def test_two_users_without_an_address_do_not_conflict(api, root):
    for name in ("eve", "bob"):
        api.post_json(f"{V1}/users", {"username": name}, headers=root, status=201)


@pytest.mark.parametrize(("settings", "shortest"), [({}, 8), ({"password_min_length": "12"}, 12)])
def test_the_shortest_password_is_a_setting(make_client, settings, shortest):
    api = make_client(auth_mode="hybrid", **settings)
    people = Population(api.runtime)
    root = people.bearer(people.user("root", "superadmin"))
    good = "plum7tree9wood"[:shortest]
    refused = api.post_json(f"{V1}/users", {"username": "eve", "password": good[:-1]}, headers=root, status=400)
    assert refused.json["errors"][0]["detail"] == f"must have at least {shortest} characters"
    api.post_json(f"{V1}/users", {"username": "eve", "password": good}, headers=root, status=201)
