"""One sign-in: the web application's login in the console, and the console's in the web application."""

import logging
import re
from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.models import HandoverCode, Login, User
from skywatch.accounts.sign_in import handover
from skywatch.console.sessions.session import Sessions
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.core.runtime import runtime_of
from tests.accounts import PASSWORD
from tests.functional.console.visitor import ORIGIN, populate

V1 = "/api/v1"
EXCHANGE = f"{V1}/auth/handover"
COOKIE = "skywatch_handover"


def audited(visitor, action):
    with visitor.runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action)).all()


def log_in(visitor, name="superadmin"):
    body = {"username": name, "password": PASSWORD}
    return visitor.client.post_json(f"{V1}/auth/login", body).json


def bearer(tokens):
    return {"Authorization": f"Bearer {tokens['access']}"}


def enter(visitor, headers, status=204):
    return visitor.client.post("/console/enter", headers=headers, status=status)


def logins(visitor):
    with visitor.runtime.sessions() as session:
        return session.scalars(sa.select(Login)).all()


def change_logins(visitor, **values):
    with writing(visitor.runtime.sessions) as session:
        session.execute(sa.update(Login).values(**values))


def leave(visitor, status=200):
    """Press Map in the head of a page."""
    return visitor.post("/map", {"csrf_token": visitor.token}, status=status)


def code_of(page):
    return page.html.find(id="handover")["data-code"]


def redeem(visitor, code, headers=ORIGIN, status=200):
    return visitor.client.post_json(EXCHANGE, {"code": code}, headers=headers, status=status)


# From the web application to the console


def test_the_console_has_the_language_that_was_chosen_in_the_application(visitor):
    headers = {**bearer(log_in(visitor)), **ORIGIN}
    visitor.client.post("/console/enter?language=de", headers=headers, status=204)
    assert visitor.get("/users").html.h1.text == "Benutzer"
    enter(visitor, headers)
    assert visitor.get("/users").html.html["lang"] == "de"
    visitor.client.post("/console/enter?language=tlh", headers=headers, status=400)


def test_an_access_token_opens_the_console_with_the_same_login(visitor):
    tokens = log_in(visitor)
    answer = enter(visitor, {**bearer(tokens), **ORIGIN})
    assert answer.body == b""
    assert "superadmin" in visitor.get("/users").html.find("header").text
    (login,) = logins(visitor)
    (entry,) = audited(visitor, "console.entered")
    assert (entry.actor_name, entry.target_id) == ("superadmin", login.id)


def test_sign_out_in_the_console_ends_the_application_and_the_other_way_round(visitor):
    tokens = log_in(visitor)
    enter(visitor, {**bearer(tokens), **ORIGIN})
    visitor.send(visitor.get(""), 0)
    visitor.client.get(f"{V1}/auth/profile", headers=bearer(tokens), status=401)
    visitor.client.post_json(f"{V1}/auth/refresh", {"refresh": tokens["refresh"]}, status=401)
    tokens = log_in(visitor)
    enter(visitor, {**bearer(tokens), **ORIGIN})
    visitor.client.post_json(f"{V1}/auth/logout", {"refresh": tokens["refresh"]}, headers=bearer(tokens))
    assert "/console/sign-in" in visitor.get("", status=303).location


@pytest.mark.parametrize("origin", [{}, {"Origin": "https://evil.example"}, {"Origin": "null"}])
def test_another_origin_and_none_are_refused_even_with_the_token(visitor, origin):
    refused = enter(visitor, {**bearer(log_in(visitor)), **origin}, status=403)
    assert (refused.content_type, refused.json["code"]) == ("application/problem+json", "csrf_failed")
    assert visitor.cookie is None


def test_neither_an_api_key_nor_a_cookie_nor_nothing_opens_the_console(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", jwt_auth_cookie="true", default_throttle_rates__login="100/minute")
    visitor.people = populate(visitor.runtime, "superadmin")
    key = visitor.people.key(visitor.people.numbers["superadmin"], "system")
    tokens = log_in(visitor)
    # The browser has the cookies of the login now.
    assert visitor.client.get(f"{V1}/auth/profile").json["username"] == "superadmin"
    for headers, status, code in (
        ({}, 401, "authentication_required"),
        ({"X-API-Key": key}, 403, "scope_denied"),
        ({"Authorization": f"ApiKey {key}"}, 403, "scope_denied"),
        ({"Authorization": f"Bearer {tokens['refresh']}"}, 401, "token_invalid"),
        ({"Authorization": "Bearer x"}, 401, "token_invalid"),
        ({**bearer(tokens), "X-API-Key": key}, 400, "validation_failed"),
    ):
        refused = enter(visitor, {**headers, **ORIGIN}, status=status)
        assert refused.json["code"] == code
        assert visitor.cookie is None
    # What the page does: a renewal, proved by cookie and origin, hands out an access token for the header.
    fresh = visitor.client.post_json(f"{V1}/auth/refresh", {}, headers=ORIGIN).json
    enter(visitor, {**bearer(fresh), **ORIGIN})
    visitor.get("/users")


def test_who_administers_nothing_does_not_get_in(visitor):
    refused = enter(visitor, {**bearer(log_in(visitor, "viewer")), **ORIGIN}, status=403)
    assert "no administrative permission" in refused.json["detail"]
    assert visitor.cookie is None
    (entry,) = audited(visitor, "console.refused")
    assert (entry.actor_name, entry.after) == ("viewer", {"reason": "nothing_to_administer"})


def test_a_session_ends_with_its_hours_and_never_after_its_login(visitor):
    tokens = log_in(visitor)
    sessions = runtime_of(visitor.client.app.registry).shared(Sessions)

    def ends_at():
        enter(visitor, {**bearer(tokens), **ORIGIN})
        return sessions._signer.loads(visitor.cookie.encode()).ends_at

    assert ends_at() == pytest.approx((utcnow() + timedelta(hours=12)).timestamp(), abs=60)
    end = utcnow() + timedelta(minutes=5)
    change_logins(visitor, expires_at=end)
    assert ends_at() == pytest.approx(end.timestamp(), abs=1)
    change_logins(visitor, expires_at=utcnow() - timedelta(seconds=1))
    assert enter(visitor, {**bearer(tokens), **ORIGIN}, status=401).json["code"] == "token_revoked"


def test_a_deactivated_user_does_not_get_in(visitor):
    tokens = log_in(visitor, "admin")
    path = f"{V1}/users/{visitor.people.numbers['admin']}"
    boss = visitor.people.bearer(visitor.people.numbers["superadmin"])
    visitor.client.patch_json(path, {"is_active": False}, headers=boss)
    assert enter(visitor, {**bearer(tokens), **ORIGIN}, status=401).json["code"] == "account_disabled"


def test_entering_is_limited_as_logging_in_is(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", default_throttle_rates__login="3/minute")
    visitor.people = populate(visitor.runtime, "superadmin")
    for _ in range(3):
        enter(visitor, ORIGIN, status=401)
    limited = enter(visitor, ORIGIN, status=429)
    assert limited.json["code"] == "rate_limited"
    assert int(limited.headers["Retry-After"]) > 0


# From the console to the web application


def test_the_map_goes_on_with_the_login_of_the_console(root):
    page = leave(root)
    policy = page.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert page.headers["Cache-Control"] == "no-store"
    tokens = redeem(root, code_of(page)).json
    assert tokens["user"]["username"] == "superadmin"
    assert root.client.get(f"{V1}/auth/profile", headers=bearer(tokens)).json["username"] == "superadmin"
    (login,) = logins(root)
    assert login.method == "console"
    assert {entry.target_id for action in ("handover.created", "handover.used") for entry in audited(root, action)} == {
        login.id
    }
    # The console goes on; its sign-out ends both.
    root.send(root.get("/users"), 0)
    root.client.get(f"{V1}/auth/profile", headers=bearer(tokens), status=401)


def test_logout_in_the_application_ends_the_console(root):
    tokens = redeem(root, code_of(leave(root))).json
    root.client.post_json(f"{V1}/auth/logout", {"refresh": tokens["refresh"]}, headers=bearer(tokens))
    assert "/console/sign-in" in root.get("", status=303).location


def test_the_absolute_end_is_kept_by_the_exchange_and_by_every_refresh(root):
    codec = runtime_of(root.client.app.registry).shared(Authenticator).codec
    end = utcnow().replace(microsecond=0) + timedelta(minutes=3)
    change_logins(root, expires_at=end)
    tokens = redeem(root, code_of(leave(root))).json
    for _ in range(2):
        assert codec.read(tokens["access"], "access").expires_at == end.timestamp()
        assert codec.read(tokens["refresh"], "refresh").expires_at == end.timestamp()
        assert [login.expires_at for login in logins(root)] == [end]
        tokens = root.client.post_json(f"{V1}/auth/refresh", {"refresh": tokens["refresh"]}).json
    # The same login enters the console again: its end is the same.
    enter(root, {**bearer(tokens), **ORIGIN})
    sessions = runtime_of(root.client.app.registry).shared(Sessions)
    assert sessions._signer.loads(root.cookie.encode()).ends_at == end.timestamp()


def test_a_code_is_good_once(root):
    code = code_of(leave(root))
    redeem(root, code)
    cookie = {"Cookie": f"{COOKIE}={root.client.cookies.get(COOKIE) or 'x' * 43}"}
    assert redeem(root, code, {**ORIGIN, **cookie}, status=401).json["code"] == "token_invalid"


def test_only_the_newest_code_of_a_login_is_good_and_used_ones_are_gone(root):
    first = code_of(leave(root))
    second = code_of(leave(root))
    redeem(root, first, status=401)
    redeem(root, second)
    with root.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(HandoverCode)) == 0


def test_a_code_lasts_half_a_minute(root):
    code = code_of(leave(root))
    assert timedelta(seconds=30) == handover.LIFETIME
    with time_machine.travel(utcnow() + handover.LIFETIME):
        assert redeem(root, code, status=401).json["code"] == "token_invalid"


def test_a_code_is_worth_nothing_in_another_browser_and_stays_for_its_own(root):
    code = code_of(leave(root))
    thief = root.another_browser()
    assert redeem(thief, code, status=401).json["code"] == "token_invalid"
    guess = {"Cookie": f"{COOKIE}={'x' * 43}"}
    redeem(thief, code, {**ORIGIN, **guess}, status=401)
    assert [entry.after for entry in audited(root, "handover.refused")] == [{"reason": "other_browser"}] * 2
    redeem(root, code)


def test_the_code_of_an_attacker_does_not_log_a_victim_in(visitor):
    """Fixation: the attacker's code reaches the victim's browser, which has a cookie of its own or none."""
    attacker, victim = visitor.another_browser(), visitor.another_browser()
    attacker.sign_in("admin")
    victim.sign_in("superadmin")
    stolen = code_of(leave(attacker))
    redeem(victim, stolen, status=401)
    mine = code_of(leave(victim))
    redeem(victim, stolen, status=401)
    assert redeem(victim, mine).json["user"]["username"] == "superadmin"


@pytest.mark.parametrize("origin", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}])
def test_another_origin_does_not_exchange_a_code(root, origin):
    code = code_of(leave(root))
    assert redeem(root, code, origin, status=403).json["code"] == "csrf_failed"


def test_the_form_needs_its_token_a_session_and_its_origin(root):
    root.post("/map", {"next": "/"}, status=403)
    root.post("/map", {"csrf_token": "x"}, status=403)
    root.post("/map", {"csrf_token": root.token}, headers={"Origin": "https://evil.example"}, status=403)
    assert "/console/sign-in" in root.another_browser().post("/map", {"csrf_token": "x"}, status=303).location
    assert root.get("/map", status=303).location == "http://localhost/console"
    with root.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(HandoverCode)) == 0


@pytest.mark.parametrize("how", ["deactivated", "ended", "over"])
def test_a_code_of_a_login_that_is_over_is_refused(visitor, how):
    visitor.sign_in("admin")
    code = code_of(leave(visitor))
    admin = visitor.people.numbers["admin"]
    if how == "deactivated":
        with writing(visitor.runtime.sessions) as session:
            session.execute(sa.update(User).where(User.id == admin).values(is_active=False))
    elif how == "ended":
        change_logins(visitor, ended_at=utcnow(), ended_reason="logged out")
    else:
        change_logins(visitor, expires_at=utcnow() - timedelta(seconds=1))
    expected = "account_disabled" if how == "deactivated" else "token_revoked"
    assert redeem(visitor, code, status=401).json["code"] == expected


def test_neither_code_nor_cookie_is_stored_logged_or_part_of_an_address(root, caplog):
    caplog.set_level(logging.DEBUG)
    page = leave(root)
    code, browser = code_of(page), root.client.cookies[COOKIE]
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", code)
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", browser)
    with root.runtime.sessions() as session:
        (made,) = session.scalars(sa.select(HandoverCode))
        assert not {code, browser} & {made.code_hash, made.browser_hash}
    redeem(root, "x" * 43, status=401)
    used = redeem(root, code)
    with root.runtime.sessions() as session:
        entries = [str(vars(entry)) for entry in session.scalars(sa.select(AuditEntry))]
    for text in (caplog.text, *entries, page.request.url, used.request.url, str(page.headers)):
        assert code not in text
    assert page.text.count(code) == 1
    assert all(code not in link["href"] for link in page.html("a"))


def test_exchanges_are_limited(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", default_throttle_rates__refresh="3/minute")
    for _ in range(3):
        redeem(visitor, "x" * 43, status=401)
    assert redeem(visitor, "x" * 43, status=429).json["code"] == "rate_limited"


def test_with_tokens_in_cookies_the_exchange_sets_them(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", jwt_auth_cookie="true")
    visitor.people = populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    redeem(visitor, code_of(leave(visitor)))
    assert visitor.client.get(f"{V1}/auth/profile").json["username"] == "superadmin"


@pytest.mark.deep("costs over a processor second")
def test_without_the_web_application_there_is_no_way_to_it(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", web_enabled="false")
    visitor.people = populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    assert visitor.get("").html.find("button", string="Map") is None
    leave(visitor, status=404)
