"""Nobody hands out what they lack, and the last superadmin stays."""

import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import User
from skywatch.core.clock import to_iso, utcnow
from tests.accounts import Population
from tests.functional.accounts.asking import V1, code, entries, role_id


def test_an_administrator_cannot_touch_who_holds_more(api, root, admin):
    for body in ({"display_name": "x"}, {"is_active": False}, {"password": "nine green bottles"}, {"roles": []}):
        assert code(api.patch_json(f"{V1}/users/{root.id}", body, headers=admin, status=403)) == "permission_denied"


def test_an_administrator_cannot_hand_out_superadmin_by_any_path(api, root, admin):
    ada = api.people.user("ada")
    superadmin = role_id(api, "superadmin")
    refusals = [
        api.patch_json(f"{V1}/users/{ada}", {"roles": ["superadmin"]}, headers=admin, status=403),
        api.post_json(f"{V1}/user-roles", {"user": ada, "role": superadmin}, headers=admin, status=403),
    ]
    assert {code(refusal) for refusal in refusals} == {"permission_denied"}
    refused = [entry for entry in entries(api) if entry.action.endswith(".refused")]
    assert [entry.actor_name for entry in refused] == ["boss", "boss"]


def test_a_role_maker_cannot_make_or_change_a_role_beyond_themselves(api, root):
    api.people.role("maker", ["roles.create", "roles.edit", "roles.delete", "roles.view", "aircraft.view"])
    maker = api.people.bearer(api.people.user("maker", "maker"))
    more = {"name": "more", "permissions": ["users.delete"]}
    api.post_json(f"{V1}/roles", more, headers=maker, status=403)
    mine = api.post_json(f"{V1}/roles", {"name": "mine", "permissions": ["aircraft.view"]}, headers=maker, status=201)
    path = f"{V1}/roles/{mine.json['id']}"
    api.patch_json(path, {"permissions": ["aircraft.view", "users.delete"]}, headers=maker, status=403)
    admin_role = f"{V1}/roles/{role_id(api, 'admin')}"
    api.patch_json(admin_role, {"description": "mine now"}, headers=maker, status=403)
    api.delete(path, headers=maker, status=204)


def test_a_user_maker_creates_nobody_with_more(api):
    api.people.role("clerk", ["users.create", "users.view", "aircraft.view"])
    clerk = api.people.bearer(api.people.user("clerk", "clerk"))
    body = {"username": "ada", "email": "ada@example.org", "roles": ["viewer"]}
    api.post_json(f"{V1}/users", body, headers=clerk, status=403)
    api.post_json(f"{V1}/users", {**body, "roles": []}, headers=clerk, status=201)


def test_rights_that_have_just_gone_count_for_nothing(api, root):
    boss = api.people.user("boss", "admin")
    token, ada = api.people.bearer(boss), api.people.user("ada")
    api.get(f"{V1}/users", headers=token)
    api.patch_json(f"{V1}/users/{boss}", {"roles": ["viewer"]}, headers=root)
    api.get(f"{V1}/users", headers=token, status=403)
    api.patch_json(f"{V1}/users/{ada}", {"display_name": "x"}, headers=token, status=403)


def test_the_last_superadmin_stays_by_every_path(api, root):
    with api.runtime.sessions() as session:
        assignment = session.scalars(sa.text("SELECT id FROM user_roles")).one()
    later = to_iso(utcnow() + timedelta(days=1))
    refusals = [
        api.delete(f"{V1}/users/{root.id}", headers=root, status=409),
        api.patch_json(f"{V1}/users/{root.id}", {"is_active": False}, headers=root, status=409),
        api.patch_json(f"{V1}/users/{root.id}", {"roles": ["admin"]}, headers=root, status=409),
        api.delete(f"{V1}/user-roles/{assignment}", headers=root, status=409),
        api.patch_json(f"{V1}/user-roles/{assignment}", {"expires_at": later}, headers=root, status=409),
        api.delete(f"{V1}/roles/{role_id(api, 'superadmin')}?force=true", headers=root, status=409),
        api.patch_json(f"{V1}/roles/{role_id(api, 'superadmin')}", {"permissions": []}, headers=root, status=409),
        api.patch_json(f"{V1}/roles/{role_id(api, 'superadmin')}", {"name": "king"}, headers=root, status=409),
    ]
    assert {code(refusal) for refusal in refusals} == {"conflict"}
    assert "superadmin" in api.get(f"{V1}/auth/my-permissions", headers=root).json["roles"]
    api.people.user("second", "superadmin")
    api.delete(f"{V1}/users/{root.id}", headers=root, status=204)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_two_superadmins_cannot_remove_each_other_at_once(make_client, request, database):
    api = make_client(auth_mode="hybrid", database_url=request.getfixturevalue(f"{database}_url"))
    people = Population(api.runtime)
    ids = [people.user("one", "superadmin"), people.user("two", "superadmin")]
    tokens = [people.bearer(number) for number in ids]
    start, statuses = threading.Barrier(2), []

    def remove(mine, other):
        start.wait()
        statuses.append(api.delete(f"{V1}/users/{other}", headers=tokens[mine], expect_errors=True).status_code)

    threads = [threading.Thread(target=remove, args=(0, ids[1])), threading.Thread(target=remove, args=(1, ids[0]))]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(statuses)[0] == 204
    assert sorted(statuses)[1] in (401, 409)
    with api.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count(User.id))) == 1
