"""Cannonball belongs to its user: nobody in particular is let in, in any mode and at any level."""

import pytest

from skywatch.security.contexts import FeatureAccess, FeatureContext
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.security.policy import decide

NOBODY = None
STRANGER = Identity(1, "stranger", "jwt")
VIEWER = Identity(2, "viewer", "jwt", frozenset({Permission.CANNONBALL_VIEW}))
MANAGER = Identity(3, "manager", "jwt", frozenset({Permission.CANNONBALL_VIEW, Permission.CANNONBALL_MANAGE}))
KEY = Identity(4, "key", "api_key", VIEWER.permissions, scopes=frozenset({"aircraft", "alerts"}))
READ, MANAGE = Permission.CANNONBALL_VIEW, Permission.CANNONBALL_MANAGE


@pytest.mark.parametrize("mode", ["public", "hybrid", "private"])
@pytest.mark.parametrize("level", ["public", "authenticated", "permission"])
def test_nobody_reads_or_writes(mode, level):
    context = FeatureContext("cannonball", mode, FeatureAccess(level, level))
    assert not any(decide(context, NOBODY, permission) for permission in (READ, ViewPermission.PERSONAL_WRITE, MANAGE))


@pytest.mark.parametrize("mode", ["public", "hybrid", "private"])
def test_any_identity_uses_it_and_only_managers_manage(mode):
    context = FeatureContext("cannonball", mode, FeatureAccess("authenticated", "authenticated"))
    assert decide(context, STRANGER, READ)
    assert decide(context, STRANGER, ViewPermission.PERSONAL_WRITE)
    assert not decide(context, VIEWER, MANAGE)
    assert decide(context, MANAGER, MANAGE)


def test_reading_and_writing_follow_their_own_levels():
    context = FeatureContext("cannonball", "hybrid", FeatureAccess("authenticated", "permission"))
    assert decide(context, STRANGER, READ)
    assert not decide(context, STRANGER, ViewPermission.PERSONAL_WRITE)
    assert decide(context, VIEWER, ViewPermission.PERSONAL_WRITE)


def test_keys_have_no_scope_for_it_and_a_disabled_feature_is_closed():
    context = FeatureContext("cannonball", "public", FeatureAccess("authenticated", "authenticated"))
    assert str(decide(context, KEY, READ).s) == "scope_denied"
    disabled = FeatureContext("cannonball", "public", FeatureAccess("authenticated", "authenticated", False))
    assert str(decide(disabled, MANAGER, READ).s) == "feature_disabled"
