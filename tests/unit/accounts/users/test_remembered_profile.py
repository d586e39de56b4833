"""What is remembered of a profile: each credential gets its own permissions, and no more is held than a few forms."""

from __future__ import annotations

import json

from skywatch.accounts.users.answers import MAX_BODIES, RememberedProfile


def test_each_credential_gets_its_own_permissions():
    profile = RememberedProfile({"username": "ann", "permissions": ["a", "b", "c"], "roles": ["viewer"]})
    login, key = frozenset({"c", "a", "b"}), frozenset({"b"})
    for _ in range(2):
        assert profile.body(login) == b'{"username":"ann","permissions":["a","b","c"],"roles":["viewer"]}'
        assert json.loads(profile.body(key))["permissions"] == ["b"]
    assert profile.body(key) is profile.body(frozenset({"b"}))


def test_a_user_with_many_keys_fills_no_memory():
    profile = RememberedProfile({"permissions": []})
    for number in range(100):
        assert json.loads(profile.body(frozenset({str(number)}))) == {"permissions": [str(number)]}
    assert len(profile._bodies) == MAX_BODIES
