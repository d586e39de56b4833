"""An installation with its default roles, and users to try it with."""

from __future__ import annotations

import pytest

from skywatch.accounts.identity.authenticator import Authenticator
from tests.accounts import Population


@pytest.fixture
def population(runtime):
    """Users, roles and logins in the runtime's database."""
    return Population(runtime)


@pytest.fixture
def authenticator(runtime):
    """The authenticator of the runtime."""
    return Authenticator(runtime)
