"""Login, refresh, logout, profile and password through the API."""

import threading

import jwt
import pytest
import sqlalchemy as sa

from skywatch.accounts.models import AccessVersion, Login
from skywatch.core.models import AuditEntry
from tests.accounts import PASSWORD, Population
from tests.conftest import TEST_SECRET


@pytest.fixture
def api(make_client):
    client = make_client(auth_mode="hybrid")
    client.people = Population(client.runtime)
    return client


def login(api, name="ada", password=PASSWORD, status=200, **kw):
    return api.post_json("/api/v1/auth/login", {"username": name, "password": password}, status=status, **kw)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def code(response):
    return response.json["code"]


def audit(api, action):
    with api.runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action)).all()


def test_config_tells_what_a_client_needs_before_it_logs_in(api):
    config = api.get("/api/v1/auth/config").json
    assert config["auth_mode"] == "hybrid"
    assert [config[name] for name in ("auth_enabled", "local_auth_enabled", "api_key_enabled")] == [True] * 3
    assert config["oidc_enabled"] is False
    assert config["features"]["users"] == {
        "read_access": "permission",
        "write_access": "permission",
        "is_enabled": True,
    }
    assert config["realtime"]["protocols"] == ["skywatch.v1", "socket.io"]


@pytest.mark.parametrize(
    ("settings", "environ", "url"),
    [
        ({}, {"HTTP_HOST": "sky.lan:6543"}, "ws://sky.lan:7001"),
        ({}, {"HTTP_HOST": "[fd00::1]:6543"}, "ws://[fd00::1]:7001"),
        ({"realtime_url": "wss://live.example"}, {"HTTP_HOST": "sky.lan"}, "wss://live.example"),
        ({"base_url": "https://sky.example"}, {"HTTP_HOST": "10.0.0.3"}, "wss://sky.example"),
        ({}, {"HTTP_HOST": "sky.example", "wsgi.url_scheme": "https"}, "wss://sky.example"),
    ],
)
def test_config_tells_where_the_channel_is_for_this_caller(make_client, settings, environ, url):
    api = make_client(realtime_listen="0.0.0.0:7001", **settings)
    assert api.get("/api/v1/auth/config", extra_environ=environ).json["realtime"]["url"] == url


def test_a_login_gives_tokens_with_the_claims_of_the_specification(api):
    ada = api.people.user("ada", "viewer")
    answer = login(api).json
    assert answer["user"]["username"] == "ada"
    assert answer["user"]["roles"] == ["viewer"]
    assert "aircraft.view" in answer["user"]["permissions"]
    for kind, lifetime_s in (("access", 3600), ("refresh", 2 * 86400)):
        claims = jwt.decode(answer[kind], TEST_SECRET, algorithms=["HS256"])
        assert claims["token_type"] == kind
        assert claims["user_id"] == ada
        assert len(claims["jti"]) == len(claims["sid"]) == 32
        assert abs(claims["exp"] - claims["iat"] - lifetime_s) <= 1
    assert jwt.get_unverified_header(answer["access"])["alg"] == "HS256"
    assert api.get("/api/v1/auth/profile", headers=bearer(answer["access"])).json["last_login"] is not None


@pytest.mark.parametrize("name", ["ada", "ADA", "ada@example.org", "Ada@Example.ORG", "ａｄａ"])
def test_the_name_may_be_the_address_and_case_does_not_matter(api, name):
    api.people.user("ada")
    login(api, name)


def test_unknown_name_and_wrong_password_are_the_same_answer(api):
    api.people.user("ada")
    api.people.user("off", active=False)
    answers = [login(api, *who, status=401) for who in (("ada", "wrong"), ("nobody", "wrong"), ("off", "wrong"))]
    bodies = [{k: v for k, v in answer.json.items() if k != "request_id"} for answer in answers]
    assert bodies[0] == bodies[1] == bodies[2]
    assert code(answers[0]) == "invalid_credentials"
    assert len(audit(api, "login.failed")) == 3


def test_the_right_password_of_a_deactivated_account_says_so(api):
    api.people.user("off", active=False)
    assert code(login(api, "off", status=401)) == "account_disabled"


def test_a_typed_name_is_not_written_down_for_it_may_be_a_password(api):
    login(api, "hunter2-my-password", status=401)
    (entry,) = audit(api, "login.failed")
    assert "hunter2" not in repr((entry.actor_name, entry.target_name, entry.after))


def test_local_login_can_be_switched_off(make_client):
    client = make_client(auth_mode="hybrid", local_auth_enabled="false")
    assert code(login(client, status=403)) == "local_auth_disabled"


def test_a_refresh_gives_a_new_pair_and_the_old_one_is_used_up(api):
    api.people.user("ada")
    first = login(api).json
    second = api.post_json("/api/v1/auth/refresh", {"refresh": first["refresh"]}).json
    assert set(second) == {"access", "refresh"}
    assert second["refresh"] != first["refresh"]
    third = api.post_json("/api/v1/auth/refresh", {"refresh": second["refresh"]}).json
    api.get("/api/v1/auth/profile", headers=bearer(third["access"]))


def test_using_a_refresh_token_twice_ends_the_whole_login(api):
    api.people.user("ada")
    other = login(api).json
    first = login(api).json
    second = api.post_json("/api/v1/auth/refresh", {"refresh": first["refresh"]}).json
    assert code(api.post_json("/api/v1/auth/refresh", {"refresh": first["refresh"]}, status=401)) == "token_revoked"
    assert code(api.post_json("/api/v1/auth/refresh", {"refresh": second["refresh"]}, status=401)) == "token_revoked"
    for token in (first["access"], second["access"]):
        assert code(api.get("/api/v1/auth/profile", headers=bearer(token), status=401)) == "token_revoked"
    api.get("/api/v1/auth/profile", headers=bearer(other["access"]))
    assert len(audit(api, "token.reused")) == 1


def test_an_expired_header_does_not_stop_a_refresh(api):
    api.people.user("ada")
    tokens = login(api).json
    headers = bearer("expired.or.broken")
    api.post_json("/api/v1/auth/refresh", {"refresh": tokens["refresh"]}, headers=headers)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_of_ten_refreshes_at_once_exactly_one_wins(make_client, request, database):
    api = make_client(auth_mode="hybrid", database_url=request.getfixturevalue(f"{database}_url"))
    people = Population(api.runtime)
    ada = people.user("ada")
    row = people.login(ada)
    token = people.codec.refresh_token(ada, row.id, row.refresh_id, row.expires_at.timestamp())
    start, statuses = threading.Barrier(10), []

    def use():
        start.wait()
        statuses.append(api.post_json("/api/v1/auth/refresh", {"refresh": token}, expect_errors=True).status_code)

    threads = [threading.Thread(target=use) for _ in range(10)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(statuses) == [200] + [401] * 9
    with api.runtime.sessions() as session:
        assert session.get(Login, row.id).ended_reason == "token used twice"


@pytest.mark.parametrize("body", [{}, {"refresh": "x"}, {"refresh": ""}, {"refresh": 7}, {"token": "x"}])
def test_a_bad_refresh_is_refused(api, body):
    assert api.post_json("/api/v1/auth/refresh", body, status="4*").status_code in (400, 401)


def test_logout_stops_both_tokens(api):
    api.people.user("ada")
    tokens, other = login(api).json, login(api).json
    done = api.post_json("/api/v1/auth/logout", {"refresh": tokens["refresh"]}, headers=bearer(tokens["access"]))
    assert done.json["detail"]
    assert code(api.get("/api/v1/auth/profile", headers=bearer(tokens["access"]), status=401)) == "token_revoked"
    assert code(api.post_json("/api/v1/auth/refresh", {"refresh": tokens["refresh"]}, status=401)) == "token_revoked"
    api.get("/api/v1/auth/profile", headers=bearer(other["access"]))


def test_logout_needs_an_identity_and_ends_nobody_elses_login(api):
    api.people.user("ada"), api.people.user("eve")
    ada, eve = login(api).json, login(api, "eve").json
    assert code(api.post_json("/api/v1/auth/logout", {}, status=401)) == "authentication_required"
    api.post_json("/api/v1/auth/logout", {"refresh": ada["refresh"]}, headers=bearer(eve["access"]), status=400)
    api.get("/api/v1/auth/profile", headers=bearer(ada["access"]))
    api.get("/api/v1/auth/profile", headers=bearer(eve["access"]))


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


def test_an_address_that_another_has_is_a_conflict_in_any_case(api):
    api.people.user("ada"), api.people.user("eve")
    token = bearer(login(api).json["access"])
    api.patch_json("/api/v1/auth/profile", {"email": "EVE@example.org"}, headers=token, status=409)


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
    assert len(audit(api, "password.refused")) == 1


def test_permissions_are_listed_for_everybody_and_own_ones_for_the_caller(api):
    listed = api.get("/api/v1/auth/permissions").json
    assert listed["count"] == len(listed["permissions"]) == 32
    assert {"name", "feature", "action", "description"} == set(listed["permissions"][0])
    ada = api.people.user("ada", "operator")
    own = api.get("/api/v1/auth/my-permissions", headers=api.people.bearer(ada)).json
    assert own["roles"] == ["operator"]
    assert "alerts.create" in own["permissions"]
    key = {"X-API-Key": api.people.key(ada, "alerts")}
    assert {p.partition(".")[0] for p in api.get("/api/v1/auth/my-permissions", headers=key).json["permissions"]} == {
        "alerts"
    }


def test_a_steady_reader_costs_no_query(api):
    ada = api.people.user("ada", "viewer")
    headers = [api.people.bearer(ada), {"X-API-Key": api.people.key(ada, "aircraft")}]
    for _ in range(2):
        [api.get("/api/v1/auth/profile", headers=h) for h in headers]
        threading.Event().wait(0.1)
    mine, queries = threading.get_ident(), []

    @sa.event.listens_for(api.runtime.engine, "before_cursor_execute")
    def count(*args):
        if threading.get_ident() == mine:
            queries.append(args[2])

    for _ in range(10):
        [api.get("/api/v1/auth/profile", headers=h) for h in headers]
    assert queries == []


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
