"""Every permission under every mode and pair of levels is decided as the table ``tests.rights`` says."""

from itertools import product

import pytest

from skywatch.security.contexts import FeatureAccess, FeatureContext, prepared_context
from skywatch.security.identity import Identity
from skywatch.security.permissions import (
    BEHAVIOUR,
    DEFAULT_ROLES,
    FEATURES,
    Permission,
    ViewPermission,
    default_permissions,
)
from skywatch.security.policy import decide
from skywatch.security.visibility import Visibility, visibility_of
from tests import rights

# Name -> the feature in whose context it is asked for.
ASKED = {
    **{name: name.partition(".")[0] for name in (*rights.KIND_OF, *rights.OF_OTHER_KINDS)},
    "personal_write": "cannonball",
}
CASES = list(product(rights.MODES, rights.LEVELS, rights.LEVELS))


def held_for(name):
    return Permission(rights.held_for(name, ASKED[name]))


def callers(name):
    """Sort of caller -> identities; a holder of everything else is no holder."""
    held = held_for(name)
    others = frozenset(Permission) - {held}
    return {
        "nobody": [None],
        "lacking": [Identity(1, "ada", "jwt"), Identity(1, "ada", "jwt", others)],
        "holding": [Identity(1, "ada", "jwt", frozenset({held})), Identity(1, "ada", "jwt", frozenset(Permission))],
    }


def test_the_table_has_every_permission_kind_and_default_role():
    assert set(rights.KIND_OF) == set(map(str, Permission))
    rows = {str(row): row.held for row in ViewPermission}
    assert {name for name, held in rows.items() if held is not None} == {*rights.OF_OTHER_KINDS, "personal_write"}
    assert {name for name, held in rows.items() if held is None} == set(rights.ALL_SERVICE) - {"switch"}
    assert {permission.kind for permission in Permission} == set(rights.ALL_KINDS)
    assert {row.kind for row in (*Permission, *ViewPermission)} == set(BEHAVIOUR)
    assert all(permission.meaning for permission in Permission)
    assert {role.name: role.priority for role in DEFAULT_ROLES} == dict(
        zip(rights.ROLES, (10, 20, 30, 40, 100), strict=True)
    )


@pytest.mark.parametrize("role", rights.ROLES)
def test_a_default_role_holds_what_the_table_says(role):
    assert default_permissions(role) == {name for name in rights.KIND_OF if rights.holds(role, name)}


@pytest.mark.parametrize("name", ASKED)
def test_a_decision_is_that_of_the_table_for_every_identity_mode_and_level(name):
    feature = ASKED[name]
    for mode, read, write in CASES:
        who = rights.granted_to(name, mode, read, write)
        for sort, identities in callers(name).items():
            for identity in identities:
                context = FeatureContext(feature, mode, FeatureAccess(read, write))
                expected = rights.lets_in(who, sort)
                assert bool(decide(context, identity, name)) == expected, (mode, read, write, sort)
                off = FeatureContext(feature, mode, FeatureAccess(read, write, is_enabled=False))
                assert not decide(off, identity, name)
                for other in FEATURES:
                    if name in rights.KIND_OF and other in Permission(name).lent_to:
                        # By the settings of the feature that borrows it, as by those of its own.
                        borrowing = FeatureContext(other, mode, FeatureAccess(read, write))
                        assert bool(decide(borrowing, identity, name)) == expected, (mode, read, sort)
                    elif other != feature:
                        assert not decide(FeatureContext(other, mode, FeatureAccess(read, write)), identity, name)


@pytest.mark.parametrize("name", ASKED)
def test_a_key_has_the_decisions_of_its_owner_within_its_scopes_alone(name):
    held = held_for(name)
    for mode, read, write in CASES:
        who = rights.granted_to(name, mode, read, write)
        context = FeatureContext(held.feature, mode, FeatureAccess(read, write))
        for permissions in (frozenset({held}), frozenset()):
            inside = Identity(1, "ada", "api_key", permissions, scopes=frozenset({held.feature}))
            outside = Identity(1, "ada", "api_key", permissions, scopes=frozenset(FEATURES) - {held.feature})
            allowed = rights.lets_in(who, "holding" if permissions else "lacking") and name not in rights.NO_KEY
            assert bool(decide(context, inside, name)) == allowed
            assert str(decide(context, outside, name).s) == "scope_denied"


@pytest.mark.parametrize("name", sorted(set(rights.ALL_SERVICE) - {"switch"}))
def test_what_the_service_itself_asks_for_is_granted_in_every_context_by_mode(name):
    ada = Identity(1, "ada", "jwt")
    for mode, read, write in CASES:
        who = rights.granted_to(name, mode, read, write)
        service = FeatureContext(None, mode, None)
        for context in (service, *(FeatureContext(feature, mode, FeatureAccess(read, write)) for feature in FEATURES)):
            assert bool(decide(context, None, name)) == rights.lets_in(who, "nobody")
            assert decide(context, ada, name)


@pytest.mark.parametrize("mode", rights.MODES)
def test_the_service_itself_lets_in_who_manages_it(mode):
    service = FeatureContext(None, mode, None)
    assert decide(service, Identity(1, "ada", "jwt", frozenset({Permission.SYSTEM_MANAGE})), Permission.SYSTEM_MANAGE)
    others = frozenset(Permission) - {Permission.SYSTEM_MANAGE}
    assert not any(decide(service, Identity(1, "ada", "jwt", frozenset(Permission)), p) for p in others)
    assert not decide(service, Identity(1, "ada", "jwt", others), Permission.SYSTEM_MANAGE)


@pytest.mark.parametrize(("mode", "read", "write"), CASES)
def test_what_a_caller_may_see_is_what_the_policy_decides_one_by_one(mode, read, write):
    def access(feature):
        return FeatureAccess(read, write, is_enabled=feature != "audio")

    some = frozenset({Permission.AIRCRAFT_VIEW_MILITARY, Permission.CANNONBALL_MANAGE, Permission.AUDIO_VIEW})
    key = Identity(3, "key", "api_key", some, scopes=frozenset({"aircraft", "audio"}))
    for identity in (None, Identity(1, "ada", "jwt"), Identity(2, "eve", "jwt", some), key):
        visibility = visibility_of(identity, mode, access)
        contexts = {feature: prepared_context(feature, mode, access(feature)) for feature in FEATURES}
        expected = {p for p in Permission if decide(contexts[p.feature], identity, p)}
        assert visibility.permissions == expected
        assert visibility.user_id == (identity.user_id if identity is not None else None)
        assert visibility.military == (Permission.AIRCRAFT_VIEW_MILITARY in expected)
        assert visibility.details == (Permission.AIRCRAFT_VIEW_DETAILS in expected)
        assert (Permission.CANNONBALL_MANAGE in visibility.manages) == (Permission.CANNONBALL_MANAGE in expected)
        assert visibility == Visibility(visibility.user_id, frozenset(expected))
