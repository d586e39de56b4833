"""What tests of the API share."""

import pytest
from argon2 import PasswordHasher

from skywatch.accounts.passwords import hashing
from tests import accounts

HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
# The stored passwords of users, and of names that nobody has.
KNOWN, DUMMY = HASHER.hash(accounts.PASSWORD), HASHER.hash("a name that nobody has")


@pytest.fixture(autouse=True)
def _cheap_passwords(monkeypatch):
    """Hashes that take no time: what they must withstand is a matter of ``tests/unit/accounts``."""
    monkeypatch.setattr(hashing, "HASHER", HASHER)
    monkeypatch.setattr(hashing, "DUMMY_HASH", DUMMY)
    monkeypatch.setattr(accounts, "_HASH", KNOWN)
