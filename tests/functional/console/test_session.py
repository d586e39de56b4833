"""The console's session: how it begins, what it counts for, and how it ends."""

import threading
import time
from datetime import timedelta

import pytest
import sqlalchemy as sa
from webob.cookies import SignedSerializer

from skywatch.accounts.changes import begin_change
from skywatch.accounts.identity import cache
from skywatch.accounts.models import Login, User, UserRole
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from tests.accounts import PASSWORD
from tests.conftest import TEST_SECRET
from tests.functional.console.visitor import ORIGIN, populate
from tests.waiting import go_on, until

PROFILE = "/api/v1/auth/profile"


def audit(runtime, action):
    with runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action)).all()


def set_cookie_of(response, name="skywatch_console"):
    return [header for header in response.headers.getall("Set-Cookie") if header.startswith(f"{name}=")]


def test_sign_in_leads_to_the_page_that_was_asked_for(visitor):
    asked = visitor.get("/users?search=ada", status=303)
    assert asked.location == "http://localhost/console/sign-in?next=/console/users%3Fsearch%3Dada"
    page = asked.follow()
    done = visitor.send(page, 0, username="admin", password=PASSWORD)
    assert done.location == "http://localhost/console/users?search=ada"
    assert "admin" in done.follow().html.find("header").text
    (entry,) = audit(visitor.runtime, "login.succeeded")
    assert (entry.actor_name, entry.method, entry.address) == ("admin", "console", "127.0.0.1")


def test_the_cookie_is_http_only_lax_and_limited_to_the_console(visitor):
    (header,) = set_cookie_of(visitor.sign_in("admin"))
    parts = {part.strip().lower() for part in header.split(";")[1:]}
    assert parts == {"path=/console", "httponly", "samesite=lax"}


def test_in_production_every_cookie_travels_over_tls_alone_and_the_page_says_so(make_visitor):
    visitor = make_visitor(environment="production", auth_mode="hybrid")
    page = visitor.get("/sign-in", extra_environ={"HTTP_HOST": "radar.example:80", "REMOTE_ADDR": "192.168.1.9"})
    assert "without TLS" in page.text
    assert all("secure" in header.lower() for header in page.headers.getall("Set-Cookie"))
    local = visitor.get("/sign-in")
    assert "without TLS" not in local.text


@pytest.mark.parametrize("name", ["viewer", "operator", "analyst"])
def test_who_administers_nothing_is_told_so(visitor, name):
    refused = visitor.sign_in(name, status=403)
    assert "holds no administrative permission" in refused.html.find(role="alert").text
    assert visitor.cookie is None
    (entry,) = audit(visitor.runtime, "login.failed")
    assert (entry.target_name, entry.after) == (name, {"reason": "nothing_to_administer"})
    with visitor.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count(Login.id))) == 0


def test_one_administrative_permission_is_enough(visitor):
    visitor.people.role("clerk", ["roles.view"])
    visitor.people.user("clerk", "clerk")
    visitor.sign_in("clerk")
    assert [a.text for a in visitor.get("").html.nav("a")] == ["Overview", "People"]


def test_wrong_name_and_wrong_password_are_the_same_page_and_what_was_typed_stays(visitor):
    pages = [visitor.sign_in(name, "wrong", status=401) for name in ("admin", "nobody")]
    assert [page.forms[0]["username"].value for page in pages] == ["admin", "nobody"]
    texts = [page.html.find(role="alert").text for page in pages]
    assert texts[0] == texts[1] == "\nWrong username or password.\n"
    assert all(page.forms[0]["password"].value == "" for page in pages)
    assert {entry.after["reason"] for entry in audit(visitor.runtime, "login.failed")} == {"invalid_credentials"}


def test_a_deactivated_account_is_told_so_only_with_its_password(visitor):
    visitor.people.user("off", "admin", active=False)
    assert "deactivated" in visitor.sign_in("off", status=401).html.find(role="alert").text
    assert "deactivated" not in visitor.sign_in("off", "wrong", status=401).html.find(role="alert").text


def test_the_limits_are_those_of_the_api_and_counted_together(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", default_throttle_rates__login="3/minute")
    page = visitor.get("/sign-in")
    for _ in range(2):
        visitor.send(page, 0, username="x", password="x", status=401)
    body = {"username": "x", "password": "x"}
    visitor.client.post_json("/api/v1/auth/login", body, status=401)
    stopped = visitor.send(page, 0, username="x", password="x", status=429)
    assert stopped.content_type == "text/html"
    assert int(stopped.headers["Retry-After"]) > 0
    # The form itself can still be opened.
    visitor.get("/sign-in")


def test_guesses_at_one_account_are_counted_with_those_at_the_api(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", password_guesses__place="2/minute")
    visitor.sign_in("admin", "wrong", status=401)
    visitor.client.post_json("/api/v1/auth/login", {"username": "admin", "password": "wrong"}, status=401)
    assert "Too many wrong passwords" in visitor.sign_in("admin", status=429).html.find(role="alert").text


def test_local_login_switched_off_leaves_nothing_to_fill_in(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", local_auth_enabled="false")
    page = visitor.get("/sign-in")
    assert page.html.find("main").find("form") is None
    assert "switched off" in page.text


def test_every_login_has_a_number_of_its_own_whatever_the_browser_sent(visitor):
    visitor.sign_in("admin")
    first = visitor.cookie
    visitor.sign_in("admin")
    assert visitor.cookie != first
    with visitor.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count(Login.id))) == 2


def test_a_session_is_no_credential_of_the_api(root):
    cookie = {"Cookie": f"skywatch_console={root.cookie}; skywatch_access={root.cookie}"}
    for path in (PROFILE, "/api/v1/users", "/api/v1/system/audit", "/data/aircraft.json"):
        refused = root.client.get(path, headers=cookie, status=401)
        assert refused.json["code"] == "authentication_required"
    root.client.get(PROFILE, headers={"Authorization": f"Bearer {root.cookie}"}, status=401)
    root.client.get(PROFILE, headers={"X-API-Key": root.cookie}, status=401)


def test_a_session_is_no_access_cookie_either(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", jwt_auth_cookie="true")
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    cookie = {"Cookie": f"skywatch_console={visitor.cookie}; skywatch_access={visitor.cookie}"}
    assert visitor.client.get(PROFILE, headers=cookie, status=401).json["code"] == "token_invalid"


def test_credentials_of_the_api_count_for_nothing_in_the_console(visitor):
    boss = visitor.people.numbers["superadmin"]
    token, key = visitor.people.token(boss), visitor.people.key(boss, "system")
    for headers in (
        {"Authorization": f"Bearer {token}"},
        {"X-API-Key": key},
        {"Authorization": f"ApiKey {key}"},
        {"Cookie": f"skywatch_access={token}"},
        {"Cookie": f"skywatch_console={token}"},
        {"Cookie": f"skywatch_console={key}"},
    ):
        assert "/console/sign-in" in visitor.get("/users", headers=headers, status=303).location
    # And a proxy's own credentials in the header do not shut anybody out.
    visitor.sign_in("superadmin")
    visitor.get("/users", headers={"Authorization": "Basic YTpi"})


@pytest.mark.parametrize("mode", ["public", "private", "hybrid"])
def test_no_mode_opens_the_console_to_nobody_in_particular(make_visitor, mode):
    visitor = make_visitor(auth_mode=mode)
    for path in ("", "/users", "/users/1", "/roles", "/access", "/audit"):
        assert "/console/sign-in" in visitor.get(path, status=303).location


def forged(visitor, salt="skywatch console session", secret=TEST_SECRET, **changes):
    with visitor.runtime.sessions() as session:
        login = session.scalars(sa.select(Login)).first()
    now = time.time()
    said = {"user_id": login.user_id, "login_id": login.id, "ends_at": now + 60, "seen_at": now, **changes}
    return SignedSerializer(secret, salt).dumps(list(said.values())).decode()


def test_a_cookie_that_we_did_not_sign_or_whose_time_is_over_leads_to_sign_in(root):
    now = time.time()
    assert root.get("", headers={"Cookie": f"skywatch_console={forged(root)}"}).status_int == 200
    stranger = root.people.numbers["admin"]
    for cookie in (
        "nonsense",
        root.cookie[:-2] + "xx",
        forged(root, secret="another secret that is quite as long as this"),
        forged(root, salt="skywatch console note"),
        forged(root, ends_at=now - 1),
        forged(root, seen_at=now - 30 * 60 - 1),
        forged(root, login_id="0" * 32),
        forged(root, user_id=stranger),
        forged(root, user_id="1"),
        forged(root, ends_at=None),
        forged(root, more=1),
    ):
        refused = root.get("", headers={"Cookie": f"skywatch_console={cookie}"}, status=303)
        assert "/console/sign-in" in refused.location
        assert "Max-Age=0" in set_cookie_of(refused)[0]


def test_a_visitor_who_stays_is_seen_and_one_who_does_not_is_signed_out(root):
    fresh = root.get("", headers={"Cookie": f"skywatch_console={forged(root)}"})
    assert set_cookie_of(fresh) == []
    old = forged(root, seen_at=time.time() - 61)
    renewed = root.get("", headers={"Cookie": f"skywatch_console={old}"})
    (header,) = set_cookie_of(renewed)
    assert header.split(";")[0] != f"skywatch_console={old}"
    # Signing out is not undone by it.
    out = root.post(
        "/sign-out", {"csrf_token": root.token}, headers={**ORIGIN, "Cookie": f"skywatch_console={old}"}, status=303
    )
    assert ["Max-Age=0" in header for header in set_cookie_of(out)] == [True]


def test_sign_out_ends_the_session_everywhere_it_was_copied_to(root):
    copied = {"Cookie": f"skywatch_console={root.cookie}"}
    root.get("", headers=copied)
    out = root.send(root.get("/users"), 0)
    assert "You are signed out" in out.follow().text
    assert root.cookie is None
    assert "/console/sign-in" in root.get("", headers=copied, status=303).location
    assert len(audit(root.runtime, "login.ended")) == 1


def ended_by_api(visitor, path, body, method="PATCH"):
    other = visitor.people.bearer(visitor.people.numbers["superadmin"])
    url = f"/api/v1/{path}"
    if method == "DELETE":
        visitor.client.delete(url, headers=other)
    else:
        visitor.client.patch_json(url, body, headers=other)


@pytest.mark.parametrize("how", ["password", "deactivated", "deleted", "roles", "logins"])
def test_what_ends_logins_ends_sessions_at_once(visitor, how):
    admin = visitor.people.numbers["admin"]
    visitor.sign_in("admin")
    visitor.get("/users")
    path = f"users/{admin}"
    if how == "password":
        ended_by_api(visitor, path, {"password": "nine green bottles falling"})
    elif how == "deactivated":
        ended_by_api(visitor, path, {"is_active": False})
    elif how == "deleted":
        ended_by_api(visitor, path, None, "DELETE")
    elif how == "roles":
        ended_by_api(visitor, path, {"roles": ["viewer"]})
    else:
        visitor.get("/users")
        page = visitor.get(f"/users/{admin}")
        visitor.send(page, {"change": "end_logins"})
    if how == "roles":
        refused = visitor.get("/users", status=403)
        assert "holds no administrative permission" in refused.text
        # And the way out is still open.
        visitor.send(refused, 0)
    else:
        assert "/console/sign-in" in visitor.get("/users", status=303).location


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_another_process_hears_of_it(make_visitor, request, database):
    url = request.getfixturevalue(f"{database}_url")
    visitor = make_visitor(auth_mode="hybrid", database_url=url)
    people = populate(visitor.runtime, "admin")
    visitor.sign_in("admin")
    visitor.get("")
    elsewhere = make_visitor(auth_mode="hybrid", database_url=url)
    with writing(elsewhere.runtime.sessions) as session:
        begin_change(session)
        ended = sa.update(Login).where(Login.user_id == people.numbers["admin"])
        session.execute(ended.values(ended_at=sa.func.current_timestamp(), ended_reason="test"))
    assert until(lambda: visitor.get("", status="*").status_int != 200)


def test_who_the_visitor_is_costs_no_query_while_nothing_changes(root, monkeypatch):
    # What is remembered is believed for as long as this takes.
    monkeypatch.setattr(cache, "BELIEVED_S", 3600.0)
    mine, queries = threading.get_ident(), []
    count = lambda *args: queries.append(args[2]) if threading.get_ident() == mine else None  # noqa: E731
    sa.event.listen(root.runtime.engine, "before_cursor_execute", count)

    def visits(times):
        # A page of nothing: all that is asked is who visits.
        queries.clear()
        for _ in range(times):
            root.get("/nothing", status=404)
        return queries

    until(lambda: visits(1) == [], "the watcher's first look")
    assert visits(5) == []


def test_a_role_that_ends_by_itself_ends_what_it_let_see(visitor, monkeypatch):
    clerk = visitor.people.user("clerk", "admin", expires_at=utcnow() + timedelta(minutes=20))
    visitor.sign_in("clerk")
    visitor.get("/users")
    with visitor.runtime.sessions() as session:
        assert session.scalar(sa.select(UserRole.expires_at).where(UserRole.user_id == clerk)) is not None
        assert session.get(User, clerk).is_active
    go_on(monkeypatch, 20 * 60)
    visitor.get("/users", status=403)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/sign-out", "POST"),
        ("PUT", "/users", "GET, HEAD"),
        ("DELETE", "/sign-in", "GET, HEAD, POST"),
        ("POST", "/style.css", "GET, HEAD"),
    ],
)
def test_another_method_is_answered_by_a_page_that_names_those_there_are(visitor, method, path, allowed):
    answer = visitor.client.request(f"/console{path}", method=method, headers=ORIGIN, status=405)
    assert answer.headers["Allow"] == allowed
    assert answer.content_type == "text/html"
    visitor.client.request("/console/nothing", method=method, headers=ORIGIN, status=404)
