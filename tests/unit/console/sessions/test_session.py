"""What a cookie says, and to whom."""

from types import SimpleNamespace

import pytest
from pyramid.response import Response

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.console.sessions.session import COOKIE, Sessions
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem
from tests.accounts import Population
from tests.waiting import until


@pytest.fixture
def people(runtime):
    return Population(runtime)


@pytest.fixture
def sessions(runtime):
    return Sessions(runtime)


def cookie_of(response):
    return response.headers["Set-Cookie"].partition(";")[0].removeprefix(f"{COOKIE}=")


def asking(cookie):
    runtime = SimpleNamespace(settings=SimpleNamespace(environment="development"))
    cookies = {COOKIE: cookie} if cookie is not None else {}
    return SimpleNamespace(cookies=cookies, headers={}, path_prefix="", runtime=runtime)


def begun(sessions, people, name="ada", role="admin"):
    user = people.user(name, role)
    login, response = people.login(user), Response()
    sessions.begin(asking(None), response, user, login.id, login.expires_at)
    return user, login, cookie_of(response)


def test_no_cookie_is_nobody_and_its_own_cookie_is_its_owner(sessions, people):
    assert sessions.identify(asking(None)) is None
    assert sessions.identify(asking("")) is None
    user, login, cookie = begun(sessions, people)
    identity = sessions.identify(asking(cookie))
    assert (identity.user_id, identity.login_id, identity.method) == (user, login.id, "console")
    assert identity.scopes is None


def test_a_steady_visitor_is_the_same_value_each_time(sessions, people):
    _, _, cookie = begun(sessions, people)
    identify = lambda: sessions.identify(asking(cookie))  # noqa: E731
    # Once the memory has seen that nothing has changed.
    assert until(lambda: identify() is identify())


def test_who_administers_nothing_is_refused(sessions, people):
    _, _, cookie = begun(sessions, people, role="analyst")
    with pytest.raises(Problem) as refused:
        sessions.identify(asking(cookie))
    assert refused.value.kind.status == 403


def test_the_absolute_end_holds_whenever_its_owner_was_last_seen(sessions, people):
    user, response = people.user("ada", "admin"), Response()
    sessions.begin(asking(None), response, user, people.login(user).id, utcnow())
    with pytest.raises(Problem) as refused:
        sessions.read(asking(cookie_of(response)))
    assert refused.value.kind.code == "token_expired"


def test_another_installation_has_other_keys(sessions, people, make_runtime):
    other = make_runtime(secret="quite another secret of enough length")
    _, _, cookie = begun(sessions, people)
    with pytest.raises(Problem) as refused:
        Sessions(other).read(asking(cookie))
    assert refused.value.kind.code == "token_invalid"


def test_for_the_channel_and_the_api_a_cookie_is_no_token_and_a_token_no_cookie(runtime, sessions, people):
    user, _, cookie = begun(sessions, people)
    with pytest.raises(Problem):
        Authenticator(runtime).identify(cookie)
    with pytest.raises(Problem):
        sessions.read(asking(people.token(user)))
