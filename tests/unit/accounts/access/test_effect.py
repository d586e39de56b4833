"""What access settings let somebody do, by mode and level, is what the policy decides."""

import pytest

from skywatch.accounts.access.effect import Reach, reach_of
from skywatch.security.contexts import DEFAULT_ACCESS, FeatureAccess
from skywatch.security.permissions import FEATURES, default_permissions

NOTHING, SEES, ALL = Reach(sees=False, changes=False), Reach(sees=True, changes=False), Reach(sees=True, changes=True)
OPEN = {feature: FeatureAccess("public", "public") for feature in FEATURES}


@pytest.mark.parametrize(
    ("permissions", "feature", "reach"),
    [
        (None, "aircraft", NOTHING),
        (frozenset(), "aircraft", SEES),
        (frozenset(), "users", NOTHING),
        (default_permissions("viewer"), "alerts", SEES),
        (default_permissions("viewer"), "cannonball", ALL),
        (default_permissions("operator"), "alerts", ALL),
        (default_permissions("admin"), "roles", SEES),
        (default_permissions("superadmin"), "roles", ALL),
    ],
)
def test_a_fresh_installation_is_open_to_its_users_by_their_roles(permissions, feature, reach):
    assert reach_of("hybrid", DEFAULT_ACCESS, permissions)[feature] == reach


@pytest.mark.parametrize(
    ("mode", "feature", "reach"),
    [
        ("hybrid", "aircraft", SEES),
        ("hybrid", "users", NOTHING),
        ("private", "aircraft", NOTHING),
        ("public", "safety", ALL),
        ("public", "users", NOTHING),
    ],
)
def test_the_mode_decides_what_a_public_level_is_for_nobody_in_particular(mode, feature, reach):
    assert reach_of(mode, OPEN, None)[feature] == reach


def test_a_feature_that_is_switched_off_is_there_for_nobody():
    off = {"aircraft": FeatureAccess("public", "public", is_enabled=False)}
    for permissions in (None, default_permissions("superadmin")):
        assert reach_of("public", off, permissions) == {"aircraft": NOTHING}
