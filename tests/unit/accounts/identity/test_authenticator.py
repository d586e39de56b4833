"""Who a credential is: tokens and keys, rights that change under them, and what it costs."""

import threading
import time
from datetime import timedelta

import jwt
import pytest
import sqlalchemy as sa

from skywatch.accounts.changes import begin_change
from skywatch.accounts.identity import cache
from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.models import ApiKey, FeatureAccessSetting, Login, Role, User, UserRole
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_session_factory, writing
from skywatch.core.problems import Problem
from skywatch.security.permissions import FEATURES, Permission, default_permissions
from tests.accounts import Population
from tests.conftest import TEST_SECRET
from tests.waiting import go_on, until


def refused(authenticator, credential):
    with pytest.raises(Problem) as caught:
        authenticator.identify(credential)
    assert caught.value.kind.status == 401
    return caught.value.kind.code


def change(runtime, statement):
    with writing(runtime.sessions) as session:
        begin_change(session)
        session.execute(statement)


def forge(key=TEST_SECRET, algorithm="HS256", **claims):
    now = int(time.time())
    good = {"token_type": "access", "user_id": 1, "sid": "5" * 32, "jti": "7" * 32, "sub": "1"}
    good |= {"iat": now, "exp": now + 60} | claims
    return jwt.encode({k: v for k, v in good.items() if v is not None}, key, algorithm=algorithm)


def test_a_token_names_its_user_with_the_rights_of_now(population, authenticator):
    ada = population.user("ada", "viewer")
    identity = authenticator.identify(population.token(ada))
    assert (identity.user_id, identity.username, identity.method) == (ada, "ada", "jwt")
    assert identity.permissions == default_permissions("viewer")
    assert identity.roles == {"viewer"}


def test_a_key_has_its_scopes_and_the_owners_rights(population, authenticator):
    ada = population.user("ada", "operator")
    identity = authenticator.identify(population.key(ada, "alerts"))
    assert identity.scopes == {"alerts"}
    assert identity.permissions == {
        Permission.ALERTS_VIEW,
        Permission.ALERTS_CREATE,
        Permission.ALERTS_EDIT,
        Permission.ALERTS_DELETE,
    }


def test_a_steady_caller_costs_no_query(runtime, population, authenticator, monkeypatch):
    ada = population.user("ada", "viewer")
    token, key = population.token(ada), population.key(ada, "aircraft")
    # Nothing of this takes long enough to be looked after again.
    monkeypatch.setattr(cache, "BELIEVED_S", 3600.0)
    until(lambda: authenticator.identify(token) is authenticator.identify(token), "the watcher's first look")
    identity = authenticator.identify(token)
    authenticator.identify(key), authenticator.feature_access("aircraft")
    authenticator.still_valid(authenticator.identify(key))
    mine, queries = threading.get_ident(), []

    @sa.event.listens_for(runtime.engine, "before_cursor_execute")
    def count(*args):
        if threading.get_ident() == mine:
            queries.append(args[2])

    for _ in range(100):
        authenticator.identify(token)
        authenticator.identify(key)
        authenticator.still_valid(identity)
        authenticator.feature_access("aircraft")
    assert queries == []
    assert authenticator.still_valid(identity) is identity


def test_tokens_of_another_making_are_refused(population, authenticator):
    ada = population.user("ada", "superadmin")
    login = population.login(ada)
    now = int(time.time())
    attacks = {
        "alg none": jwt.encode({"user_id": ada, "token_type": "access"}, None, algorithm="none"),
        "another algorithm": forge(algorithm="HS384", user_id=ada, sid=login.id),
        "wrong key": forge(key="another installation's secret 0123456789", user_id=ada, sid=login.id),
        "not yet valid": forge(user_id=ada, sid=login.id, nbf=now + 3600),
        "issued tomorrow": forge(user_id=ada, sid=login.id, iat=now + 86400),
        "refresh as access": population.codec.refresh_token(ada, login.id, login.refresh_id, now + 60),
        "no login": forge(user_id=ada, sid=None),
        "no expiry": forge(user_id=ada, sid=login.id, exp=None),
        "user is text": forge(user_id=str(ada), sid=login.id),
        "user is true": forge(user_id=True, sid=login.id),
        "user beyond 64 bits": forge(user_id=2**70, sid=login.id),
        "half a character": forge(user_id=ada, sid="\ud800"),
        "NUL": forge(user_id=ada, sid="\0"),
        "garbage": "A" * 8192,
        "nothing": "",
        "dots": "..",
        "unicode": "é.é.é",
        "nested header": "W1tb" * 400 + ".e30.AAAA",
    }
    codes = {name: refused(authenticator, token) for name, token in attacks.items()}
    assert codes == dict.fromkeys(attacks, "token_invalid")


def test_changed_claims_break_the_signature(population, authenticator):
    ada, eve = population.user("ada", "superadmin"), population.user("eve")
    head, _, signature = population.token(eve).split(".")
    other = population.token(ada).split(".")[1]
    assert refused(authenticator, f"{head}.{other}.{signature}") == "token_invalid"


def test_an_expired_token_says_so(population, authenticator):
    ada = population.user("ada")
    assert refused(authenticator, forge(user_id=ada, exp=int(time.time()) - 5)) == "token_expired"
    assert refused(authenticator, forge(user_id=ada, exp=int(time.time()) - 5, key="x" * 40)) == "token_invalid"
    past = {"user_id": ada, "exp": int(time.time()) - 5}
    assert refused(authenticator, forge(token_type="refresh", **past)) == "token_invalid"
    assert refused(authenticator, forge(sid=None, **past)) == "token_invalid"
    assert refused(authenticator, forge(nbf=int(time.time()) + 60, **past)) == "token_invalid"


def test_a_token_expires_although_it_is_remembered(population, authenticator, monkeypatch):
    ada = population.user("ada")
    token = population.token(ada)
    authenticator.identify(token)
    go_on(monkeypatch, 3601)
    assert refused(authenticator, token) == "token_expired"


def test_an_ended_login_stops_its_tokens_at_once(runtime, population, authenticator):
    ada = population.user("ada")
    token = population.token(ada)
    identity = authenticator.identify(token)
    change(runtime, sa.update(Login).values(ended_at=utcnow()))
    assert refused(authenticator, token) == "token_revoked"
    assert authenticator.still_valid(identity).kind.code == "token_revoked"


def test_a_change_that_nobody_announces_is_seen(runtime, population, authenticator):
    ada = population.user("ada")
    token = population.token(ada)
    identity = authenticator.identify(token)
    with writing(create_session_factory(runtime.engine)) as session:
        begin_change(session)
        session.execute(sa.update(Login).values(ended_at=utcnow()))
    # Within a second, as far as it does not lie with the machine.
    assert cache.CHECK_EVERY_S < 1
    until(lambda: isinstance(authenticator.still_valid(identity), Problem))
    assert refused(authenticator, token) == "token_revoked"


def test_a_value_read_while_something_changed_is_not_kept(runtime, population, authenticator):
    def load(session):
        authenticator.cache.clear()
        return "old"

    assert authenticator.cache.get("test", 1, load) == "old"
    assert authenticator.cache.get("test", 1, lambda session: "new") == "new"


def test_a_deactivated_or_deleted_owner_stops_tokens_and_keys(runtime, population, authenticator):
    ada = population.user("ada")
    token, key = population.token(ada), population.key(ada, "aircraft")
    authenticator.identify(token), authenticator.identify(key)
    change(runtime, sa.update(User).values(is_active=False))
    assert refused(authenticator, token) == refused(authenticator, key) == "account_disabled"
    change(runtime, sa.delete(User))
    assert refused(authenticator, token) == "token_revoked"
    assert refused(authenticator, key) == "token_invalid"


def test_who_is_remembered_as_active_still_hears_that_the_account_is_disabled(
    runtime, population, authenticator, monkeypatch
):
    ada = population.user("ada")
    token = population.token(ada)
    monkeypatch.setattr(cache, "BELIEVED_S", 3600.0)
    until(lambda: authenticator.rights(ada) is authenticator.rights(ada), "the watcher's first look")
    # Told to nobody: the user stays remembered, and the login has not been asked for yet.
    with writing(runtime.sessions) as session:
        session.execute(sa.update(User).values(is_active=False))
        session.execute(sa.update(Login).values(ended_at=utcnow()))
    assert authenticator.rights(ada).is_active
    assert refused(authenticator, token) == "account_disabled"


def test_a_role_ends_by_the_second(population, authenticator, monkeypatch):
    ada = population.user("ada", "admin", expires_at=utcnow() + timedelta(minutes=30))
    identity = authenticator.identify(population.token(ada))
    assert Permission.USERS_VIEW in identity.permissions
    go_on(monkeypatch, 30 * 60)
    now = authenticator.still_valid(identity)
    assert now.permissions == now.roles == frozenset()


def test_rights_follow_the_role(runtime, population, authenticator):
    ada = population.user("ada", "viewer")
    identity = authenticator.identify(population.token(ada))
    change(runtime, sa.update(Role).where(Role.name == "viewer").values(permissions=["aircraft.view", "of.later"]))
    assert authenticator.still_valid(identity).permissions == {Permission.AIRCRAFT_VIEW}
    change(runtime, sa.delete(UserRole))
    assert authenticator.still_valid(identity).permissions == frozenset()


def test_superadmin_holds_everything_whatever_is_stored(runtime, population, authenticator):
    ada = population.user("ada", "superadmin")
    change(runtime, sa.update(Role).where(Role.name == "superadmin").values(permissions=[]))
    assert authenticator.identify(population.token(ada)).permissions == frozenset(Permission)


def test_keys_expire_and_are_unknown(runtime, population, authenticator):
    ada = population.user("ada")
    assert refused(authenticator, population.key(ada, expires_at=utcnow() - timedelta(seconds=1))) == "token_expired"
    assert refused(authenticator, "sk_" + "a" * 48) == "token_invalid"
    key = population.key(ada)
    identity = authenticator.identify(key)
    change(runtime, sa.delete(ApiKey))
    assert refused(authenticator, key) == "token_invalid"
    assert authenticator.still_valid(identity).kind.code == "token_invalid"


def test_keys_can_be_switched_off(make_runtime):
    runtime = make_runtime(api_key_enabled="false")
    people = Population(runtime)
    assert refused(Authenticator(runtime), people.key(people.user("ada"))) == "token_invalid"


def test_the_last_use_of_a_key_is_written_down(runtime, population, authenticator):
    authenticator.identify(population.key(population.user("ada")))
    authenticator.close()
    with runtime.sessions() as session:
        assert utcnow() - session.scalars(sa.select(ApiKey.last_used_at)).one() < timedelta(minutes=5)


def test_access_settings_are_those_stored(runtime, population, authenticator):
    assert authenticator.feature_access("aircraft").read_access == "authenticated"
    change(
        runtime,
        sa.update(FeatureAccessSetting)
        .where(FeatureAccessSetting.feature == "aircraft")
        .values(read_access="public", is_enabled=False),
    )
    access = authenticator.feature_access("aircraft")
    assert (access.read_access, access.is_enabled) == ("public", False)


@pytest.mark.parametrize("is_stored", [False, True])
def test_access_settings_are_one_object_until_one_changes(runtime, authenticator, is_stored):
    if not is_stored:
        change(runtime, sa.delete(FeatureAccessSetting))
    settings = authenticator.access_settings()
    assert authenticator.access_settings() is settings
    # Whatever is remembered by them is found by equal ones, too.
    assert (hash(settings), settings) == (hash(tuple(settings)), tuple(settings))
    authenticator.cache.clear()
    assert all(again is before for again, before in zip(authenticator.access_settings(), settings, strict=True))
    index = FEATURES.index("aircraft")
    change(runtime, sa.delete(FeatureAccessSetting).where(FeatureAccessSetting.feature == "aircraft"))
    change(
        runtime,
        sa.insert(FeatureAccessSetting).values(
            feature="aircraft", read_access="public", write_access="permission", is_enabled=False, updated_at=utcnow()
        ),
    )
    changed = authenticator.access_settings()
    assert (changed[index].read_access, changed[index].is_enabled) == ("public", False)
    assert hash(changed) != hash(settings)


def test_no_part_of_a_secret_signs_tokens(make_runtime):
    """A secret with spaces and commas was several; whoever guessed its first word could sign."""
    secret = f"open sesame, {'x' * 40}"
    authenticator = Authenticator(make_runtime(jwt_secret_key=secret))
    claims = jwt.decode(authenticator.codec.access_token(1, "x"), secret, algorithms=["HS256"])
    for part in (*secret.split(), secret.split(",")[0], secret.split(",")[1]):
        assert refused(authenticator, jwt.encode(claims, part, algorithm="HS256")) == "token_invalid"


def test_secrets_rotate(make_runtime):
    old, new = "o" * 40, "n" * 40
    before = make_runtime(jwt_secret_key=old)
    people = Population(before)
    token = people.token(people.user("ada"))
    both = Authenticator(make_runtime(jwt_secret_key=new, jwt_secret_key_previous=f"{'p' * 40}, {old}"))
    assert both.identify(token).username == "ada"
    fresh = both.codec.access_token(1, "x")
    assert jwt.decode(fresh, new, algorithms=["HS256"])["user_id"] == 1
    assert refused(Authenticator(make_runtime(jwt_secret_key=new)), token) == "token_invalid"
