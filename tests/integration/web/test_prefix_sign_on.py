"""Single sign-on below a path prefix: application and console in a browser, a certified provider, nginx."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.integration.sso.running import certified_provider
from tests.integration.web.conftest import MANY
from tests.integration.web.pages import House
from tests.integration.web.prefix import PREFIX, below_prefix
from tests.ports import free_port
from tests.waiting import PATIENCE_S, until

PROVIDERS_NAME = "the tower's door"
# What the page that opened the pop-up is sent, without the tokens.
LISTEN = """
window.heard = [];
window.addEventListener('message', ({ origin, data }) => {
  if (data && data.type) window.heard.push([origin, data.type, data.code || '']);
});
"""
FETCHED = "return performance.getEntriesByType('resource').map(entry => new URL(entry.name).pathname)"


@dataclass(frozen=True)
class Below:
    """A site below the prefix, where no address outside it leads to the service."""

    origin: str
    provider: str

    @property
    def url(self) -> str:
        return self.origin + PREFIX


@pytest.fixture(scope="module", params=["base_url", "X-Forwarded-Prefix"])
def below(request, built, tmp_path_factory):
    """nginx before an installation; the provider returns people to addresses below the prefix only."""
    port, provider_port = free_port(), free_port()
    folder = tmp_path_factory.mktemp("below")
    origin = f"http://127.0.0.1:{port}"
    is_forwarded = request.param != "base_url"
    named = {"trusted_proxy": "127.0.0.1"} if is_forwarded else {"base_url": f"{origin}{PREFIX}/"}
    house = House(
        folder,
        auth_mode="private",
        jwt_auth_cookie="true",
        oidc_enabled="true",
        oidc_provider_url=f"http://127.0.0.1:{provider_port}",
        oidc_provider_name=PROVIDERS_NAME,
        oidc_client_id="skywatch",
        oidc_client_secret="between us, and only us",
        oidc_logout_redirect_uri=f"{origin}{PREFIX}/",
        oidc_timeout_s=PATIENCE_S,
        **named,
        **MANY,
    )
    house.init()
    house.add_superadmin()
    with certified_provider(provider_port, origin + PREFIX) as provider:
        house.start()
        try:
            claim = {"claim_name": "groups", "match_type": "exact", "claim_value": "tower", "role": "admin"}
            made = house.call("POST", "oidc-mappings", json={"name": "tower", **claim})
            assert made.status_code == 201, made.text
            with below_prefix(house, folder, port, request.param if is_forwarded else None):
                yield Below(origin, provider)
        finally:
            house.stop()


def sign_in_at_provider(page):
    """Login and consent, on the provider's own pages."""
    page.type("input[name=login]", "tower")
    page.type("input[name=password]", "anything")
    page.click("input[value=login] ~ button")
    page.click("input[value=consent] ~ button")


def cookies_of(page):
    """Name -> path of the cookies that the service has set in this browser."""
    found = page.cdp("Network.getAllCookies")["cookies"]
    return {one["name"]: one["path"] for one in found if one["name"].startswith("skywatch")}


def fetched_outside(page):
    """Addresses outside the prefix that the page has fetched."""
    fetched = page.run(FETCHED)
    assert fetched
    return [path for path in fetched if not path.startswith(f"{PREFIX}/")]


def test_the_application(below, page):
    page.size(1280, 900)
    page.before_scripts(LISTEN)
    page.open(f"{below.url}/")
    application = page.windows()[0]
    assert PROVIDERS_NAME in page.text_of(".login-card button.sso")
    # Refused at the provider: the pop-up says so, and the page that opened it as well.
    page.click(".login-card button.sso")
    page.switch_to_other_than(application)
    page.wait_for_element("a[href$='/abort']")
    assert set(cookies_of(page).values()) == {f"{PREFIX}/api/v1/auth/oidc"}
    page.click("a[href$='/abort']")
    page.switch_to(application)
    assert page.text_of(".login-card [role=alert]")
    until(lambda: page.windows() == [application], "the pop-up's end")
    # Let in: the message reaches the page, and the tokens' cookies are the service's alone.
    page.click(".login-card button.sso")
    page.switch_to_other_than(application)
    sign_in_at_provider(page)
    page.switch_to(application)
    until(lambda: "tower" in page.text_of(".head a.person"), "the session")
    assert page.run("return window.heard") == [
        [below.origin, "skywatch.login_failed", "sso_denied"],
        [below.origin, "skywatch.login", ""],
    ]
    until(lambda: page.windows() == [application], "the pop-up's end")
    assert page.run("return location.pathname") == f"{PREFIX}/"
    cookies = cookies_of(page)
    assert cookies["skywatch_access"] == PREFIX
    assert cookies["skywatch_refresh"] == f"{PREFIX}/api/v1/auth"
    assert all(path.startswith(PREFIX) for path in cookies.values())
    assert fetched_outside(page) == []


def test_the_console(below, page):
    page.open(f"{below.url}/console/users")
    assert PROVIDERS_NAME in page.text_of("main a.button")
    page.click("main a.button")
    page.wait_for_element("input[name=login]")
    assert set(cookies_of(page).values()) == {f"{PREFIX}/console"}
    sign_in_at_provider(page)
    # Back at the page that was asked for.
    assert page.shows("h1", "Users")
    assert page.run("return location.origin + location.pathname") == f"{below.url}/console/users"
    cookies = cookies_of(page)
    assert len(cookies) > 0
    assert set(cookies.values()) == {f"{PREFIX}/console"}
    assert fetched_outside(page) == []
    # The provider ends its session: it calls the service by the back channel below the prefix.
    page.open(f"{below.provider}/session/end")
    page.click("button[value=yes]")
    until(lambda: page.run("return location.pathname") == "/session/end/success", "the provider's logout")
    page.open(f"{below.url}/console/users")
    assert page.shows("h1", "Sign in")
    assert page.run("return location.pathname") == f"{PREFIX}/console/sign-in"


def test_the_addresses_that_the_provider_is_given(below):
    begun = httpx.get(f"{below.url}/api/v1/auth/oidc/authorize", timeout=PATIENCE_S)
    redirect = parse_qs(urlsplit(begun.json()["authorization_url"]).query)["redirect_uri"]
    assert redirect == [f"{below.url}/api/v1/auth/oidc/callback"]
    sent = httpx.get(f"{below.url}/console/sign-in/sso?next=/console/users", timeout=PATIENCE_S)
    redirect = parse_qs(urlsplit(sent.headers["Location"]).query)["redirect_uri"]
    assert redirect == [f"{below.url}/console/sign-in/callback"]
