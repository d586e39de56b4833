"""Profile, password and permissions of one's own through the API."""

import pytest

from tests.accounts import PASSWORD, Population
from tests.functional.accounts.asking import bearer, code, entries, login


def test_profile_shows_and_changes_what_users_may_change(api):
    api.people.user("ada", "viewer")
    token = bearer(login(api).json["access"])
    changed = api.patch_json(
        "/api/v1/auth/profile",
        {"display_name": "Ada L.", "email": "ada@lovelace.example", "preferences": {"units": "metric"}},
        headers=token,
    ).json
    shown = api.get("/api/v1/auth/profile", headers=token).json
    assert shown == changed
    assert (shown["display_name"], shown["preferences"]) == ("Ada L.", {"units": "metric"})
    for refused in ({"is_active": False}, {"roles": ["admin"]}, {"username": "root"}, {"email": "not one"}):
        api.patch_json("/api/v1/auth/profile", refused, headers=token, status=400)


@pytest.mark.parametrize(
    "value",
    [
        r'"\u0000"',
        r'"\ud800"',
        r'{"\udfff": 1}',
        "1e400",
        "9" * 30,
        "[" * 40 + "]" * 40,
        '{"a":' * 900 + "1" + "}" * 900,
    ],
    ids=["NUL", "half a character", "half a character as key", "infinity", "large", "deep", "deep objects"],
)
def test_preferences_that_no_database_or_reader_could_keep_are_refused(api, value):
    api.people.user("ada")
    token = bearer(login(api).json["access"]) | {"Content-Type": "application/json"}
    refused = api.patch("/api/v1/auth/profile", f'{{"preferences": {{"a": {value}}}}}', headers=token, status=400)
    assert refused.json["errors"][0]["name"] == "preferences"


def test_a_self_given_address_reveals_no_account_and_serves_nothing_until_confirmed(api):
    ada, _ = api.people.user("ada"), api.people.user("eve")
    root = api.people.bearer(api.people.user("root", "superadmin"))
    token = bearer(login(api).json["access"])
    answers = [
        api.patch_json("/api/v1/auth/profile", {"email": address}, headers=token)
        for address in ("EVE@example.org", "nobody@example.org", "eve@example.org")
    ]
    assert {answer.status_int for answer in answers} == {200}
    assert [answer.json["email_confirmed"] for answer in answers] == [False] * 3
    assert {frozenset(answer.json) for answer in answers} == {frozenset(answers[0].json)}
    # The address is eve's: hers to log in with, and nobody else's.
    assert login(api, "eve@example.org").json["user"]["username"] == "eve"
    login(api, "ada@example.org", status=401)
    # Administrators see both, and confirm one.
    found = api.get("/api/v1/users?search=EVE@example", headers=root).json["users"]
    assert [(user["username"], user["email_confirmed"]) for user in found] == [("ada", False), ("eve", True)]
    api.patch_json(f"/api/v1/users/{ada}", {"email": "eve@example.org"}, headers=root, status=409)
    api.patch_json("/api/v1/auth/profile", {"email": "countess@example.org"}, headers=token)
    login(api, "countess@example.org", status=401)
    confirmed = api.patch_json(f"/api/v1/users/{ada}", {"email": "countess@example.org"}, headers=root).json
    assert confirmed["email_confirmed"] is True
    assert login(api, "Countess@example.org").json["user"]["username"] == "ada"
    # The same address again takes nothing away.
    again = api.patch_json("/api/v1/auth/profile", {"email": "countess@EXAMPLE.org"}, headers=token).json
    assert again["email_confirmed"] is True


def test_a_new_password_ends_all_other_logins(api):
    api.people.user("ada")
    old, mine = login(api).json, login(api).json
    body = {"current_password": PASSWORD, "new_password": "nine green bottles falling"}
    fresh = api.post_json("/api/v1/auth/password", body, headers=bearer(mine["access"])).json
    for token in (old["access"], mine["access"]):
        assert code(api.get("/api/v1/auth/profile", headers=bearer(token), status=401)) == "token_revoked"
    api.get("/api/v1/auth/profile", headers=bearer(fresh["access"]))
    login(api, status=401)
    login(api, password="nine green bottles falling")


@pytest.mark.parametrize(
    "new", ["short", "password123", "1234567890", "aaaaaaaaaaaa", "ada.example.org", "qwertyuiop", PASSWORD]
)
def test_an_easy_password_is_refused_with_its_reason(api, new):
    api.people.user("ada.example")
    token = bearer(login(api, "ada.example").json["access"])
    body = {"current_password": PASSWORD, "new_password": new}
    fault = api.post_json("/api/v1/auth/password", body, headers=token, status=400).json["errors"]
    assert [error["name"] for error in fault] == ["new_password"]


def test_a_wrong_present_password_is_refused(api):
    api.people.user("ada")
    token = bearer(login(api).json["access"])
    body = {"current_password": "wrong", "new_password": "nine green bottles falling"}
    assert api.post_json("/api/v1/auth/password", body, headers=token, status=400).json["errors"][0]["name"] == (
        "current_password"
    )
    assert len(entries(api, "password.refused")) == 1


def test_a_change_of_password_counts_as_a_guess_whatever_comes_of_it(make_client):
    """A stolen session must neither try passwords nor have the right one hashed as often as it likes."""
    api = make_client(auth_mode="hybrid", password_guesses__place="4/hour")
    people = Population(api.runtime)
    token = people.bearer(people.user("lovelace"))
    easy, wrong = {"new_password": "lovelace-1815"}, {"current_password": "wrong", "new_password": "nine green bottles"}
    right = {"current_password": PASSWORD}
    for body in (right | easy, wrong, right | {"new_password": PASSWORD}):
        api.post_json("/api/v1/auth/password", body, headers=token, status=400)
    body = right | {"new_password": "nine green bottles falling"}
    token = bearer(api.post_json("/api/v1/auth/password", body, headers=token).json["access"])
    body = {"current_password": "nine green bottles falling", "new_password": "eight green bottles falling"}
    refused = api.post_json("/api/v1/auth/password", body, headers=token, status=429)
    assert int(refused.headers["Retry-After"]) > 0


def test_a_stolen_session_tries_no_passwords_from_ever_new_places(make_client):
    api = make_client(auth_mode="hybrid", password_guesses__anywhere="3/hour")
    Population(api.runtime).user("ada")
    token = bearer(login(api, extra_environ={"REMOTE_ADDR": "198.51.100.7"}).json["access"])
    wrong = {"current_password": "wrong", "new_password": "nine green bottles falling"}

    def change(address, status):
        environ = {"REMOTE_ADDR": address}
        return api.post_json("/api/v1/auth/password", wrong, headers=token, extra_environ=environ, status=status)

    for place in range(3):
        change(f"203.0.{place}.9", 400)
    assert int(change("203.0.3.9", 429).headers["Retry-After"]) > 0
    # Where the owner has logged in before they are not locked out.
    change("198.51.100.8", 400)


def test_permissions_are_listed_for_everybody_and_own_ones_for_the_caller(api):
    listed = api.get("/api/v1/auth/permissions").json
    assert listed["count"] == len(listed["permissions"]) == 35
    assert {"name", "feature", "action", "description"} == set(listed["permissions"][0])
    ada = api.people.user("ada", "operator")
    own = api.get("/api/v1/auth/my-permissions", headers=api.people.bearer(ada)).json
    assert own["roles"] == ["operator"]
    assert "alerts.create" in own["permissions"]
    key = {"X-API-Key": api.people.key(ada, "alerts")}
    assert {p.partition(".")[0] for p in api.get("/api/v1/auth/my-permissions", headers=key).json["permissions"]} == {
        "alerts"
    }
