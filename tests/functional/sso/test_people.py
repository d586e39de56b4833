"""Whose account a sign-on leads to, and which roles it has."""

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import User, UserRole
from skywatch.accounts.users.schemas import ProfileChangeFields
from skywatch.accounts.users.service import apply_profile
from skywatch.core.database.engine import writing
from skywatch.settings import SettingsError
from skywatch.sso.defaults import check_default_roles
from tests.functional.sso.signing_on import add_mapping, audit, back_channel, bearer, begin, finish, sign_on


@pytest.mark.parametrize("linking", ["true", "false"])
@pytest.mark.parametrize("verified", [False, ..., "true", 1])
def test_an_unverified_address_links_nobody_and_does_not_reveal_an_account(make_api, linking, verified):
    api = make_api(oidc_allow_email_linking=linking)
    boss = api.people.user("boss", "superadmin")
    answers = []
    for number, address in enumerate(("Boss@Example.org", "nobody@example.org")):
        api.provider.lies = {"sub": f"eve-{number}", "email": address, "email_verified": verified}
        api.provider.userinfo = {**api.provider.person, "sub": f"eve-{number}"}
        answers.append(sign_on(api)["user"])
    assert boss not in {answer["id"] for answer in answers}
    assert [(answer["email"], answer["roles"]) for answer in answers] == [("", ["viewer"])] * 2


def test_a_verified_address_is_linked_only_where_the_settings_say_so(make_api):
    api = make_api()
    boss = api.people.user("boss", "superadmin")
    api.provider.lies = {"email": "boss@example.org", "email_verified": True}
    answer = sign_on(api)["user"]
    assert answer["id"] != boss
    assert (answer["email"], answer["roles"]) == ("", ["viewer"])


def test_a_linked_account_keeps_its_roles_and_name(make_api):
    api = make_api(oidc_allow_email_linking="true")
    boss = api.people.user("boss", "superadmin")
    api.provider.lies = {"email": "boss@example.org", "email_verified": True}
    answer = sign_on(api)["user"]
    assert (answer["id"], answer["username"], answer["roles"]) == (boss, "boss", ["superadmin"])
    assert [entry.target_id for entry in audit(api, "user.linked")] == [str(boss)]
    api.provider.lies = {}
    assert sign_on(api)["user"]["id"] == boss


def test_an_address_that_users_gave_themselves_links_nobody_to_them(make_api):
    api = make_api(oidc_allow_email_linking="true")
    squatter = api.people.user("squatter", "viewer")
    with writing(api.runtime.sessions) as session:
        user = session.get(User, squatter)
        apply_profile(session, user, ProfileChangeFields(email="ada@example.org"), by_user=True)
    api.provider.lies = {"email": "ada@example.org", "email_verified": True}
    assert sign_on(api)["user"]["id"] != squatter
    with writing(api.runtime.sessions) as session:
        assert session.get(User, squatter).email_key is None
    # Whom the provider says it is has it now; where nobody had, an administrator's word would count.
    with writing(api.runtime.sessions) as session:
        session.execute(sa.text("DELETE FROM external_identities"))
        session.execute(sa.text("UPDATE users SET email_key = NULL"))
        apply_profile(session, session.get(User, squatter), ProfileChangeFields(email="ada@example.org"))
    assert sign_on(api)["user"]["id"] == squatter


def test_a_provider_confirms_the_address_that_the_owner_of_a_linked_account_gave(make_api):
    api = make_api(oidc_allow_email_linking="true")
    boss = api.people.user("boss", "viewer")
    api.provider.lies = {"email": "boss@example.org", "email_verified": True}
    answer = sign_on(api)
    given = api.patch_json("/api/v1/auth/profile", {"email": "new@example.org"}, headers=bearer(answer)).json
    assert (given["id"], given["email"], given["email_confirmed"]) == (boss, "new@example.org", False)
    for claims in ({"email": "new@example.org"}, {"email": "other@example.org", "email_verified": True}):
        api.provider.lies = claims
        assert api.get("/api/v1/auth/profile", headers=bearer(sign_on(api))).json["email_confirmed"] is False
    api.provider.lies = {"email": "New@example.org", "email_verified": True}
    assert api.get("/api/v1/auth/profile", headers=bearer(sign_on(api))).json["email_confirmed"] is True


def test_an_address_and_its_proof_come_from_one_document(make_api):
    api = make_api(oidc_allow_email_linking="true")
    boss = api.people.user("boss", "superadmin")
    theirs, mine = {"email": "boss@example.org"}, {"email": "eve@example.org"}
    yes, no = {"email_verified": True}, {"email_verified": False}
    for id_token, userinfo in (
        (theirs, mine | yes),
        (theirs, yes),
        (theirs | no, theirs | yes),
        (yes, theirs),
        (yes, theirs | no),
    ):
        with writing(api.runtime.sessions) as session:
            session.execute(sa.text("DELETE FROM external_identities"))
        api.provider.lies, api.provider.userinfo = id_token, api.provider.person | userinfo
        assert sign_on(api)["user"]["id"] != boss, (id_token, userinfo)
    for id_token, userinfo in (({}, theirs | yes), (theirs, theirs | yes), ({"email": "BOSS@example.org"} | yes, mine)):
        with writing(api.runtime.sessions) as session:
            session.execute(sa.text("DELETE FROM external_identities"))
        api.provider.lies, api.provider.userinfo = id_token, api.provider.person | userinfo
        assert sign_on(api)["user"]["id"] == boss, (id_token, userinfo)


@pytest.mark.deep("costs over a processor second")
def test_an_address_that_only_looks_like_an_accounts_is_another_one(make_api):
    api = make_api(oidc_allow_email_linking="true")
    accounts = {api.people.user("boss", "superadmin"), api.people.user("kim", "superadmin")}
    for address in (
        "\uff42oss@example.org",
        "boss\uff20example.org",
        "boss@example\u3002org",
        "bo\u017fs@example.org",
        "boss@example.org\u00a0",
        "boss@example.org\u200b",
        " boss@example.org",
        "\u212aim@example.org",
    ):
        for verified in (True, False):
            api.provider.person["sub"] = ascii(address) + str(verified)
            api.provider.lies = {"email": address, "email_verified": verified}
            user = sign_on(api)["user"]
            # Neither somebody's account, nor the address that it looks like.
            assert (user["id"] in accounts, user["email"]) == (False, ""), ascii(address)


def test_a_deactivated_account_is_not_linked_into(make_api):
    api = make_api(oidc_allow_email_linking="true")
    api.people.user("off", active=False)
    api.provider.lies = {"email": "off@example.org", "email_verified": True}
    assert sign_on(api, 401)["code"] == "account_disabled"


def test_roles_follow_the_groups_at_every_login_and_what_was_given_by_hand_stays(api):
    add_mapping(api, "operator", "tower")
    add_mapping(api, "analyst", "research")
    api.provider.lies = {"groups": ["tower", "research"]}
    answer = sign_on(api)
    assert answer["user"]["roles"] == ["analyst", "operator"]
    with writing(api.runtime.sessions) as session:
        role_id = session.execute(sa.text("SELECT id FROM roles WHERE name = 'admin'")).scalar()
        session.add(UserRole(user_id=answer["user"]["id"], role_id=role_id, source="manual"))
    api.provider.lies = {"groups": ["tower"]}
    assert sign_on(api)["user"]["roles"] == ["admin", "operator"]
    # The tokens of the login before lose the role too.
    mine = api.get("/api/v1/auth/my-permissions", headers=bearer(answer)).json
    assert mine["roles"] == ["admin", "operator"]
    api.provider.lies = {"groups": []}
    assert sign_on(api)["user"]["roles"] == ["admin"]


def test_the_default_role_is_for_whom_no_mapping_matches(api):
    add_mapping(api, "operator", "tower")
    assert sign_on(api)["user"]["roles"] == ["viewer"]
    api.provider.lies = {"groups": ["tower"]}
    assert sign_on(api)["user"]["roles"] == ["operator"]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"oidc_default_role": "veiwer"}, "setting oidc_default_role: there is no role veiwer"),
        (
            {
                "oidc__work__provider_url": "https://work.example",
                "oidc__work__client_id": "skywatch",
                "oidc__work__default_role": "staff",
            },
            "setting oidc.work.default_role: there is no role staff",
        ),
    ],
)
def test_a_default_role_that_does_not_exist_stops_the_start(make_api, settings, named):
    with pytest.raises(SettingsError, match=f"^{named}$"):
        check_default_roles(make_api(**settings).runtime)


def test_nobody_needs_a_default_role(make_api):
    api = make_api(oidc_default_role="")
    check_default_roles(api.runtime)
    answer = sign_on(api)
    assert answer["user"]["roles"] == []
    # The manual warns of it: whoever is known reads what is open to everybody who is.
    api.get("/api/v1/aircraft", headers=bearer(answer))
    root = api.people.bearer(api.people.user("root", "superadmin"))
    api.patch_json("/api/v1/feature-access/aircraft", {"read_access": "permission"}, headers=root)
    api.get("/api/v1/aircraft", headers=bearer(answer), status=403)


def test_a_mapping_that_is_off_or_of_another_provider_gives_nothing(make_api):
    api = make_api(oidc__elsewhere__provider_url="https://elsewhere.example", oidc__elsewhere__client_id="x")
    add_mapping(api, "admin", "tower", is_active=False)
    add_mapping(api, "operator", "tower", provider="elsewhere")
    api.provider.lies = {"groups": ["tower"]}
    assert sign_on(api)["user"]["roles"] == ["viewer"]


def test_the_provider_cannot_take_the_last_superadmin_away(make_api):
    api = make_api()
    root = api.people.bearer(api.people.user("root", "superadmin"))
    add_mapping(api, "superadmin", "chiefs", who=root)
    api.provider.lies = {"groups": ["chiefs"]}
    assert sign_on(api)["user"]["roles"] == ["superadmin"]
    with writing(api.runtime.sessions) as session:
        session.execute(sa.update(User).where(User.username == "root").values(is_active=False))
    api.provider.lies = {}
    assert "superadmin" in sign_on(api)["user"]["roles"]


def test_both_databases_hold_a_sign_on_from_its_begin_to_its_logout(make_api, database_url):
    api = make_api(database_url=database_url)
    add_mapping(api, "operator", "tower")
    api.people.user("ada")
    api.provider.lies = {"groups": ["tower"], "email": "lovelace@example.org", "email_verified": True}
    first = api.provider.log_in(begin(api)["authorization_url"])
    answer = finish(api, first).json
    assert (answer["user"]["username"], answer["user"]["roles"]) == ("ada-2", ["operator"])
    assert finish(api, first, 401).json["code"] == "sso_state_unknown"
    api.provider.lies = {}
    assert sign_on(api)["user"]["roles"] == ["viewer"]
    assert back_channel(api, api.provider.logout_token())["detail"] == "Ended 2 logins."
    api.get("/api/v1/auth/profile", headers=bearer(answer), status=401)
