"""Refresh and logout through the API."""

import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import Login, UsedRefreshToken
from skywatch.core.database.engine import writing
from tests.accounts import Population
from tests.functional.accounts.asking import bearer, code, entries, login


def test_a_refresh_gives_a_new_pair_and_the_old_one_is_used_up(api):
    api.people.user("ada")
    first = login(api).json
    second = api.post_json("/api/v1/auth/refresh", {"refresh": first["refresh"]}).json
    assert set(second) == {"access", "refresh"}
    assert second["refresh"] != first["refresh"]
    third = api.post_json("/api/v1/auth/refresh", {"refresh": second["refresh"]}).json
    api.get("/api/v1/auth/profile", headers=bearer(third["access"]))


REFRESH = "/api/v1/auth/refresh"


def refresh(api, tokens, status=200):
    return api.post_json(REFRESH, {"refresh": tokens["refresh"]}, status=status)


def age_uses(api, by):
    """Let refresh tokens have been used so much earlier."""
    with writing(api.runtime.sessions) as session:
        for used in session.scalars(sa.select(UsedRefreshToken)):
            used.used_at -= by


def test_a_second_use_within_half_a_minute_is_refused_and_nothing_more(api):
    api.people.user("ada")
    first = login(api).json
    second = refresh(api, first).json
    third = refresh(api, second).json
    age_uses(api, timedelta(seconds=25))
    for used in (first, second, first):
        assert code(refresh(api, used, 401)) == "token_revoked"
    for token in (first["access"], third["access"]):
        api.get("/api/v1/auth/profile", headers=bearer(token))
    refresh(api, third)
    assert entries(api, "token.reused") == []


@pytest.mark.parametrize("rotations", [1, 3])
def test_a_later_second_use_ends_the_whole_login(api, rotations):
    api.people.user("ada")
    other = login(api).json
    first = last = login(api).json
    for _ in range(rotations):
        last = refresh(api, last).json
        age_uses(api, timedelta(seconds=31))
    assert code(refresh(api, first, 401)) == "token_revoked"
    assert code(refresh(api, last, 401)) == "token_revoked"
    for token in (first["access"], last["access"]):
        assert code(api.get("/api/v1/auth/profile", headers=bearer(token), status=401)) == "token_revoked"
    api.get("/api/v1/auth/profile", headers=bearer(other["access"]))
    assert len(entries(api, "token.reused")) == 1


def test_uses_are_forgotten_with_the_next_exchange(api):
    api.people.user("ada")
    second = refresh(api, login(api).json).json
    age_uses(api, timedelta(seconds=31))
    refresh(api, second)
    with api.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(UsedRefreshToken)) == 1


def test_an_expired_header_does_not_stop_a_refresh(api):
    api.people.user("ada")
    tokens = login(api).json
    headers = bearer("expired.or.broken")
    api.post_json("/api/v1/auth/refresh", {"refresh": tokens["refresh"]}, headers=headers)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_of_ten_refreshes_at_once_exactly_one_wins(make_client, request, database):
    api = make_client(auth_mode="hybrid", database_url=request.getfixturevalue(f"{database}_url"))
    people = Population(api.runtime)
    ada = people.user("ada")
    row = people.login(ada)
    token = people.codec.refresh_token(ada, row.id, row.refresh_id, row.expires_at.timestamp())
    start, statuses = threading.Barrier(10), []

    def use():
        start.wait()
        statuses.append(api.post_json("/api/v1/auth/refresh", {"refresh": token}, expect_errors=True).status_code)

    threads = [threading.Thread(target=use) for _ in range(10)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(statuses) == [200] + [401] * 9
    with api.runtime.sessions() as session:
        assert session.get(Login, row.id).ended_at is None


@pytest.mark.parametrize("body", [{}, {"refresh": "x"}, {"refresh": ""}, {"refresh": 7}, {"token": "x"}])
def test_a_bad_refresh_is_refused(api, body):
    assert api.post_json("/api/v1/auth/refresh", body, status="4*").status_code in (400, 401)


def test_logout_stops_both_tokens(api):
    api.people.user("ada")
    tokens, other = login(api).json, login(api).json
    done = api.post_json("/api/v1/auth/logout", {"refresh": tokens["refresh"]}, headers=bearer(tokens["access"]))
    assert done.json["detail"]
    assert code(api.get("/api/v1/auth/profile", headers=bearer(tokens["access"]), status=401)) == "token_revoked"
    assert code(api.post_json("/api/v1/auth/refresh", {"refresh": tokens["refresh"]}, status=401)) == "token_revoked"
    api.get("/api/v1/auth/profile", headers=bearer(other["access"]))


def test_logout_needs_an_identity_and_ends_nobody_elses_login(api):
    api.people.user("ada"), api.people.user("eve")
    ada, eve = login(api).json, login(api, "eve").json
    assert code(api.post_json("/api/v1/auth/logout", {}, status=401)) == "authentication_required"
    api.post_json("/api/v1/auth/logout", {"refresh": ada["refresh"]}, headers=bearer(eve["access"]), status=200)
    api.get("/api/v1/auth/profile", headers=bearer(ada["access"]))
    api.post_json("/api/v1/auth/refresh", {"refresh": ada["refresh"]})
    api.get("/api/v1/auth/profile", headers=bearer(eve["access"]), status=401)


@pytest.mark.parametrize("refresh", [None, "", "no token", "a.b.c", "sk_" + "x" * 48])
def test_a_logout_ends_the_proven_login_whatever_its_refresh_token_is(api, refresh):
    api.people.user("ada")
    tokens = login(api).json
    api.post_json("/api/v1/auth/logout", {"refresh": refresh}, headers=bearer(tokens["access"]), status=200)
    assert code(api.get("/api/v1/auth/profile", headers=bearer(tokens["access"]), status=401)) == "token_revoked"
    assert code(api.post_json(REFRESH, {"refresh": tokens["refresh"]}, status=401)) == "token_revoked"


@pytest.mark.parametrize("body", [{}, {"refresh": None}, {"refresh": ""}])
def test_an_empty_refresh_token_is_one_that_was_left_out(make_client, body):
    api = make_client(auth_mode="hybrid", jwt_auth_cookie="true")
    Population(api.runtime).user("ada")
    tokens = login(api).json
    api.reset()  # The cookies go by hand: the refresh cookie has a path.
    headers = {"Cookie": f"skywatch_refresh={tokens['refresh']}"}
    fresh = api.post_json(REFRESH, body, headers=headers).json
    assert fresh["refresh"] != tokens["refresh"]
    api.reset()
    missing = api.post_json(REFRESH, body, status=400).json
    assert [(error["name"], error["detail"]) for error in missing["errors"]] == [("refresh", "is required")]
    headers = {"Cookie": f"skywatch_access={fresh['access']}; skywatch_refresh={fresh['refresh']}"}
    api.post_json("/api/v1/auth/logout", body, headers=headers)
    api.reset()
    assert code(api.post_json(REFRESH, {"refresh": fresh["refresh"]}, status=401)) == "token_revoked"
