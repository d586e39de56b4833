"""The console's tasks as somebody new goes them, without the manual: by links, buttons and fields alone.

``python -m tests.drills.console_walks [--pictures FOLDER]`` walks five tasks at the widths of a phone and a desk, light
and dark: the own receiver and station from the first page on, a second user who may only look, single sign-on with a
certified provider, a key for a program, and a changed threshold restored. It prints the actions of each task, the time
that the browser took, and the time that a person would take by the keystroke-level model (Card, Moran and Newell 1980:
1.35 s to decide, 1.1 s to point, 0.2 s to press, 0.28 s a character), and fails where that is above two minutes.
"""

from __future__ import annotations

import argparse
import base64
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.accounts import PASSWORD
from tests.axe import faults_of
from tests.chromium import Browser, chromium
from tests.drills.console import is_up
from tests.integration.sso.running import certified_provider
from tests.ports import free_port
from tests.processes import Service, run_command
from tests.waiting import PATIENCE_S, until

LOOKS = [(width, scheme) for width in (390, 1440) for scheme in ("light", "dark")]
DECIDE_S, POINT_S, PRESS_S, CHARACTER_S = 1.35, 1.1, 0.2, 0.28
MAX_S = 120.0
VISIBLE = "[...document.querySelectorAll({selector!r})].find((one) => one.checkVisibility() && ({test}))"
ARRIVED = "return !window.left && document.readyState === 'complete' && !document.getElementById('handover')"
PROVIDER_SECRET = "between us, and only us"


class Walker:
    """Somebody who follows links by their texts, and knows where the walk began alone."""

    def __init__(self, browser: Browser, url: str, pictures: Path | None = None, *, looks: bool = False) -> None:
        self.browser, self.url, self.pictures = browser, url, pictures
        self.looks_for_faults = looks
        self.name, self.actions, self.characters, self.steps = "", 0, 0, 0
        self.faults: list[str] = []

    def begin(self, name: str) -> None:
        """Begin another walk."""
        self.name, self.actions, self.characters, self.steps = name, 0, 0, 0

    @property
    def person_s(self) -> float:
        """How long a person takes for what was done, by the keystroke-level model."""
        return self.actions * (DECIDE_S + POINT_S + PRESS_S) + self.characters * CHARACTER_S

    def sign_in(self, name: str, password: str = PASSWORD) -> None:
        """Open the console and sign in."""
        self.browser.open(f"{self.url}/console")
        self.fill(username=name, password=password)

    def follow(self, text: str, selector: str = "a") -> None:
        """Follow the first link of this text, from the folded menu where it is there, and wait for its page."""
        page = self.browser.run("window.left = true; return location.href")
        test = f"one.textContent.trim() === {text!r}"
        click = f"const one = {VISIBLE.format(selector=selector, test=test)}; one?.click(); return Boolean(one)"
        is_there = self.browser.run(click)
        if not is_there and self.browser.run("return Boolean(document.querySelector('header details.folded'))"):
            self.browser.run("document.querySelector('header details.folded').open = true")
            self.actions += 1
            is_there = self.browser.run(click)
        assert is_there, f"there is no link {text} on {page}"
        self.actions += 1
        self.arrive()

    def fill(self, button: str = "main form button:not([name])", **fields: str) -> None:
        """Write into the fields of the main form, and send it."""
        self.write(**fields)
        self.press(button)

    def write(self, **fields: str) -> None:
        """Write into fields, in the place of what they hold."""
        for name, value in fields.items():
            selector = f'main [name="{name}"]'
            self.browser.run(f"document.querySelector({selector!r}).value = ''")
            self.browser.type(selector, value)
            self.actions += 1
            self.characters += len(value)

    def press(self, selector: str) -> None:
        """Press a button, and wait for the next page."""
        self.browser.run("window.left = true")
        self.click(selector)
        self.arrive()

    def click(self, selector: str) -> None:
        """Press something that stays on the page."""
        self.look()
        self.browser.click(selector)
        self.actions += 1

    def arrive(self) -> None:
        """Wait for the next page, and look at it; the page of the hand-over goes on to the map by itself."""
        until(lambda: self.browser.run(ARRIVED), "the next page")
        self.look()

    def look(self) -> None:
        """Take a picture of the page and what axe finds wrong with it, where either is wanted."""
        self.steps += 1
        if self.pictures is not None:
            picture = self.browser.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
            (self.pictures / f"{self.name}-{self.steps:02}.png").write_bytes(base64.b64decode(picture))
        if self.looks_for_faults and self.browser.run("return location.origin") == self.url:
            where = self.browser.run("return location.pathname + location.hash.split('?')[0]")
            self.faults += [f"{self.name}, {where}: {fault}" for fault in faults_of(self.browser)]

    def read(self, selector: str) -> str | None:
        """The text of an element, or nothing."""
        text: str | None = self.browser.run(f"return document.querySelector({selector!r})?.textContent.trim()")
        return text

    def sign_out(self) -> None:
        """Leave the console."""
        self.press("header .who button")


def look_only(walker: Walker, name: str) -> None:
    """A second user, who may look at everything and change nothing."""
    walker.follow("People")
    walker.follow("New user")
    walker.fill(username=name, email=f"{name}@example.org", password=PASSWORD)
    assert walker.read("h1") == name
    login = {"username": name, "password": PASSWORD}
    tokens = httpx.post(f"{walker.url}/api/v1/auth/login", json=login, timeout=PATIENCE_S).json()
    headers = {"Authorization": f"Bearer {tokens['access']}"}
    profile = httpx.get(f"{walker.url}/api/v1/auth/profile", headers=headers, timeout=PATIENCE_S).json()
    assert profile["roles"] == ["viewer"]
    assert httpx.get(f"{walker.url}/api/v1/users", headers=headers, timeout=PATIENCE_S).status_code == 403


def key_of_a_program(walker: Walker, name: str) -> None:
    """A service account with a key, which reaches what a viewer may see and nothing else."""
    walker.follow("People")
    walker.follow("New service account")
    walker.fill(username=name)
    # The account is of no use without a key: its form comes next.
    assert walker.read("h1") == f"New API key of {name}"
    walker.fill(name="dashboard")
    key = walker.browser.run("return document.getElementById('key').value")
    headers = {"X-API-Key": key}
    seen = httpx.get(f"{walker.url}/api/v1/history/flights", headers=headers, timeout=PATIENCE_S)
    assert seen.status_code == 200
    assert httpx.get(f"{walker.url}/api/v1/users", headers=headers, timeout=PATIENCE_S).status_code == 403
    # It is not shown again.
    walker.follow(f"Back to {name}")
    assert key not in walker.browser.run("return document.documentElement.outerHTML")


def restored_threshold(walker: Walker) -> None:
    """A threshold changed, and brought back to what it was."""
    field = "document.querySelector('main input[name]:not([type=hidden])')"
    walker.follow("Alerts and channels")
    walker.follow("Safety thresholds")
    name, before, about = walker.browser.run(
        f"const one = {field}; return [one.name, one.value, document.getElementById('about-' + one.name).textContent]"
    )
    most = re.search(r"From (\S+) to (\S+)\.", about)
    assert most is not None
    walker.click("main details.group summary")
    walker.fill(**{name: most[2]})
    assert walker.browser.run(f"return {field}.value") == most[2]
    walker.follow("Earlier values")
    walker.follow("Undo")
    walker.fill()
    assert walker.browser.run(f"return {field}.value") == before


def own_station_and_receiver(walker: Walker, link: str, port: int) -> None:
    """From the link of the first run to the map with the aircraft of the own receiver."""
    browser = walker.browser
    browser.open(f"{walker.url}/{link}")
    browser._find(".login-card input[name=password]")
    browser.type(".login-card input[name=password]", PASSWORD)
    walker.characters += len(PASSWORD)
    walker.click(".login-card button.primary")
    browser._find(".simulated a")
    walker.press(".simulated a")
    browser.shows("h1", "Station")
    walker.write(airport="Bern")
    walker.press("main form[method=get] button")
    walker.press("main .found a")
    walker.press("main form.card button")
    browser.shows("h1", "New receiver or input")
    browser.click("label[for=kind-sbs]")
    walker.write(host="localhost", port=str(port))
    # Enter presses the first button: a trial, until one has worked.
    walker.press("main .actions button:first-child")
    assert "It works." in (walker.read("main [role=status]") or ""), walker.read("main")
    walker.press("main .actions button:first-child")
    until(lambda: browser.run("return location.pathname") == "/", "the map")
    until(lambda: browser.run("return document.querySelectorAll('.window .row').length > 5"), "aircraft in the list")
    until(lambda: browser.run("return document.querySelector('.simulated') === null"), "no simulated aircraft")
    walker.look()


def start(service: Service) -> None:
    """Start a service of which nobody in particular may see the aircraft."""
    service.start(wait=False)
    until(lambda: is_up(service), "the service")


@dataclass
class Installation:
    """A new installation as ``make run`` prepares one, and another one whose output is the receiver on its roof."""

    service: Service
    receiver_port: int
    link: str

    def set_up_provider(self, url: str) -> None:
        """Put the lines that the page of the providers names into the ini file, and start again."""
        self.service.stop()
        values = {"enabled": "true", "provider_url": url, "client_id": "skywatch", "client_secret": PROVIDER_SECRET}
        with self.service.ini.open("a", encoding="utf-8") as ini:
            ini.writelines(f"oidc_{name} = {value}\n" for name, value in values.items())
        start(self.service)


def single_sign_on(walker: Walker, installation: Installation, provider: Callable[[], str]) -> None:
    """Set a provider up, try it, give a group of it a role, and sign on as somebody of that group."""
    browser = walker.browser
    walker.follow("People")
    walker.follow("Identity providers")
    assert "oidc_provider_url" in (walker.read("main pre") or "")
    installation.set_up_provider(provider())
    walker.actions += 4
    walker.characters += 60
    browser.open(f"{walker.url}/console/sign-on")
    walker.press("main .actions form button")
    assert "It answers" in (walker.read("main [role=status]") or ""), walker.read("main")
    walker.follow("Try a login")
    _log_in_at_provider(walker)
    browser.shows("h1", "Identity providers")
    assert "who would get viewer" in (walker.read("main [role=status]") or ""), walker.read("main")
    walker.follow("Roles from single sign-on", "nav.tabs a")
    walker.follow("New rule")
    browser.click("#field-role option[value='operator']")
    walker.fill(name="tower", claim_name="groups", claim_value="tower")
    walker.sign_out()
    _sign_on(walker)


def _sign_on(walker: Walker) -> None:
    """Somebody of the group comes with a browser of their own, and gets the group's role."""
    browser = walker.browser
    forget(browser)
    browser.open(f"{walker.url}/#/login")
    browser._find(".login-card button.sso")
    application = browser.windows()[0]
    walker.click(".login-card button.sso")
    browser.switch_to_other_than(application)
    browser.type("input[name=login]", "tower")
    browser.type("input[name=password]", "anything")
    walker.characters += len("toweranything")
    for step in ("login", "consent"):
        browser.click(f"input[value={step}] ~ button")
        walker.actions += 1
    browser.switch_to(application)
    token = until(lambda: browser.run("return localStorage.getItem('skywatch.access')"), "the login")
    until(lambda: browser.run("return document.querySelector('.window .row') !== null"), "aircraft in the list")
    walker.look()
    headers = {"Authorization": f"Bearer {token}"}
    profile = httpx.get(f"{walker.url}/api/v1/auth/profile", headers=headers, timeout=PATIENCE_S).json()
    assert (profile["username"], profile["roles"]) == ("tower", ["operator"])


def forget(browser: Browser) -> None:
    """Have the browser forget who it is, on a page of the service."""
    browser.run("localStorage.clear()")
    browser.cdp("Network.clearBrowserCookies")


def _log_in_at_provider(walker: Walker) -> None:
    """What the pages of the certified provider ask: name and password, then consent."""
    browser = walker.browser
    for _ in range(3):
        if browser.run("return document.querySelector('input[name=login]') !== null"):
            browser.type("input[name=login]", "tower")
            browser.type("input[name=password]", "anything")
            walker.characters += len("toweranything")
        if browser.run("return location.pathname.startsWith('/console')"):
            return
        walker.press("form button[type=submit]")


@contextmanager
def prepared(folder: Path) -> Iterator[Installation]:
    """The two services."""
    (folder / "roof").mkdir()
    port = free_port()
    roof = Service(folder / "roof", receiver__demo="simulate aircraft=20 seed=3", output__feed=f"sbs 127.0.0.1:{port}")
    service = Service(folder, auth_mode="hybrid", console_first_run="true", default_throttle_rates__login="1000/minute")
    assert run_command("init", str(service.ini), "--demonstration").returncode == 0
    made = re.search(r"#/setup\?token=\S+", run_command("setup-link", str(service.ini)).stdout)
    assert made is not None
    try:
        start(roof.init())
        start(service)
        yield Installation(service, port, made.group(0))
    finally:
        for one in (roof, service):
            if one.process is not None:
                one.stop()


def walk(walker: Walker, installation: Installation, provider: Callable[[], str]) -> Iterator[str]:
    """The five tasks, one after the other; gives the name of each when it is done."""

    def signed_in() -> None:
        walker.browser.open(f"{walker.url}/console/sign-in")
        forget(walker.browser)
        walker.sign_in("admin")

    walker.begin("receiver")
    own_station_and_receiver(walker, installation.link, installation.receiver_port)
    yield "own receiver and station"
    walker.begin("viewer")
    signed_in()
    look_only(walker, "bea")
    yield "a second user who may only look"
    walker.begin("key")
    signed_in()
    key_of_a_program(walker, "grafana")
    yield "a key of a program"
    walker.begin("threshold")
    signed_in()
    restored_threshold(walker)
    yield "a changed threshold restored"
    walker.begin("single-sign-on")
    signed_in()
    single_sign_on(walker, installation, provider)
    yield "single sign-on"


def main() -> int:
    """The command; 1 where a task fails, takes a person more than two minutes, or a page has a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path)
    pictures = parser.parse_args().pictures
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        print("there is no chromium with its driver here", file=sys.stderr)
        return 2
    failures = 0
    for width, scheme in LOOKS:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            installation = stack.enter_context(prepared(folder))
            browser = stack.enter_context(chromium(binary, driver))
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
            browser.cdp("Emulation.setDeviceMetricsOverride", **size)
            browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            shots = None if pictures is None else pictures / f"{width}-{scheme}"
            if shots is not None:
                shots.mkdir(parents=True, exist_ok=True)
            url = f"http://127.0.0.1:{installation.service.port}"
            walker = Walker(browser, url, shots, looks=True)
            provider = lambda: stack.enter_context(certified_provider(free_port(), url))  # noqa: E731, B023
            print(f"{width} px, {scheme}")
            failures += _time(walker, walk(walker, installation, provider))
    return 1 if failures else 0


def _time(walker: Walker, tasks: Iterator[str]) -> int:
    """Print a line for each task; how many of them failed, and how many faults the pages have."""
    failures, began = 0, time.monotonic()
    try:
        for name in tasks:
            spent, began = time.monotonic() - began, time.monotonic()
            is_slow = walker.person_s > MAX_S
            failures += is_slow
            print(
                f"  {name}: {walker.actions} actions, {walker.characters} characters, a person {walker.person_s:.0f} s"
                f"{' (too long)' if is_slow else ''}, the browser {spent:.0f} s",
                flush=True,
            )
    except (AssertionError, httpx.HTTPError) as error:
        failures += 1
        print(f"  {walker.name}: {error}; {walker.browser.run('return location.href')}", flush=True)
    faults = sorted(set(walker.faults))
    print(*(f"  {fault}" for fault in faults), sep="\n", end="\n" if faults else "")
    return failures + len(faults)


if __name__ == "__main__":
    sys.exit(main())
