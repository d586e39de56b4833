"""Single sign-on with a certified provider, over real sockets: by a browser, by a program, and with new keys."""

import json
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import httpx
import pytest

from skywatch.accounts.models import Role
from skywatch.core.database.engine import writing
from skywatch.sso.models import ClaimMapping
from tests.accounts import PASSWORD, Population
from tests.chromium import chromium
from tests.integration.sso.running import certified_provider, log_in, log_out, served
from tests.ports import free_port
from tests.servers import browser_programs
from tests.waiting import PATIENCE_S, until

CALLBACK = "/api/v1/auth/oidc/callback"
get, post = partial(httpx.get, timeout=PATIENCE_S), partial(httpx.post, timeout=PATIENCE_S)


class Site:
    """Skywatch and its provider, and how to sign on."""

    def __init__(self, runtime, url, provider):
        self.runtime = runtime
        self.url = url
        self.provider = provider
        self.people = Population(runtime)
        with writing(runtime.sessions) as session:
            role = session.query(Role).filter_by(name="operator").one()
            mapping = {"claim_name": "groups", "match_type": "exact", "claim_value": "tower", "role_id": role.id}
            session.add(ClaimMapping(name="tower", **mapping))

    def own_provider(self):
        """A provider that this site alone has, with keys of its own."""
        return certified_provider(urlsplit(self.provider).port, self.url)

    def browser(self):
        return httpx.Client(timeout=PATIENCE_S, follow_redirects=False)

    def sign_on(self, name, browser=None):
        """A whole sign-on, in a browser of its own or in one that may be logged in at the provider already."""
        if browser is None:
            with self.browser() as browser:
                return self.sign_on(name, browser)
        begun = browser.get(f"{self.url}/api/v1/auth/oidc/authorize").json()
        back = log_in(browser, begun["authorization_url"], name, self.url + CALLBACK)
        answer = browser.get(back)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def log_out(self, answer):
        """End the Skywatch login; where the browser is to be sent then."""
        headers = {"Authorization": f"Bearer {answer['access']}"}
        return post(f"{self.url}/api/v1/auth/logout", json={}, headers=headers).json()["logout_url"]

    def is_in(self, answer):
        return self.profile(answer).status_code == 200

    def profile(self, answer):
        headers = {"Authorization": f"Bearer {answer['access']}"}
        return get(f"{self.url}/api/v1/auth/profile", headers=headers)


@pytest.fixture(scope="module")
def ports():
    """Where the sites of the tests listen, one after the other, and where the provider does, which knows them by it."""
    return free_port(), free_port()


@pytest.fixture(scope="module")
def provider(ports):
    """The provider of all tests but the one that starts it anew: a second or two of Node each time."""
    port, provider_port = ports
    with certified_provider(provider_port, f"http://127.0.0.1:{port}") as url:
        yield url


@pytest.fixture
def make_site(make_runtime, ports):
    running = []

    def make(provider=None, **changes):
        port, provider_port = ports if provider else (free_port(), free_port())
        settings = {
            "environment": "development",
            "oidc_logout_redirect_uri": f"http://127.0.0.1:{port}/",
            "auth_mode": "hybrid",
            "oidc_enabled": "true",
            "oidc_provider_url": provider or f"http://127.0.0.1:{provider_port}",
            "oidc_client_id": "skywatch",
            "oidc_client_secret": "between us, and only us",
            **changes,
        }
        runtime = make_runtime(**settings)
        context = served(runtime, port)
        url = context.__enter__()
        running.append(context)
        return Site(runtime, url, provider or f"http://127.0.0.1:{provider_port}")

    yield make
    for context in running:
        context.__exit__(None, None, None)


def test_people_sign_on_with_login_and_consent_and_get_what_their_groups_say(make_site, provider):
    site = make_site(provider)
    answer = site.sign_on("tower")
    assert answer["user"]["roles"] == ["operator"]
    profile = site.profile(answer).json()
    assert (profile["username"], profile["email"]) == ("tower", "tower@example.org")
    assert site.sign_on("guest")["user"]["roles"] == ["viewer"]
    assert site.sign_on("tower")["user"]["id"] == answer["user"]["id"]


def test_keys_that_rotate_between_two_logins_and_a_provider_that_is_away(make_site):
    site = make_site()
    site.people.user("ada", "viewer")
    with site.own_provider():
        first = site.sign_on("tower")
    # Away: who is in stays in, who has a password comes in, who wants to sign on hears why not.
    assert site.profile(first).status_code == 200
    local = post(f"{site.url}/api/v1/auth/login", json={"username": "ada", "password": PASSWORD})
    assert local.status_code == 200
    begun = get(f"{site.url}/api/v1/auth/oidc/authorize").json()
    said = {"code": "x", "state": begun["state"], "iss": site.provider}
    refused = get(f"{site.url}{CALLBACK}", params=said)
    assert (refused.status_code, refused.json()["code"]) == (502, "sso_provider_unreachable")
    with site.own_provider():
        second = site.sign_on("tower")
    assert second["user"]["id"] == first["user"]["id"]


def test_a_program_signs_on_by_its_loopback_address(make_site, provider):
    site = make_site(provider, oidc_client_id="desk", oidc_client_secret="")
    address = f"http://127.0.0.1:{free_port()}/"
    with site.browser() as browser:
        begun = get(f"{site.url}/api/v1/auth/oidc/authorize", params={"redirect_uri": address}).json()
        back = httpx.URL(log_in(browser, begun["authorization_url"], "guest", address))
        assert back.params["state"] == begun["state"]
        answer = get(f"{site.url}{CALLBACK}", params=back.params)
        assert site.profile(answer.json()).json()["username"] == "guest"
        # The code is used up at the provider too.
        again = get(f"{site.url}{CALLBACK}", params=back.params)
        assert again.json()["code"] == "sso_state_unknown"


def test_logout_ends_the_providers_session_and_its_other_logins(make_site, provider):
    site = make_site(provider)
    with site.browser() as browser:
        here, second = site.sign_on("tower", browser), site.sign_on("tower", browser)
        elsewhere, somebody = site.sign_on("tower"), site.sign_on("guest")
        url = site.log_out(here)
        assert [site.is_in(answer) for answer in (here, second)] == [False, True]
        # The provider takes our hint, knows the address to come back to, and calls ours by the back channel before.
        assert log_out(browser, url, site.url) == f"{site.url}/"
        until(lambda: not site.is_in(second), "the end of the other login")
        assert [site.is_in(answer) for answer in (elsewhere, somebody)] == [True, True]
        # Its session is over: whoever signs on in that browser is asked who they are.
        assert site.sign_on("guest", browser)["user"]["username"] == "guest"


def test_a_logout_at_the_provider_ends_the_login_here(make_site, provider):
    site = make_site(provider)
    with site.browser() as browser:
        answer, somebody = site.sign_on("tower", browser), site.sign_on("guest")
        log_out(browser, f"{provider}/session/end", f"{provider}/session/end/success")
        # The provider tells it while it answers the browser.
        until(lambda: not site.is_in(answer), "the end of the login")
        assert site.is_in(somebody)
        refused = post(f"{site.url}/api/v1/auth/refresh", json={"refresh": answer["refresh"]})
        assert (refused.status_code, refused.json()["code"]) == (401, "token_revoked")


PAGE = """<!doctype html><title>map</title><button id="go">Sign on</button><pre id="answer"></pre><script>
document.getElementById("go").onclick = async () => {
  const popup = window.open("about:blank");
  const begun = await (await fetch("SITE/api/v1/auth/oidc/authorize", {credentials: "include"})).json();
  window.addEventListener("message", (event) => {
    document.getElementById("answer").textContent = JSON.stringify({origin: event.origin, ...event.data});
  });
  popup.location = begun.authorization_url;
};
</script>"""


@pytest.fixture
def map_page():
    """A page of another origin that signs people on in a window of its own; its ``text`` is set by the test."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(server.text.encode())

        def log_message(self, *args):
            pass

    # A connection that the browser makes ahead, and says nothing on, holds up nobody.
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.text = ""
    server.origin = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


# The flow itself is always tried by the tests above; this one shows that a real browser plays along.
def test_a_real_browser_tells_the_page_that_asked_how_it_went(make_site, provider, map_page):
    site = make_site(provider, cors_allowed_origins=map_page.origin, cors_allow_credentials="true")
    map_page.text = PAGE.replace("SITE", site.url)
    with chromium(*browser_programs()) as browser:
        browser.open(map_page.origin)
        opener = browser.windows()[0]
        browser.click("#go")
        browser.switch_to_other_than(opener)
        browser.click("a[href$='/abort']")
        assert browser.shows("code", "sso_denied")
        browser.close_window()
        browser.switch_to(opener)
        answer = json.loads(browser.text_of("#answer"))
        assert (answer["origin"], answer["type"], answer["code"]) == (site.url, "skywatch.login_failed", "sso_denied")
        browser.click("#go")
        browser.switch_to_other_than(opener)
        browser.type("input[name=login]", "tower")
        browser.type("input[name=password]", "anything")
        browser.click("input[value=login] ~ button")
        browser.click("input[value=consent] ~ button")
        browser.switch_to(opener)
        until(lambda: '"skywatch.login"' in browser.text_of("#answer"))
        answer = json.loads(browser.text_of("#answer"))
        assert answer["origin"] == site.url
        assert site.profile(answer).json()["username"] == "tower"
        # The window has closed itself.
        until(lambda: browser.windows() == [opener])
