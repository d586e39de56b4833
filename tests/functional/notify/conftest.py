"""Clients and callers for the resources of channels and deliveries, on both databases."""

import pytest

from tests.identities import as_role, install_with_users

ADA = as_role("operator", user_id=1)
BEN = as_role("analyst", user_id=2)
ADMIN = as_role("admin", user_id=3)
VIEWER = as_role("viewer", user_id=4)
BASE = "/api/v1/alerts"


@pytest.fixture
def client(make_client, database_url):
    """A client of an installation in mode hybrid with users 1 to 4."""
    return install_with_users(
        make_client(database_url=database_url, auth_mode="hybrid", notify_allow_networks="127.0.0.0/8")
    )


@pytest.fixture
def add(client):
    """Creates a channel through the API; gives the answer."""

    def add(headers=ADA, status=201, **fields):
        body = {"name": "hook", "kind": "webhook", "address": "https://hooks.example.org/secret-path?key=1", **fields}
        return client.post_json(f"{BASE}/channels/", body, headers=headers, status=status).json

    return add
