"""An installation with one person of each default role, and visitors to its console."""

import pytest

from tests.functional.console.visitor import Visitor, populate

ROLES = ("viewer", "operator", "analyst", "admin", "superadmin")


@pytest.fixture
def make_visitor(make_client):
    def make(**settings):
        return Visitor(make_client(**{"environment": "development", "console_first_run": False, **settings}))

    return make


@pytest.fixture
def visitor(make_visitor):
    found = make_visitor(auth_mode="hybrid")
    found.people = populate(found.runtime, *ROLES)
    return found


@pytest.fixture
def root(visitor):
    visitor.sign_in("superadmin")
    return visitor
