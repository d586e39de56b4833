"""Who has their part of what people share."""

import pytest

from skywatch.security.identity import Identity, person_of


@pytest.mark.parametrize(
    ("identity", "address", "person"),
    [
        (Identity(7, "ann", "jwt"), "192.0.2.1", "user 7"),
        (Identity(7, "ann", "api_key", key_id=3, scopes=frozenset({"history"})), "198.51.100.1", "user 7"),
        (Identity(9, "grafana", "api_key", owner_id=7), "192.0.2.1", "user 7"),
        (None, "192.0.2.1", "network 192.0.2.0/24"),
        (None, "192.0.2.254", "network 192.0.2.0/24"),
        (None, "2001:db8:0:1::5", "network 2001:db8:0:1::/64"),
        (None, "::ffff:192.0.2.9", "network 192.0.2.0/24"),
        (None, "", "network unknown"),
    ],
)
def test_a_person_is_a_user_with_keys_and_programs_or_a_network(identity, address, person):
    assert person_of(identity, address) == person
