"""Refresh and logout through the API."""

import threading

import pytest

from skywatch.accounts.models import Login
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


def test_using_a_refresh_token_twice_ends_the_whole_login(api):
    api.people.user("ada")
    other = login(api).json
    first = login(api).json
    second = api.post_json("/api/v1/auth/refresh", {"refresh": first["refresh"]}).json
    assert code(api.post_json("/api/v1/auth/refresh", {"refresh": first["refresh"]}, status=401)) == "token_revoked"
    assert code(api.post_json("/api/v1/auth/refresh", {"refresh": second["refresh"]}, status=401)) == "token_revoked"
    for token in (first["access"], second["access"]):
        assert code(api.get("/api/v1/auth/profile", headers=bearer(token), status=401)) == "token_revoked"
    api.get("/api/v1/auth/profile", headers=bearer(other["access"]))
    assert len(entries(api, "token.reused")) == 1


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
        assert session.get(Login, row.id).ended_reason == "token used twice"


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
    api.post_json("/api/v1/auth/logout", {"refresh": ada["refresh"]}, headers=bearer(eve["access"]), status=400)
    api.get("/api/v1/auth/profile", headers=bearer(ada["access"]))
    api.get("/api/v1/auth/profile", headers=bearer(eve["access"]))
