"""Every permission under every mode and pair of levels, against verdicts that were recorded before there were kinds.

Each line of the table has three groups for each of the modes public, hybrid and private: the read levels public,
authenticated and permission, and in each group a letter for the same levels of the write access. E is everybody, I
every identity, H holders, A holders and callers without credentials.
"""

from itertools import product

import pytest

from skywatch.security.contexts import (
    BORROWED,
    IMPORTS,
    PERSONAL_READ,
    PERSONAL_WRITE,
    FeatureAccess,
    FeatureContext,
    permission_held,
    prepared_context,
)
from skywatch.security.identity import Identity
from skywatch.security.kinds import BEHAVIOUR
from skywatch.security.permissions import FEATURES, Permission
from skywatch.security.policy import decide
from skywatch.security.visibility import Visibility, visibility_of

MODES = ("public", "hybrid", "private")
LEVELS = ("public", "authenticated", "permission")
RECORDED = """
acars.view               EEE EEE EEE EEE III HHH III III HHH
acars.view_full          EEE EEE EEE HHH HHH HHH HHH HHH HHH
aircraft.view            EEE EEE EEE EEE III HHH III III HHH
aircraft.view_details    EEE EEE EEE HHH HHH HHH HHH HHH HHH
aircraft.view_military   EEE EEE EEE HHH HHH HHH HHH HHH HHH
alerts.create            EEE EEE EEE AHH AHH AHH HHH HHH HHH
alerts.delete            EEE EEE EEE AHH AHH AHH HHH HHH HHH
alerts.edit              EEE EEE EEE AHH AHH AHH HHH HHH HHH
alerts.manage_all        HHH HHH HHH HHH HHH HHH HHH HHH HHH
alerts.view              EEE EEE EEE EEE III HHH III III HHH
audio.delete             EEE EEE EEE AHH AHH AHH HHH HHH HHH
audio.transcribe         EEE EEE EEE AHH AHH AHH HHH HHH HHH
audio.upload             EEE EEE EEE AHH AHH AHH HHH HHH HHH
audio.view               EEE EEE EEE EEE III HHH III III HHH
cannonball.manage        HHH HHH HHH HHH HHH HHH HHH HHH HHH
cannonball.view          III III III III III HHH III III HHH
history.export           EEE EEE EEE HHH HHH HHH HHH HHH HHH
history.view             EEE EEE EEE EEE III HHH III III HHH
roles.create             HHH HHH HHH HHH HHH HHH HHH HHH HHH
roles.delete             HHH HHH HHH HHH HHH HHH HHH HHH HHH
roles.edit               HHH HHH HHH HHH HHH HHH HHH HHH HHH
roles.view               HHH HHH HHH III III HHH III III HHH
safety.acknowledge       EEE EEE EEE AHH AHH AHH HHH HHH HHH
safety.manage            HHH HHH HHH HHH HHH HHH HHH HHH HHH
safety.view              EEE EEE EEE EEE III HHH III III HHH
system.manage            HHH HHH HHH HHH HHH HHH HHH HHH HHH
system.view_metrics      EEE EEE EEE HHH HHH HHH HHH HHH HHH
system.view_status       EEE EEE EEE EEE III HHH III III HHH
users.create             HHH HHH HHH HHH HHH HHH HHH HHH HHH
users.delete             HHH HHH HHH HHH HHH HHH HHH HHH HHH
users.edit               HHH HHH HHH HHH HHH HHH HHH HHH HHH
users.view               HHH HHH HHH III III HHH III III HHH
personal_write           III III III IIH IIH IIH IIH IIH IIH
"""
# Alert rules belong to users: since there are rules, nobody in particular may make one in any mode.
SINCE_THEN = dict.fromkeys(("alerts.create", "alerts.edit"), "IIIIIIIIIHHHHHHHHHHHHHHHHHH")
# Whatever deletes, uploads, transcribes or imports needs a holder in mode public too.
SINCE_THEN |= dict.fromkeys(("audio.delete", "audio.transcribe", "audio.upload"), "HHHHHHHHHAHHAHHAHHHHHHHHHHH")
SINCE_THEN |= dict.fromkeys(("alerts.delete", "alerts.create:import", "alerts.edit:import"), "H" * 27)
SINCE_THEN["feeders.view"] = "EEEEEEEEEEEEIIIHHHIIIIIIHHH"
SINCE_THEN["feeders.own"] = SINCE_THEN["alerts.create"]
SINCE_THEN |= dict.fromkeys(("feeders.manage", "feeders.own:import"), "H" * 27)
TABLE = {line.split()[0]: "".join(line.split()[1:]) for line in RECORDED.strip().splitlines()} | SINCE_THEN
CASES = list(product(MODES, LEVELS, LEVELS))


def held_for(name):
    return Permission("cannonball.view") if name == PERSONAL_WRITE else Permission(permission_held(name))


def callers(name):
    """Sort of caller -> identities; a holder of everything else is no holder."""
    held = held_for(name)
    others = frozenset(Permission) - {held}
    return {
        "nobody": [None],
        "lacking": [Identity(1, "ada", "jwt"), Identity(1, "ada", "jwt", others)],
        "holding": [Identity(1, "ada", "jwt", frozenset({held})), Identity(1, "ada", "jwt", frozenset(Permission))],
    }


ALLOWED = {
    "E": {"nobody", "lacking", "holding"},
    "I": {"lacking", "holding"},
    "H": {"holding"},
    "A": {"nobody", "holding"},
}


def test_the_table_has_every_permission():
    assert set(TABLE) == {*map(str, Permission), PERSONAL_WRITE, *IMPORTS}
    assert {len(letters) for letters in TABLE.values()} == {len(CASES)}
    assert {permission.kind for permission in Permission} == set(BEHAVIOUR)


@pytest.mark.parametrize("name", TABLE)
def test_a_verdict_is_the_recorded_one_for_every_identity_mode_and_level(name):
    feature = held_for(name).feature
    for letter, (mode, read, write) in zip(TABLE[name], CASES, strict=True):
        for sort, identities in callers(name).items():
            for identity in identities:
                context = FeatureContext(feature, mode, FeatureAccess(read, write))
                assert bool(decide(context, identity, name)) == (sort in ALLOWED[letter]), (mode, read, write, sort)
                off = FeatureContext(feature, mode, FeatureAccess(read, write, is_enabled=False))
                assert not decide(off, identity, name)
                for other in FEATURES:
                    if name in BORROWED.get(other, ()):
                        # By the settings of the feature that borrows it, as by those of its own.
                        borrowing = FeatureContext(other, mode, FeatureAccess(read, write))
                        assert bool(decide(borrowing, identity, name)) == (sort in ALLOWED[letter]), (mode, read, sort)
                    elif other != feature:
                        assert not decide(FeatureContext(other, mode, FeatureAccess(read, write)), identity, name) or (
                            name == PERSONAL_WRITE and other in ("alerts", "feeders")
                        )


@pytest.mark.parametrize("name", TABLE)
def test_a_key_has_the_verdicts_of_its_owner_within_its_scopes_alone(name):
    held = held_for(name)
    for letter, (mode, read, write) in zip(TABLE[name], CASES, strict=True):
        context = FeatureContext(held.feature, mode, FeatureAccess(read, write))
        for permissions in (frozenset({held}), frozenset()):
            inside = Identity(1, "ada", "api_key", permissions, scopes=frozenset({held.feature}))
            outside = Identity(1, "ada", "api_key", permissions, scopes=frozenset(FEATURES) - {held.feature})
            sort = "holding" if permissions else "lacking"
            allowed = sort in ALLOWED[letter] and name != "cannonball.manage"  # which no key carries
            assert bool(decide(context, inside, name)) == allowed
            assert str(decide(context, outside, name).s) == "scope_denied"


@pytest.mark.parametrize("feature", ["alerts", "cannonball"])
def test_own_records_need_an_identity_and_a_holder_at_the_level_permission(feature):
    holder = Identity(1, "ada", "jwt", frozenset({Permission(f"{feature}.view")}))
    stranger = Identity(2, "eve", "jwt")
    for mode, read, write in CASES:
        context = FeatureContext(feature, mode, FeatureAccess(read, write))
        for permission, level in ((PERSONAL_READ, read), (PERSONAL_WRITE, write)):
            assert not decide(context, None, permission)
            assert decide(context, holder, permission)
            assert bool(decide(context, stranger, permission)) == (mode == "public" or level != "permission")


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
