"""What a deleted user leaves behind is nothing to the next one, on SQLite too, which gives ids of deleted rows again
unless told otherwise."""

import pytest

from skywatch.cannonball.location import LocationStore
from tests.accounts import PASSWORD, Population
from tests.functional.accounts.asking import V1, bearer, code, login
from tests.functional.console.visitor import Visitor


@pytest.fixture(params=["sqlite", "postgresql"])
def api(make_client, request):
    url = request.getfixturevalue(f"{request.param}_url")
    client = make_client(auth_mode="hybrid", environment="development", database_url=url)
    client.people = Population(client.runtime)
    return client


def test_no_credential_of_a_deleted_user_is_that_of_the_next(api):
    root = api.people.bearer(api.people.user("root", "superadmin"))
    body = {"username": "ada", "email": "ada@example.org", "password": PASSWORD, "roles": ["admin"]}
    ada = api.post_json(f"{V1}/users", body, headers=root, status=201).json["id"]
    tokens = login(api).json
    token = bearer(tokens["access"])
    key = api.post_json(f"{V1}/api-keys", {"name": "x", "scopes": ["aircraft"]}, headers=token, status=201).json["key"]
    console = Visitor(api).another_browser()
    console.sign_in("ada")
    here = {"lat": 47.0, "lon": 8.0}
    api.put_json(f"{V1}/cannonball/location", here, headers=token)
    for headers in (token, {"X-API-Key": key}):
        assert api.get(f"{V1}/auth/profile", headers=headers).json["username"] == "ada"

    api.delete(f"{V1}/users/{ada}", headers=root, status=204)
    body = {"username": "eve", "email": "eve@example.org", "password": PASSWORD, "roles": ["admin"]}
    eve = api.post_json(f"{V1}/users", body, headers=root, status=201).json["id"]

    assert eve != ada
    assert code(api.get(f"{V1}/auth/profile", headers=token, status=401)) == "token_revoked"
    assert code(api.get(f"{V1}/auth/profile", headers={"X-API-Key": key}, status=401)) == "token_invalid"
    assert code(api.post_json(f"{V1}/auth/refresh", {"refresh": tokens["refresh"]}, status=401)).startswith("token_")
    assert "/sign-in" in console.get("/users", status=303).location
    assert LocationStore(api.runtime.bus).get(eve) is None
    new = bearer(login(api, "eve").json["access"])
    api.get(f"{V1}/cannonball/location", headers=new, status=404)
    assert api.get(f"{V1}/api-keys", headers=new).json["count"] == 0
