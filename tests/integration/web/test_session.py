"""Signing in, and every way in which a login ends, in a real browser."""

from __future__ import annotations

import pytest

from tests.integration.web.pages import LIVE, OFFERED
from tests.processes import run_command
from tests.waiting import until

# The API as another process than the channel's would answer: it learns of a change some seconds after it. What else
# the page happens to ask for meanwhile is not answered, so that no other refusal ends the login first.
BEHIND = """
let good = null;
const real = window.fetch.bind(window);
window.fetch = async (...asked) => {
  const answer = await real(...asked);
  if (!String(asked[0]).endsWith('auth/profile')) {
    return answer.status === 401 && !((window.behind ?? 0) > 1) ? new Response('', { status: 503 }) : answer;
  }
  if (answer.ok) window.good = good = { text: await answer.clone().text(), since: null };
  if (answer.ok || !good) return answer;
  good.since ??= performance.now();
  window.behind = (window.behind ?? 0) + 1;
  return performance.now() - good.since < 3000 ? new Response(good.text, { status: 200 }) : answer;
};
"""
# A network that lets no WebSocket through.
NO_CHANNEL = """
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (order, ...more) {
  if (order.type !== 'connect') post.call(this, order, ...more);
};
"""
OUT = "return document.querySelector('.login-card') !== null"


def test_a_person_signs_in_sees_what_is_allowed_and_is_out_when_the_login_ends(page, house, guest):
    page.visit(house)
    # Nothing is public, so that there is nothing to see but the way in.
    page.wait_for_element(".login-card")
    assert page.run("return document.querySelector('sw-map')") is None
    page.log_in(house, guest, "not the password")
    assert page.shows(".error", "Wrong user name or password.")
    page.log_in(house, guest)
    page.wait_for(LIVE, "aircraft after the login")
    assert page.stored() == ["skywatch.access", "skywatch.refresh", "skywatch.user"]
    token = page.run("return localStorage['skywatch.access']")
    assert token not in page.run("return location.href")
    assert all(token not in name for name, _ in page.fetched())
    assert {"map", "history", "cannonball"} <= set(page.run(OFFERED))
    page.click("button[aria-label=Filters]")
    page.wait_for_element("sw-filters")
    offered = page.run("return document.querySelector('sw-filters').textContent")
    assert "Military only" not in offered, "a viewer may not see military aircraft"
    # Everything ends at once where the account is switched off.
    assert run_command("user", "disable", str(house.ini), guest).returncode == 0
    page.wait_for(OUT, "the end of the session")
    until(lambda: page.stored() == [], "nothing stored")


@pytest.mark.parametrize("handicap", [BEHIND, NO_CHANNEL], ids=["api-behind-the-channel", "no-channel"])
def test_a_login_that_ends_is_noticed_in_every_order_of_events(page, house, guest, handicap):
    page.before_scripts(handicap)
    page.sign_in(house, guest)
    page.wait_for_element("sw-map")
    if handicap is BEHIND:
        page.wait_for(LIVE, "aircraft")
        page.wait_for("return window.good !== undefined", "a profile that can be told again")
    assert run_command("user", "disable", str(house.ini), guest).returncode == 0
    page.wait_for(OUT, "the end of the session")
    until(lambda: page.stored() == [], "nothing stored")
    if handicap is BEHIND:
        assert page.run("return window.behind") > 1


def test_rights_that_changed_are_looked_up_when_somebody_comes_back(page, house, guest):
    page.sign_in(house, guest)
    page.wait_for(LIVE, "aircraft")
    user = next(u for u in house.call("GET", "users").json()["users"] if u["username"] == guest)
    assert house.call("PATCH", f"users/{user['id']}", json={"roles": []}).status_code == 200
    page.run("dispatchEvent(new Event('online'))")
    page.wait_for("return !localStorage['skywatch.user'].includes('aircraft.view')", "the rights of this moment")
    assert len(page.stored()) == 3


def test_single_sign_on_comes_back_from_its_window(page, house):
    page.size(1280, 900)
    page.visit(house, "/#/login")
    page.wait_for_element(".login-card button.sso")
    page.click(".login-card button.sso")
    page.wait_for(LIVE, "aircraft after the sign-on")
    assert page.stored() == ["skywatch.access", "skywatch.refresh", "skywatch.user"]
    until(lambda: "Ada L." in page.text_of(".person"), "the name")
    until(lambda: len(page.windows()) == 1, "the end of the pop-up")


def test_with_cookies_no_script_sees_a_token(page, service):
    running = service(auth_mode="private", jwt_auth_cookie="true")
    running.add_superadmin()
    running.start()
    page.log_in(running, "root")
    page.wait_for(LIVE, "aircraft after the login")
    assert page.stored() == ["skywatch.user"]
    assert page.run("return document.cookie") == ""
    page.open_map(running)  # The session outlives the page.
    assert page.stored() == ["skywatch.user"]
    page.run("location.hash = '#/account'")
    page.wait_for_element("sw-account h1")
    page.run(
        "[...document.querySelectorAll('sw-account button')].find(b => b.textContent.includes('Sign out')).click()"
    )
    page.wait_for(OUT, "the way in")
    until(lambda: page.stored() == [], "nothing stored")
    cookies = page.cdp("Network.getCookies", urls=[running.url])["cookies"]
    assert [one["name"] for one in cookies if one["name"].startswith("skywatch_")] == []


def test_a_clock_that_is_an_hour_wrong_ends_no_session(page, house):
    page.before_scripts("const now = Date.now.bind(Date); Date.now = () => now() + 3600_000;")
    page.log_in(house, "viewer")
    page.wait_for(LIVE, "aircraft after the login")
    first = page.run("return localStorage['skywatch.access']")
    page.open_map(house)
    assert page.run("return localStorage['skywatch.access']") == first, "no renewal before its time"
