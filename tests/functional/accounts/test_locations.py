"""Where what was created is found, whichever collection it belongs to."""

import pytest

from tests.accounts import Population
from tests.functional.accounts.asking import V1


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
    shown = created.json
    # What is shown once.
    assert (shown.pop("setup_link", None) is not None) == (collection == "users")
    assert api.get(location.removeprefix(host), headers=root).json == shown


def test_a_refused_creation_has_no_location(api, root):
    body = {"username": "root", "email": "other@example.org"}
    assert "Location" not in api.post_json(f"{V1}/users", body, headers=root, status=409).headers
