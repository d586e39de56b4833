"""An API with people, and the only superadmin among them."""

import pytest

from tests.accounts import Population


@pytest.fixture
def api(make_client):
    client = make_client(auth_mode="hybrid")
    client.people = Population(client.runtime)
    return client


@pytest.fixture
def root(api):
    """The header of the only superadmin, whose number is ``root.id``."""

    class Header(dict):
        id: int

    number = api.people.user("root", "superadmin")
    header = Header(api.people.bearer(number))
    header.id = number
    return header


@pytest.fixture
def admin(api):
    return api.people.bearer(api.people.user("boss", "admin"))
