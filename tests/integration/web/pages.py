"""What the tests of the web application do again and again: open the map, sign in, look at what is drawn."""

from __future__ import annotations

import json
from typing import Any

import httpx

from tests.chromium import Browser
from tests.processes import Service
from tests.waiting import until

PASSWORD = "a quiet night over the Jura"
LISTED = "return document.querySelector('.state-open') !== null && document.querySelectorAll('.window .row').length > 5"
# The map comes after the list.
LIVE = f"{LISTED} && document.querySelector('sw-map .stage') !== null"
# The pages of the navigation, whether it is at the top or at the bottom.
OFFERED = """
return [...document.querySelectorAll('sw-navigation a[href^="#/"]:not(.who)')]
  .map((one) => one.getAttribute('href').slice(2))
"""
# Those that share their word with the open one.
BESIDE = "return [...document.querySelectorAll('nav.tabs a')].map((one) => one.getAttribute('href').slice(2))"
ROWS = "return [...document.querySelectorAll('.window .row')].map(row => row.id)"
# The station is there, from which distances are: the nearest come first, and whoever has no position last.
IN_ORDER = "return [...document.querySelectorAll('.window .row')].some(row => /\\d\\.\\d/.test(row.textContent))"
# Whether alerts are told. What is newer lies on them, as news of an emergency in the simulated sky does: it is closed.
ALERTS_ARE_TOLD = """
const notice = document.querySelector('.notice');
const areTold = notice?.querySelector('a')?.getAttribute('href') === '#/alerts';
if (notice && !areTold) notice.querySelector('button').click();
return areTold;
"""
# How many pixels of the aircraft's own canvas are not empty.
DRAWN = """
document.querySelector('sw-map').stage.paint();
const canvas = document.querySelector('.stage canvas[data-renderer]');
const copy = document.createElement('canvas');
copy.width = canvas.width; copy.height = canvas.height;
const context = copy.getContext('2d');
context.drawImage(canvas, 0, 0);
const data = context.getImageData(0, 0, copy.width, copy.height).data;
let count = 0;
for (let at = 3; at < data.length; at += 4) if (data[at] > 100) count += 1;
return count;
"""
# How many pixels of a picture of the page have the colours of aircraft, between the legend and the page below the map.
COLOURED = """
const done = arguments[arguments.length - 1];
const image = new Image();
image.onload = () => {
  const canvas = document.createElement('canvas');
  canvas.width = image.width; canvas.height = image.height;
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const top = Math.round(image.height * 0.15), height = Math.round(image.height * 0.32);
  const data = context.getImageData(0, top, Math.round(image.width * 0.8), height).data;
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = data.subarray(at, at + 3);
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > 90) count += 1;
  }
  done(count);
};
image.src = 'data:image/png;base64,' + '%s';
"""


class House(Service):
    """A service with people."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api(self) -> str:
        return f"{self.url}/api/v1"

    def answers(self) -> bool:
        """Where nothing is public, what is open to all tells that the API answers."""
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()
        try:
            return httpx.get(f"{self.api}/auth/config").is_success
        except httpx.TransportError:
            return False

    def tokens(self, name: str) -> dict[str, Any]:
        """A new login."""
        answer = httpx.post(f"{self.api}/auth/login", json={"username": name, "password": PASSWORD}, timeout=60)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def headers(self, name: str = "root") -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens(name)['access']}"}

    def call(self, method: str, path: str, *, who: str = "root", **options: Any) -> httpx.Response:
        return httpx.request(method, f"{self.api}/{path}", headers=self.headers(who), timeout=60, **options)

    def add_superadmin(self) -> None:
        """The first account, as an administrator makes it."""
        self.add_user("root", "superadmin", PASSWORD)

    def add_person(self, name: str, role: str) -> int:
        """Another account; its number."""
        person = {"username": name, "email": f"{name}@example.org", "password": PASSWORD, "roles": [role]}
        answer = self.call("POST", "users", json=person)
        assert answer.status_code == 201, answer.text
        number: int = answer.json()["id"]
        return number


class Page:
    """A browser's page; everything of `Browser` can be asked of it as well."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._scripts: list[str] = []
        self._origins: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._browser, name)

    def before_scripts(self, source: str) -> None:
        """Run a script in each page that is opened from now on, before the page's own."""
        answer = self._browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=source)
        self._scripts.append(answer["identifier"])

    def size(self, width: int, height: int) -> None:
        self._browser.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def media(self, **features: str) -> None:
        named = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self._browser.cdp("Emulation.setEmulatedMedia", features=named)

    def visit(self, service: Service, path: str = "/") -> None:
        """Open an address of the service as a new page, not as another place of the present one."""
        self._origins.add(f"http://127.0.0.1:{service.port}")
        self._browser.open("about:blank")
        self._browser.open(f"http://127.0.0.1:{service.port}{path}")

    def open_map(self, service: Service, path: str = "/") -> None:
        self.visit(service, path)
        self.wait_for(LIVE, "aircraft in the list")

    def sign_in(self, house: House, name: str, path: str = "/") -> None:
        """Open the application as somebody who signed in before."""
        pair = house.tokens(name)
        self.visit(house, "/api/v1/auth/config")
        for entry, value in (
            ("access", pair["access"]),
            ("refresh", pair["refresh"]),
            ("user", json.dumps(pair["user"])),
        ):
            self._browser.run(f"localStorage.setItem('skywatch.{entry}', {json.dumps(value)})")
        self.visit(house, path)

    def log_in(self, house: House, name: str, password: str = PASSWORD) -> None:
        """By the form, as people do."""
        self.visit(house, "/#/login")
        self.type("input[name=username]", name)
        self.type("input[name=password]", password)
        self.click(".login-card button.primary")

    def wait_for(self, script: str, what: str) -> Any:
        return until(lambda: self._browser.run(script), what, every_s=0.1)

    def wait_for_element(self, selector: str) -> None:
        self.wait_for(f"return document.querySelector({json.dumps(selector)}) !== null", selector)

    def coloured(self) -> int:
        """How many pixels of aircraft are shown, without having anything repainted."""
        count: int = self._browser.run_async(
            COLOURED % self._browser.cdp("Page.captureScreenshot", format="png")["data"]
        )
        return count

    def fetched(self) -> list[tuple[str, int]]:
        """Addresses and sizes, compressed, of all that the page has fetched, be it from the browser's cache."""
        found: list[tuple[str, int]] = self._browser.run(
            "return performance.getEntriesByType('resource').map(e => [e.name, e.encodedBodySize])"
        )
        return found

    def stored(self) -> list[str]:
        """Names of what is stored, but for the preferences, which are no secret."""
        found: list[str] = self._browser.run("return Object.keys(localStorage).sort()")
        return [name for name in found if name != "skywatch.preferences"]

    def reset(self) -> None:
        """Leave nothing of this test for the next."""
        browser = self._browser
        for window in browser.windows()[1:]:
            browser.switch_to(window)
            browser.close_window()
        browser.switch_to(browser.windows()[0])
        browser.open("about:blank")
        for identifier in self._scripts:
            browser.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=identifier)
        for origin in self._origins:
            browser.cdp("Storage.clearDataForOrigin", origin=origin, storageTypes="all")
        browser.cdp("Network.clearBrowserCookies")
        browser.cdp("Emulation.clearDeviceMetricsOverride")
        browser.cdp("Emulation.setEmulatedMedia", features=[])
        browser.cdp("Emulation.setCPUThrottlingRate", rate=1)


def offered(page: Page) -> list[str]:
    """The pages that this person is offered; the first of those that share a word is left open."""
    names: list[str] = page.run(OFFERED)
    for first in {"acars", "stats"} & set(names):
        page.run(f"location.hash = '#/{first}'")
        page.wait_for_element(f"sw-{first} h1")
        names += [name for name in page.run(BESIDE) if name != first]
    return names
