"""A decision that was made before is not made again, and never holds for anybody or anything else."""

from skywatch.security.contexts import FeatureAccess, prepared_context
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission
from skywatch.security.policy import decide

VIEW = Permission.AIRCRAFT_VIEW
HOLDER = Identity(1, "ada", "jwt", frozenset({VIEW}))
OTHER = Identity(1, "ada", "jwt", frozenset({Permission.AUDIO_VIEW}))


def asked(level, identity, mode="hybrid", feature="aircraft", is_enabled=True):
    context = prepared_context(feature, mode, FeatureAccess(level, level, is_enabled))
    return bool(decide(context, identity, VIEW))


def test_each_of_who_what_and_under_which_setting_counts_every_time():
    for _ in range(3):
        assert asked("permission", HOLDER)
        assert not asked("permission", OTHER)
        assert not asked("permission", None)
        assert asked("authenticated", OTHER)
        assert not asked("authenticated", None)
        assert asked("public", None)
        assert not asked("public", None, mode="private")
        assert not asked("public", HOLDER, is_enabled=False)
        assert not asked("permission", HOLDER, feature="audio")


def test_a_key_is_held_to_its_scopes_though_its_owner_was_allowed():
    assert asked("permission", HOLDER)
    key = Identity(1, "ada", "api_key", frozenset({VIEW}), scopes=frozenset({"audio"}), key_id=7)
    assert key.principals == HOLDER.principals
    assert not asked("permission", key)
