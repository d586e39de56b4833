"""Logout in both directions."""

from contextlib import closing
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa

from skywatch.core.database.encryption import Sealer
from skywatch.core.database.engine import writing
from skywatch.core.runtime import Runtime
from skywatch.sso.models import ExternalLogin
from tests.functional.sso.signing_on import back_channel, bearer, other_key, sign_on
from tests.providers import CLIENT_ID


def test_logout_says_where_the_providers_session_can_be_ended(api):
    answer = sign_on(api)
    said = api.post_json("/api/v1/auth/logout", {}, headers=bearer(answer)).json
    asked = parse_qs(urlsplit(said["logout_url"]).query)
    assert said["logout_url"].startswith(f"{api.provider.url}/end?")
    assert asked["client_id"] == [CLIENT_ID]
    assert asked["id_token_hint"][0].count(".") == 2
    api.get("/api/v1/auth/profile", headers=bearer(answer), status=401)


@pytest.mark.parametrize("address", ["https://map.example.org/bye", ""])
def test_logout_asks_for_the_way_back_that_the_settings_name(make_api, address):
    api = make_api(base_url="https://radar.example.org", oidc_logout_redirect_uri=address)
    said = api.post_json("/api/v1/auth/logout", {}, headers=bearer(sign_on(api))).json
    asked = parse_qs(urlsplit(said["logout_url"]).query)
    # Without one the provider shows a page of its own, and no address need be registered.
    assert asked.get("post_logout_redirect_uri", [""]) == [address]


def test_after_a_restart_the_provider_is_asked_where_and_logout_works_without_it(api, make_client):
    first, second = sign_on(api), sign_on(api)
    with closing(Runtime.open(api.runtime.settings)) as runtime:
        restarted = make_client(runtime=runtime)
        api.provider.instead["/.well-known/openid-configuration"] = lambda handler: handler.say(500, b"")
        said = restarted.post_json("/api/v1/auth/logout", {}, headers=bearer(first)).json
        assert said == {"detail": "Logged out."}
        restarted.get("/api/v1/auth/profile", headers=bearer(first), status=401)
        api.provider.instead.clear()
        said = restarted.post_json("/api/v1/auth/logout", {}, headers=bearer(second)).json
        assert said["logout_url"].startswith(f"{api.provider.url}/end?")


def test_the_id_token_is_not_readable_in_the_database_and_logout_does_without(api):
    answer = sign_on(api)
    with writing(api.runtime.sessions) as session:
        row = session.scalars(sa.select(ExternalLogin)).one()
        assert "ey" not in row.id_token[:2]
        assert "." not in row.id_token
        # As of an installation whose secret has been changed.
        row.id_token = Sealer("another secret", "id token").seal("header.claims.signature")
    said = api.post_json("/api/v1/auth/logout", {}, headers=bearer(answer)).json
    asked = parse_qs(urlsplit(said["logout_url"]).query)
    assert asked == {"client_id": [CLIENT_ID]}


def test_a_local_logout_says_nothing_of_a_provider(api):
    ada = api.people.bearer(api.people.user("bea"))
    assert api.post_json("/api/v1/auth/logout", {}, headers=ada).json == {"detail": "Logged out."}


@pytest.mark.parametrize("named", [{}, {"sid": "session-1"}, {"sid": "session-1", "sub": ...}, {"exp": ...}])
def test_the_provider_ends_logins(api, named):
    answer = sign_on(api)
    api.provider.person["sub"] = "1002"
    api.provider.lies = {"sid": "session-2"}
    other = sign_on(api)
    api.provider.person["sub"] = "1001"
    assert back_channel(api, api.provider.logout_token(**named))["detail"] == "Ended 1 login."
    api.get("/api/v1/auth/profile", headers=bearer(answer), status=401)
    api.post_json("/api/v1/auth/refresh", {"refresh": answer["refresh"]}, status=401)
    api.get("/api/v1/auth/profile", headers=bearer(other))


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example"},
        {"aud": "other"},
        {"aud": ...},
        {"nonce": "x"},
        {"events": ...},
        {"events": {"http://example.org/other": {}}},
        {"sub": ...},
        {"jti": ...},
        {"iat": 1_700_000_000},
        {"exp": 1_700_000_000},
        {"iat": ...},
        {"iat": "now"},
        {"exp": True},
    ],
)
def test_a_logout_token_that_is_not_good_ends_nothing(api, changes):
    answer = sign_on(api)
    assert back_channel(api, api.provider.logout_token(**changes), 400)["code"] == "sso_logout_token_refused"
    api.get("/api/v1/auth/profile", headers=bearer(answer))


def test_a_forged_or_replayed_logout_token_ends_nothing(api):
    sign_on(api)
    token = api.provider.logout_token()
    back_channel(api, token)
    answer = sign_on(api)
    back_channel(api, token, 400)
    api.provider.sign = other_key(api.provider)
    back_channel(api, api.provider.logout_token(), 400)
    api.provider.sign = api.provider.unsigned
    back_channel(api, api.provider.logout_token(), 400)
    back_channel(api, "rubbish", 400)
    api.get("/api/v1/auth/profile", headers=bearer(answer))
