"""Every form of the console in a real browser: at the widths of a phone and a desk, light and dark, with and without
scripts.

``python -m tests.drills.console [--pictures FOLDER]`` starts a service of its own, fills in and sends each form in each
of the eight ways, and looks at each page with axe-core where scripts may run. It prints a line a step that fails.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.axe import faults_of
from tests.chromium import Browser, chromium
from tests.processes import Service
from tests.waiting import PATIENCE_S, until

PASSWORD, OTHER = "correct horse battery 4711", "nine quiet miles over Bern"
LOOKS = [(width, scheme) for width in (390, 1440) for scheme in ("light", "dark")]
NOTE, MAIN = "[role=status]", "main form "


@dataclass
class Walk:
    """One way through all forms; ``mark`` makes the names of this way its own."""

    browser: Browser
    service: Service
    mark: str
    has_scripts: bool
    pictures: Path | None
    faults: list[str] = field(default_factory=list)
    looked: int = 0

    @property
    def console(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.service.port}/console"

    @property
    def address(self) -> str:
        """The path of the page, below the console."""
        found: str = self.browser._do("GET", "/url")
        return found.removeprefix(self.console).split("#")[0]

    def open(self, page: str) -> None:
        """Go to a page and look at it."""
        self.browser.open(self.console + page)
        self.look(page)

    def look(self, page: str) -> None:
        """Whether a page fits and has no serious fault."""
        self.looked += 1
        if self.pictures is not None:
            name = f"{self.mark}-{self.looked:02}{page.split('?')[0].replace('/', '-')}.png"
            picture = self.browser.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
            (self.pictures / name).write_bytes(base64.b64decode(picture))
        if not self.has_scripts:
            return
        self.browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        self.faults += [f"{page}: {fault}" for fault in faults_of(self.browser)]

    def fill(self, **fields: str) -> None:
        """Enter texts in the place of what the fields hold."""
        for name, text in fields.items():
            element = self.browser._find(f"#field-{name}")
            self.browser._do("POST", f"/element/{element}/clear", {})
            self.browser.type(f"#field-{name}", text)

    def choose(self, name: str, value: str) -> None:
        """Choose an option."""
        self.browser.click(f"#field-{name} option[value='{value}']")

    def press(self, selector: str, says: str, where: str = NOTE) -> None:
        """Press a button and read what comes of it."""
        self.browser.click(selector)
        until(lambda: says in self.browser.text_of(where), f"{says!r} after {selector}")
        self.look(f"{self.address} after sending")

    def unfold(self, details: str = "main > details") -> None:
        """Open what is folded away; with scripts, ``look`` has opened everything."""
        summary = {"using": "css selector", "value": f"{details}:not([open]) > summary"}
        for element in self.browser._do("POST", "/elements", summary):
            self.browser._do("POST", f"/element/{next(iter(element.values()))}/click", {})

    def sign_in(self) -> None:
        """Sign in as the administrator."""
        self.open("/sign-in")
        self.browser.type("input[name=username]", "root")
        self.browser.type("input[name=password]", PASSWORD)
        self.browser.click("main button")
        self.browser.shows("h1", "Overview")


def users(walk: Walk) -> None:
    """A user from the first form to the last."""
    name = f"u{walk.mark}"
    walk.open("/users/new")
    walk.fill(username=name, email=f"{name}@example.org", password="password12345")
    walk.press(f"{MAIN}button", "is too common", "#about-password .fault")
    walk.fill(password=OTHER)
    walk.press(f"{MAIN}button", f"{name} is created.")
    page = walk.address
    walk.open(f"{page}/edit")
    walk.fill(display_name="Ivy of Bern")
    walk.press(f"{MAIN}button", f"{name} is saved.")
    walk.open(f"{page}/password")
    walk.fill(password=OTHER + " 2")
    walk.press(f"{MAIN}button", "has a new password and is signed out everywhere.")
    api = httpx.Client(base_url=f"http://127.0.0.1:{walk.service.port}/api/v1", timeout=PATIENCE_S)
    for _ in range(2):
        token = api.post("/auth/login", json={"username": name, "password": OTHER + " 2"}).json()["access"]
    bearer = {"Authorization": f"Bearer {token}"}
    for number in range(2):
        made = api.post("/api-keys", json={"name": f"key {number}", "scopes": ["aircraft"]}, headers=bearer)
        assert made.status_code == 201, made.text
    walk.open(page)
    walk.press("main button[aria-label^='End the login']", "A login of")
    walk.press("main button[aria-label='Revoke key 0']", "revoked")
    walk.open(f"/keys?owner={name}")
    walk.press("main button[aria-label^='Revoke key 1']", "revoked")
    walk.open(page)
    walk.press("main form:has(input[value=end_logins]) button", "ended.")
    walk.press("main form:has(input[value=deactivate]) button", "is deactivated")
    walk.press("main form:has(input[value=activate]) button", "is active")
    walk.browser.click("input[name=roles][value=operator]")
    walk.press("main form:has(input[value=roles]) button", name)
    walk.open(f"{page}/reset-link")
    walk.press(f"{MAIN}button", "The link is shown only now.")
    link = walk.browser._do("GET", f"/element/{walk.browser._find('#link')}/property/value")
    walk.browser.open(link)
    walk.browser.shows("h1", "New password")
    walk.look("/reset")
    walk.fill(password=OTHER + " 3", again=OTHER + " 3")
    walk.press(f"{MAIN}button", f"{name} has a new password.")
    walk.open(f"{page}/delete")
    walk.press(f"{MAIN}button", f"{name} is deleted.")


def roles(walk: Walk) -> None:
    """Roles, claim mappings and the settings of features."""
    name = f"r{walk.mark}"
    walk.open("/roles/new")
    walk.fill(name=name, display_name="Spotters")
    walk.browser.click("input[value='aircraft.view']")
    walk.press(f"{MAIN}button", f"The role {name} is created.")
    walk.browser.click(f"a[aria-label='Edit {name}']")
    walk.browser.shows("h1", f"Edit the role {name}")
    walk.fill(description="Look, and look only.")
    walk.press(f"{MAIN}button", f"The role {name} is saved.")
    walk.browser.click(f"a[aria-label='Copy {name}']")
    walk.browser.shows("h1", "New role")
    walk.fill(name=f"{name}_2", display_name="Spotters too")
    walk.press(f"{MAIN}button", f"The role {name}_2 is created.")
    walk.browser.click(f"a[aria-label='Delete {name}_2']")
    walk.browser._find("main form button.danger")
    walk.press(f"{MAIN}button", f"The role {name}_2 is deleted.")
    walk.open("/mappings/new")
    walk.fill(name=f"m{walk.mark}", claim_name="groups", claim_value="spotters")
    walk.choose("role", name)
    walk.press(f"{MAIN}button", f"The rule m{walk.mark} is created.")
    walk.fill(claims='{"groups": ["spotters"]}')
    walk.press("main form button", f"These claims give {name}", ".note:has(+ table), main > p.note, main p.note")
    walk.browser.click(f"a[aria-label='Edit m{walk.mark}']")
    walk.fill(claim_value="spotter")
    walk.press(f"{MAIN}button", f"The rule m{walk.mark} is saved.")
    walk.browser.click(f"a[aria-label='Delete m{walk.mark}']")
    walk.browser._find("main form button.danger")
    walk.press(f"{MAIN}button", f"The rule m{walk.mark} is deleted.")
    walk.open("/access")
    walk.browser.click("input[name='aircraft.is_enabled']")
    walk.press("main form button[name=preview]", "Nothing is saved yet.", "main p.hint")
    walk.browser.click("input[name='aircraft.is_enabled']")
    walk.press("main form button:not([name])", "Nothing was changed.")


def system(walk: Walk) -> None:
    """Receivers, station, retention and thresholds."""
    name = f"w{walk.mark}"
    walk.open("/receivers/input")
    walk.unfold("main details.other")
    walk.choose("family", "receiver.")
    walk.fill(name=name, text="nonsense")
    walk.press("main button[value=save]", "nonsense", "#about-text .fault")
    walk.fill(text="simulate aircraft=2")
    walk.browser.click("main button[value=try]")
    until(lambda: "aircraft" in walk.browser.text_of("main"), "the outcome of a trial")
    walk.look("/receivers/input after a trial")
    walk.press("main button[value=save]", f"receiver.{name} is saved.")
    walk.open(f"/receivers/input?name=receiver.{name}")
    walk.fill(text="simulate aircraft=3")
    walk.press("main button[value=save]", f"receiver.{name} is saved.")
    walk.open(f"/receivers/input?name=receiver.{name}")
    walk.unfold()
    walk.press("main button[value=remove]", f"receiver.{name} is removed.")
    walk.open("/station")
    walk.fill(station_name=f"Roof {walk.mark}")
    walk.press(f"{MAIN}button", "")
    walk.open("/retention")
    walk.fill(retention_audit_days=str(400 + int(walk.mark)))
    walk.press(f"{MAIN}button", "")
    walk.open("/thresholds")
    walk.unfold("main details.group")
    walk.fill(emergency_hold_s=str(20 + int(walk.mark)))
    walk.press(f"{MAIN}button", "1 threshold changed.")


def lists(walk: Walk) -> None:
    """Known aircraft, their import, channels, the audit log, and the pages without forms."""
    address = f"a{int(walk.mark):05x}"
    walk.open("/known-aircraft/new")
    walk.fill(icao_hex="xyz", agency_name="Police of Bern")
    walk.press(f"{MAIN}button", "", "#about-icao_hex .fault")
    walk.fill(icao_hex=address)
    walk.press(f"{MAIN}button", "is on the list.")
    walk.press("main button[value=verify]", "")
    walk.fill(registration="HB-ZZZ")
    walk.press("main button[value=save]", "")
    walk.unfold()
    walk.press("main button[value=remove]", "")
    walk.open(f"/known-aircraft?q={address}")
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
        table.write(f"icao_hex,agency_name\n{address},Police of Bern\n")
        table.flush()
        for button, says in (("try", "This is what the import would do."), ("import", "Imported.")):
            walk.open("/known-aircraft/import")
            walk.browser.type("#field-list", table.name)
            walk.press(f"main button[value={button}]", says)
    walk.open("/audit?action=login")
    for page in PAGES:
        walk.open(page)


PAGES = (
    *("", "/users", "/roles", "/keys", "/mappings", "/sign-on", "/channels", "/health", "/settings", "/software"),
    *("/receivers", "/receivers/discovery", "/airframes", "/search?q=retention", "/users/new/service"),
)
WALKS: list[Callable[[Walk], None]] = [users, roles, system, lists]


def is_up(service: Service) -> bool:
    """Whether a service answers."""
    try:
        return httpx.get(f"http://127.0.0.1:{service.port}/api/v1/system/health").is_success
    except httpx.HTTPError:
        return False


@contextmanager
def prepared(folder: Path) -> Iterator[Service]:
    """A service with an administrator ``root``."""
    service = Service(
        folder,
        auth_mode="hybrid",
        receiver__demo="simulate aircraft=5 seed=1",
        default_throttle_rates__login="1000/minute",
    ).init()
    service.add_user("root", "superadmin", PASSWORD)
    try:
        service.start(wait=False)
        until(lambda: is_up(service), "the service")
        yield service
    finally:
        service.stop()


def main() -> int:
    """The command; 1 where anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path)
    pictures = parser.parse_args().pictures
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        print("there is no chromium with its driver here", file=sys.stderr)
        return 2
    found = 0
    with tempfile.TemporaryDirectory() as folder, prepared(Path(folder)) as service:
        for number, ((width, scheme), has_scripts) in enumerate(itertools.product(LOOKS, (True, False)), 1):
            began = time.monotonic()
            with chromium(binary, driver) as browser:
                size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
                browser.cdp("Emulation.setDeviceMetricsOverride", **size)
                browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                browser.cdp("Emulation.setScriptExecutionDisabled", value=not has_scripts)
                walk = Walk(browser, service, str(number), has_scripts, pictures)
                try:
                    walk.sign_in()
                    for forms in WALKS:
                        forms(walk)
                except (AssertionError, httpx.HTTPError) as error:
                    walk.faults.append(f"{walk.address}: {error}; {walk.browser.text_of('main')[:300]!r}")
            name = f"{width} px, {scheme}, {'with' if has_scripts else 'without'} scripts"
            print(
                f"{name}: {walk.looked} pages, {time.monotonic() - began:.0f} s, {len(walk.faults)} faults", flush=True
            )
            print(*(f"  {fault}" for fault in walk.faults), sep="\n", end="\n" if walk.faults else "")
            found += len(walk.faults)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
