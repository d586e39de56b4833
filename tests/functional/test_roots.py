"""The roots of the areas, and that nobody is told what is not in an area that they may not read."""

import pytest
import sqlalchemy as sa

from skywatch.accounts.changes import begin_change
from skywatch.accounts.models import FeatureAccessSetting
from skywatch.core.database.engine import writing
from tests.accounts import Population

V1 = "/api/v1"
AREAS = ("alerts", "safety", "audio", "acars", "history", "system", "cannonball")
# Addresses at which there is nothing, in an area.
UNKNOWN = [
    *(f"{V1}/{area}/nothing/here" for area in (*AREAS, "aircraft", "users", "roles", "feeders")),
    f"{V1}/alerts/rules/abc",
    f"{V1}/user-roles/abc",
    "/data/nothing.json",
    "/v2/nothing",
    "/re-api/nothing",
]


def set_access(client, **values):
    with writing(client.runtime.sessions) as session:
        begin_change(session)
        session.execute(sa.update(FeatureAccessSetting).values(**values))


def code(client, path, status, headers=None, method="GET"):
    answer = client.request(path, method=method, headers=headers, status=status)
    assert answer.content_type == "application/problem+json"
    return answer.json["code"]


@pytest.fixture
def sky(make_client):
    client = make_client(auth_mode="hybrid")
    client.people = Population(client.runtime)
    return client


@pytest.mark.parametrize("area", AREAS)
def test_a_root_names_its_area_and_what_is_below_it(sky, area):
    viewer = sky.people.bearer(sky.people.user("ada", "viewer"))
    for path in (f"{V1}/{area}", f"{V1}/{area}/"):
        answer = sky.get(path, headers=viewer).json
        assert answer["feature"] == area
        assert answer["title"]
        assert answer["links"]
        for name, address in answer["links"].items():
            assert address.rstrip("/") == f"http://localhost{V1}/{area}/{name}"


def test_links_are_what_the_caller_may_read(sky):
    viewer = sky.people.bearer(sky.people.user("ada", "viewer"))
    analyst = sky.people.bearer(sky.people.user("bob", "analyst"))
    path = f"{V1}/history/"
    less, more = (set(sky.get(path, headers=who).json["links"]) for who in (viewer, analyst))
    assert more - less == {"export", "stats/export"}
    assert "flights" in less
    for who in (viewer, analyst):
        for address in sky.get(f"{V1}/alerts/", headers=who).json["links"].values():
            sky.get(address.removeprefix("http://localhost"), headers=who, status=200)


def test_the_root_of_all_names_the_areas(sky):
    answer = sky.get(f"{V1}/").json
    assert (answer["feature"], answer["title"]) == (None, "Skywatch")
    assert set(answer["links"]) == {"asyncapi.json", "asyncapi.yaml", "docs", "openapi.json"}
    viewer = sky.people.bearer(sky.people.user("ada", "viewer"))
    links = sky.get(V1, headers=viewer).json["links"]
    assert set(links) >= {*AREAS, "aircraft", "feeders", "api-keys"}
    assert not {"users", "feature-access"} & set(links)


@pytest.mark.parametrize("path", [*(f"{V1}/{area}" for area in AREAS), *UNKNOWN])
def test_who_may_not_read_an_area_is_refused_at_every_address_in_it(sky, path):
    area = "aircraft" if not path.startswith(V1) else path.split("/")[3].replace("user-roles", "users")
    other = "audio" if area != "audio" else "acars"
    admin = sky.people.user("root", "superadmin")
    everything, nothing = (sky.people.bearer(user) for user in (admin, sky.people.user("eve")))
    key = {"X-API-Key": sky.people.key(admin, other)}
    present = 404 if path in UNKNOWN else 200
    assert code(sky, path, 401) == "authentication_required"
    assert code(sky, path, 401, {"Authorization": "Bearer nonsense"}) == "token_invalid"
    assert code(sky, path, 403, key) == "scope_denied"
    sky.get(path, headers=everything, status=present)
    set_access(sky, read_access="permission")
    assert code(sky, path, 403, nothing) == "permission_denied"
    set_access(sky, is_enabled=False)
    for headers in (None, everything):
        assert code(sky, path, 403, headers) == "feature_disabled"


def test_other_methods_of_an_area_are_no_secret_of_its_readers_alone(sky):
    path = f"{V1}/safety/stats"
    assert code(sky, path, 401, method="DELETE") == "authentication_required"
    viewer = sky.people.bearer(sky.people.user("ada", "viewer"))
    assert code(sky, path, 405, viewer, method="DELETE") == "method_not_allowed"


@pytest.mark.parametrize("mode", ["public", "hybrid", "private"])
def test_what_is_in_no_area_is_unknown_to_whom_the_api_is_open(make_client, mode):
    client = make_client(auth_mode=mode)
    path = f"{V1}/nothing"
    assert code(client, path, 401 if mode == "private" else 404)
    assert code(client, "/nothing", 404) == "not_found"
    # Known addresses of no area say which methods they have.
    assert code(client, f"{V1}/auth/login", 405) == "method_not_allowed"
    bearer = Population(client.runtime)
    assert code(client, path, 404, bearer.bearer(bearer.user("ada"))) == "not_found"
