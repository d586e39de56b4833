"""A sign-on that is as it should be, its page and its redirect addresses."""

from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import User
from skywatch.core.database.engine import writing
from skywatch.sso.models import PendingLogin
from tests.accounts import Population
from tests.functional.sso.signing_on import (
    AUTHORIZE,
    CALLBACK,
    add_mapping,
    bearer,
    begin,
    finish,
    settings_for,
    sign_on,
)
from tests.providers import CLIENT_ID, CLIENT_SECRET, fake_provider


def test_a_new_person_signs_on_and_gets_the_default_role(api):
    answer = sign_on(api)
    assert set(answer) == {"access", "refresh", "user"}
    assert answer["user"]["username"] == "ada"
    assert answer["user"]["display_name"] == "Ada L."
    assert answer["user"]["roles"] == ["viewer"]
    profile = api.get("/api/v1/auth/profile", headers=bearer(answer)).json
    assert profile["auth_provider"] == "oidc"
    refreshed = api.post_json("/api/v1/auth/refresh", {"refresh": answer["refresh"]}).json
    api.get("/api/v1/auth/profile", headers=bearer(refreshed))


def test_authorize_answers_with_an_address_and_a_state_that_belong_together(api):
    answer = begin(api)
    assert set(answer) == {"authorization_url", "state"}
    asked = parse_qs(urlsplit(answer["authorization_url"]).query)
    assert asked["state"] == [answer["state"]]
    assert asked["redirect_uri"] == ["http://localhost" + CALLBACK]
    assert asked["scope"] == ["openid profile email groups"]
    assert len(asked["nonce"][0]) >= 32
    assert len(asked["code_challenge"][0]) == 43


def test_what_is_kept_of_a_sign_on_under_way_does_not_let_anybody_finish_it(api):
    answer = begin(api)
    with api.runtime.sessions() as session:
        row = session.scalars(sa.select(PendingLogin)).one()
    kept = {row.state_hash, row.browser_hash}
    assert answer["state"] not in kept
    assert api.cookies["skywatch_sso"] not in kept


def test_the_cookie_is_for_these_addresses_and_not_for_scripts(api):
    header = api.get(AUTHORIZE).headers["Set-Cookie"].lower()
    assert "httponly" in header
    assert "samesite=lax" in header
    assert "path=/api/v1/auth/oidc" in header


def test_where_only_the_code_comes_back_the_cookie_finds_the_sign_on(api):
    answer = api.provider.log_in(begin(api)["authorization_url"])
    assert finish(api, {"code": answer["code"]}).json["user"]["username"] == "ada"
    other = api.provider.log_in(begin(api)["authorization_url"])
    api.reset()
    assert finish(api, {"code": other["code"]}, 401).json["code"] == "sso_state_unknown"


def test_the_same_person_is_the_same_user_whatever_else_has_changed(api):
    first = sign_on(api)["user"]
    api.provider.person |= {"preferred_username": "ada.lovelace", "name": "Ada Lovelace"}
    second = sign_on(api)["user"]
    assert (second["id"], second["username"]) == (first["id"], "ada")
    assert second["display_name"] == "Ada Lovelace"
    api.provider.person["sub"] = "1002"
    assert sign_on(api)["user"]["id"] != first["id"]


def test_a_name_that_is_taken_gets_a_number(api):
    api.people.user("ada")
    api.people.user("Ada-2")
    assert sign_on(api)["user"]["username"] == "ada-3"


def test_a_person_without_a_usable_name_gets_one(api):
    api.provider.person = {"sub": "x", "preferred_username": "飛行機", "email": "?", "name": "…"}
    assert sign_on(api)["user"]["username"] == "user"


def test_a_deactivated_account_stays_out(api):
    user_id = sign_on(api)["user"]["id"]
    with writing(api.runtime.sessions) as session:
        session.execute(sa.update(User).where(User.id == user_id).values(is_active=False))
    assert sign_on(api, 401)["code"] == "account_disabled"


def test_what_userinfo_says_is_merged_and_the_id_token_has_the_last_word(api):
    add_mapping(api, "operator", "tower")
    add_mapping(api, "admin", "managers", claim_name="department")
    api.provider.lies = {"department": "guests"}
    api.provider.userinfo = {**api.provider.person, "groups": ["tower"], "department": "managers"}
    assert sign_on(api)["user"]["roles"] == ["operator"]


def test_tokens_travel_as_cookies_too_where_the_settings_say_so(make_api):
    api = make_api(jwt_auth_cookie="true")
    sign_on(api)
    assert api.get("/api/v1/auth/profile").json["username"] == "ada"


def test_a_provider_of_further_settings_is_asked_for_by_name(make_client, provider):
    with fake_provider() as other:
        more = {
            "oidc__work__provider_url": other.url,
            "oidc__work__client_id": CLIENT_ID,
            "oidc__work__client_secret": CLIENT_SECRET,
            "oidc__work__provider_name": "Work",
            "oidc__work__default_role": "operator",
        }
        api = make_client(**settings_for(provider, **more))
        Population(api.runtime)
        listed = api.get("/api/v1/auth/oidc/providers").json["providers"]
        assert [(entry["name"], entry["display_name"]) for entry in listed] == [("default", "SSO"), ("work", "Work")]
        answer = begin(api, provider="work")
        assert answer["authorization_url"].startswith(other.url)
        assert finish(api, other.log_in(answer["authorization_url"])).json["user"]["roles"] == ["operator"]
        # The same subject of another issuer is another person.
        api.provider = provider
        assert sign_on(api)["user"]["username"] == "ada-2"
        assert api.get(AUTHORIZE, {"provider": "nobody"}, status=404).json["code"] == "not_found"


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:49152/callback",
        "http://127.0.0.1/",
        "http://[::1]:1234",
        "http://localhost:8080/done",
        "https://radar.example.org/signed-in",
        "http://localhost" + CALLBACK,
    ],
)
def test_redirect_addresses_that_are_allowed(make_api, address):
    api = make_api(oidc_redirect_uris="https://radar.example.org/signed-in")
    asked = parse_qs(urlsplit(begin(api, redirect_uri=address)["authorization_url"]).query)
    assert asked["redirect_uri"] == [address]


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "https://radar.example.org/",
        "https://radar.example.org/signed-in/",
        "https://radar.example.org/signed-in?next=https://evil.example",
        "https://radar.example.org/signed-in#x",
        "https://radar.example.org/signed-in/../open",
        "https://radar.example.org/Signed-in",
        "https://RADAR.example.org/signed-in",
        "http://radar.example.org/signed-in",
        "https://radar.example.org:8443/signed-in",
        "https://radar.example.org@evil.example/signed-in",
        "https://radar.example.org.evil.example/signed-in",
        "https://radar.example.org%2f@evil.example/signed-in",
        "https://radar.example.org\\@evil.example/signed-in",
        "//evil.example/",
        "/local",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://127.0.0.1.evil.example/",
        "http://127.0.0.1@evil.example/",
        "http://127.0.0.1:80@evil.example/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:0/",
        "http://127.0.0.1:/",
        "http://127.1/",
        "http://2130706433/",
        "http://0.0.0.0/",
        "http://localhost.evil.example/",
        "http://localhost:80#@evil.example/",
        "http://localhost\\.evil.example/",
        "http://127.0.0.1/..//evil.example",
        "http://127.0.0.1//evil.example",
        "http://127.0.0.1/?next=//evil.example",
        "https://127.0.0.1/",
        "HTTP://127.0.0.1/",
        " http://127.0.0.1/",
        "http://127.0.0.1/ ",
        "http://１２７.0.0.1/",
    ],
)
def test_redirect_addresses_that_are_refused(make_api, address):
    api = make_api(oidc_redirect_uris="https://radar.example.org/signed-in")
    assert api.get(AUTHORIZE, {"redirect_uri": address}, status=400).json["code"] == "sso_redirect_refused"


def test_a_program_without_cookies_finishes_by_its_loopback_address(api):
    answer = begin(api, redirect_uri="http://127.0.0.1:50000/")
    api.reset()
    assert finish(api, api.provider.log_in(answer["authorization_url"])).json["user"]["username"] == "ada"


def test_switched_off(client):
    for path in (AUTHORIZE, CALLBACK):
        assert client.get(path, status=403).json["code"] == "sso_disabled"
    assert client.get("/api/v1/auth/oidc/providers").json == {
        "providers": [],
        "count": 0,
        "next": None,
        "previous": None,
    }


@pytest.mark.parametrize("wrong", [{"Authorization": "Bearer rubbish"}, {"X-API-Key": "sk_" + "x" * 48}])
def test_no_credentials_are_read_where_people_sign_on(api, wrong):
    """Whoever has an expired token is about to sign on; an unknown one must not be told apart here either."""
    assert api.get("/api/v1/auth/oidc/providers", headers=wrong).json == api.get("/api/v1/auth/oidc/providers").json
    api.get(AUTHORIZE, headers=wrong)
