"""A provider that can be told to lie, and an API that trusts it."""

import pytest

from tests.accounts import Population
from tests.functional.sso.signing_on import settings_for
from tests.providers import fake_provider


@pytest.fixture
def provider():
    with fake_provider() as running:
        yield running


@pytest.fixture
def make_api(make_client, provider):
    def make(**more):
        client = make_client(**settings_for(provider, **more))
        client.people = Population(client.runtime)
        client.provider = provider
        return client

    return make


@pytest.fixture
def api(make_api):
    return make_api()
