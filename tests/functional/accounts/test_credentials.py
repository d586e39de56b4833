"""Credentials in requests: where they may stand, in which form, and how many."""

import pytest

from tests.accounts import PASSWORD, Population
from tests.functional.accounts.asking import V1, code


def test_two_credentials_are_refused_and_a_cookie_with_a_header_is_ignored(make_client):
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
    for path in ("/auth/profile", "/aircraft", "/nothing"):
        refused = api.get(V1 + path, headers={"Authorization": header}, status=401)
        assert code(refused) == "token_invalid"
        assert "WWW-Authenticate" in refused.headers


@pytest.mark.parametrize(
    "name",
    [
        "api_key", "apikey", "key", "API-Key", "x-api-key", "access_token", "token", "jwt", "refresh_token", "refresh",
        "Authorization", "bearer", "password",
    ],
)  # fmt: skip
def test_a_credential_in_the_address_is_refused_with_a_hint(api, name):
    key = api.people.key(api.people.user("ada"), "aircraft")
    for path in ("/auth/config", "/aircraft", "/system/health", "/openapi.json", "/auth/oidc/authorize", "/nothing"):
        for headers in ({}, {"X-API-Key": key}):
            refused = api.get(f"{V1}{path}?{name}={key}", headers=headers, status=401)
            assert code(refused) == "token_invalid"
            assert "header" in refused.json["detail"]
            assert key not in refused.text
    api.post_json(f"{V1}/auth/login?{name}={key}", {"username": "ada", "password": PASSWORD}, status=401)


OPEN = (
    "/auth/config",
    "/auth/permissions",
    "/auth/oidc/providers",
    "/system/health",
    "/openapi.json",
    "/docs",
    "/docs/static/docs.js",
)


@pytest.mark.parametrize("mode", ["public", "hybrid", "private"])
def test_what_needs_no_credential_reads_none(make_client, mode):
    api = make_client(auth_mode=mode, jwt_auth_cookie=True)
    api.people = Population(api.runtime)
    ada = api.people.user("ada", "superadmin")
    key = api.people.key(ada, "acars")
    headers = [
        {"Authorization": "Bearer nonsense"},
        {"Authorization": "Basic YTpi"},
        {"X-API-Key": "sk_unknown"},
        {"X-API-Key": key},
        {"Authorization": f"ApiKey {key}", "X-API-Key": key},
        {"Cookie": "skywatch_access=nonsense"},
    ]
    for each in headers:
        for path in OPEN:
            api.get(V1 + path, headers=each, status=(200, 503) if path == "/system/health" else (200, 404))
        api.post_json(f"{V1}/auth/login", {"username": "ada", "password": PASSWORD}, headers=each)


def test_a_token_where_a_key_belongs_and_the_other_way_round(api):
    ada = api.people.user("ada")
    token, key = api.people.token(ada), api.people.key(ada, "aircraft")
    api.get(f"{V1}/auth/profile", headers={"X-API-Key": token}, status=401)
    api.get(f"{V1}/auth/profile", headers={"Authorization": f"Bearer {key}"}, status=401)
