"""Ways through the console as somebody new goes them: by its menu, links and forms alone, in a real browser."""

import re
import shutil

import httpx
import pytest

from tests.accounts import PASSWORD, Population
from tests.chromium import chromium
from tests.integration.sso.running import served
from tests.ports import free_port
from tests.waiting import PATIENCE_S, until

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(BROWSER is None or DRIVER is None, reason="there is no chromium with its driver here")


class Walker:
    """Somebody who follows links by their texts, and knows where the walk began alone."""

    def __init__(self, browser, url):
        self.browser, self.url = browser, url

    def sign_in(self, name):
        self.browser.open(f"{self.url}/console")
        self.fill(username=name, password=PASSWORD)

    def follow(self, text):
        """Follow the first link of this text, and wait for its page."""
        page = self.browser.run("window.left = true; return location.href")
        found = self.browser.run(
            "const one = [...document.querySelectorAll('a')].find("
            f"  (link) => link.textContent.trim() === {text!r} && link.checkVisibility());"
            "one?.click(); return Boolean(one)"
        )
        assert found, f"there is no link {text} on {page}"
        self._arrives()

    def fill(self, **fields):
        """Write into the fields of the main form, and send it."""
        for name, value in fields.items():
            self.browser.run(f"document.querySelector('main [name=\"{name}\"]').value = ''")
            self.browser.type(f'main [name="{name}"]', value)
        self.browser.run("window.left = true")
        self.browser.click("main form button:not([name])")
        self._arrives()

    def _arrives(self):
        until(lambda: self.browser.run("return !window.left && document.readyState === 'complete'"), "the next page")

    def read(self, selector):
        return self.browser.run(f"return document.querySelector({selector!r})?.textContent.trim()")


@pytest.fixture
def walker(make_runtime):
    runtime = make_runtime(environment="development", auth_mode="hybrid", console_first_run="false")
    Population(runtime).user("ada", "superadmin")
    with served(runtime, free_port()) as url, chromium(BROWSER, DRIVER) as browser:
        browser.cdp("Emulation.setDeviceMetricsOverride", width=1440, height=900, deviceScaleFactor=1, mobile=False)
        yield Walker(browser, url)


def test_a_second_user_who_may_only_look(walker):
    walker.sign_in("ada")
    walker.follow("People")
    walker.follow("New user")
    walker.fill(username="bea", email="bea@example.org", password=PASSWORD)
    assert walker.read("h1") == "bea"
    tokens = httpx.post(
        f"{walker.url}/api/v1/auth/login", json={"username": "bea", "password": PASSWORD}, timeout=PATIENCE_S
    ).json()
    headers = {"Authorization": f"Bearer {tokens['access']}"}
    assert httpx.get(f"{walker.url}/api/v1/auth/profile", headers=headers, timeout=PATIENCE_S).json()["roles"] == [
        "viewer"
    ]
    assert httpx.get(f"{walker.url}/api/v1/users", headers=headers, timeout=PATIENCE_S).status_code == 403


def test_a_key_of_a_service(walker):
    walker.sign_in("ada")
    walker.follow("People")
    walker.follow("New service account")
    walker.fill(username="grafana")
    # The account is of no use without a key: its form comes next.
    assert walker.read("h1") == "New API key of grafana"
    walker.fill(name="dashboard")
    key = walker.browser.run("return document.getElementById('key').value")
    seen = httpx.get(f"{walker.url}/api/v1/history/flights", headers={"X-API-Key": key}, timeout=PATIENCE_S)
    assert seen.status_code == 200
    assert httpx.get(f"{walker.url}/api/v1/users", headers={"X-API-Key": key}, timeout=PATIENCE_S).status_code == 403
    # It is not shown again.
    walker.follow("Back to grafana")
    assert key not in walker.browser.run("return document.documentElement.outerHTML")


def test_a_changed_threshold_is_restored(walker):
    field = "document.querySelector('main input[name]:not([type=hidden])')"
    walker.sign_in("ada")
    walker.follow("Alerts and channels")
    walker.follow("Safety thresholds")
    name, before, about = walker.browser.run(
        f"const one = {field}; return [one.name, one.value, document.getElementById('about-' + one.name).textContent]"
    )
    most = re.search(r"From (\S+) to (\S+)\.", about)[2]
    walker.fill(**{name: most})
    assert walker.browser.run(f"return {field}.value") == most
    walker.follow("Earlier values")
    walker.follow("Undo")
    walker.fill()
    assert walker.browser.run(f"return {field}.value") == before
