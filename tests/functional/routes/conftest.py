"""A client of the application that believes who asks."""

import pytest

from tests.identities import install


@pytest.fixture
def client(make_client):
    """A client of an installation in mode public; writing needs an identity all the same."""
    return install(make_client())
