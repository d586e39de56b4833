"""Clients, callers and entries for the Cannonball resources, on both databases."""

import pytest

from tests.identities import as_role, install_with_users

ADMIN = as_role("admin", user_id=1)
VIEWER = as_role("viewer", user_id=2)
OTHER = as_role("viewer", user_id=3)
ANALYST = as_role("analyst", user_id=4)


@pytest.fixture
def client(make_client, database_url):
    """A client of an installation in mode hybrid with users 1 to 4."""
    return install_with_users(make_client(database_url=database_url, auth_mode="hybrid"))


@pytest.fixture
def add_known(client):
    """Puts an entry on the list through the API; gives it back."""

    def add(icao_hex, **fields):
        body = {"icao_hex": icao_hex, **fields}
        return client.post_json("/api/v1/cannonball/known-aircraft/", body, headers=ADMIN, status=201).json

    return add
