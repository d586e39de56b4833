"""What the contexts decide, for the cases that the table of operations does not show."""

from types import SimpleNamespace

import pytest
from pyramid.testing import DummyRequest
from sqlalchemy.exc import TimeoutError as NoConnectionInTime

from skywatch.security.contexts import FeatureAccess, FeatureContext
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.security.policy import SkywatchSecurityPolicy, decide

MILITARY, DETAILS = Permission.AIRCRAFT_VIEW_MILITARY, Permission.AIRCRAFT_VIEW_DETAILS


def somebody(*permissions, scopes=None):
    return Identity(1, "ada", "jwt", frozenset(permissions), scopes=scopes)


def context(feature="aircraft", mode="hybrid", read="public", write="public", enabled=True):
    return FeatureContext(feature, mode, FeatureAccess(read, write, enabled))


@pytest.mark.parametrize("permission", [MILITARY, DETAILS])
def test_military_and_details_are_for_holders_in_every_mode_but_public(permission):
    for mode in ("hybrid", "private"):
        for level in ("public", "authenticated", "permission"):
            asked = context(mode=mode, read=level)
            assert not decide(asked, None, permission)
            assert not decide(asked, somebody(Permission.AIRCRAFT_VIEW), permission)
            assert decide(asked, somebody(permission), permission)
    assert decide(context(mode="public"), None, permission)


def test_a_permission_of_another_feature_is_never_given():
    assert not decide(context("aircraft"), somebody(*Permission), Permission.ALERTS_VIEW)
    assert not decide(context("aircraft"), somebody(*Permission), "no.such")


def test_what_is_switched_off_is_off_for_everybody_but_the_open_views():
    off = context(enabled=False, mode="public")
    assert str(decide(off, somebody(*Permission), Permission.AIRCRAFT_VIEW).s) == "feature_disabled"
    assert decide(off, None, ViewPermission.OPEN)


def test_a_key_reaches_its_areas_alone():
    key = somebody(*Permission, scopes=frozenset({"alerts"}))
    assert decide(context("alerts"), key, Permission.ALERTS_CREATE)
    assert str(decide(context("aircraft", mode="public"), key, Permission.AIRCRAFT_VIEW).s) == "scope_denied"
    assert decide(FeatureContext(None, "public", None), key, ViewPermission.OPEN)
    assert not decide(FeatureContext(None, "public", None), key, ViewPermission.OPEN_UNLESS_PRIVATE)


def test_an_identity_shows_no_secret_and_cannot_be_changed():
    identity = somebody(Permission.AIRCRAFT_VIEW)
    with pytest.raises(AttributeError):
        identity.user_id = 2
    assert "principals" not in repr(identity)


def test_a_look_up_that_is_impossible_is_tried_once_a_request():
    policy, request, tries = SkywatchSecurityPolicy(lambda request: None), DummyRequest(), []
    request.runtime = SimpleNamespace(shared=lambda create: create(request.runtime))

    def away(request):
        tries.append(request)
        raise NoConnectionInTime("no connection in time")

    policy.methods.append(away)
    for _ in range(3):
        with pytest.raises(NoConnectionInTime):
            policy.identity(request)
    assert len(tries) == 1
