"""Login through the API, and what a client is told before it."""

import jwt
import pytest

from tests.accounts import PASSWORD
from tests.conftest import TEST_SECRET
from tests.functional.accounts.asking import V1, bearer, code, entries, login


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
    api = make_client(listen="0.0.0.0:6543", realtime_listen="0.0.0.0:7001", **settings)
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
    assert len(entries(api, "login.failed")) == 3


def test_the_right_password_of_a_deactivated_account_says_so(api):
    api.people.user("off", active=False)
    assert code(login(api, "off", status=401)) == "account_disabled"


def test_a_typed_name_is_not_written_down_for_it_may_be_a_password(api):
    login(api, "hunter2-my-password", status=401)
    (entry,) = entries(api, "login.failed")
    assert "hunter2" not in repr((entry.actor_name, entry.target_name, entry.after))


def test_local_login_can_be_switched_off(make_client):
    client = make_client(auth_mode="hybrid", local_auth_enabled="false")
    assert code(login(client, status=403)) == "local_auth_disabled"


def test_members_that_nobody_knows_are_passed_over_at_login_refresh_and_logout(api):
    api.people.user("ada")
    more = {"remember_me": True, "device": {"name": "phone"}}
    first = api.post_json(f"{V1}/auth/login", {"username": "ada", "password": PASSWORD, **more}).json
    second = api.post_json(f"{V1}/auth/refresh", {"refresh": first["refresh"], **more}).json
    api.post_json(f"{V1}/auth/logout", {"refresh": second["refresh"], **more}, headers=bearer(second["access"]))
    api.post_json(f"{V1}/auth/login", {"username": "ada", **more}, status=400)
