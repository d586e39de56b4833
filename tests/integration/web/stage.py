"""One service and one browser for all tests of a module, with people who sign in."""

from __future__ import annotations

import json
import os
from base64 import b64decode
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx

from tests.accounts import PASSWORD
from tests.axe import serious_faults
from tests.chromium import Browser
from tests.processes import Service
from tests.waiting import PATIENCE_S, until


class Stage:
    """What a test of a page needs: the service's API as a person, and the page as that person sees it."""

    def __init__(self, service: Service, page: Browser) -> None:
        self.service, self.page = service, page
        self.url = f"http://127.0.0.1:{service.port}"
        self._signed_in = ""
        self._clients: dict[str, httpx.Client] = {}

    @classmethod
    def begin(cls, folder: Path, page: Browser, people: tuple[str, ...], **settings: Any) -> Stage:
        """Start a service with a user for each of these roles."""
        values = {"receiver__demo": "simulate aircraft=40", "station_lat": 47.45, "station_lon": 8.56, **settings}
        # Tests sign in as one after the other, from one address.
        values["default_throttle_rates__login"] = "1000/minute"
        service = Service(folder, auth_mode="hybrid", **values).init()
        for role in people:
            service.add_user(role, role)
        service.start(wait=False)
        until(lambda: "REST API" in service.log.read_text())
        made = cls(service, page)
        if people:
            until(lambda: made.api(people[0]).get("/aircraft").status_code == HTTPStatus.OK)
        return made

    def api(self, role: str) -> httpx.Client:
        """The REST API as somebody of this role, who logs in once."""
        if role in self._clients:
            return self._clients[role]
        client = self._clients[role] = httpx.Client(base_url=f"{self.url}/api/v1", timeout=PATIENCE_S)
        login = client.post("/auth/login", json={"username": role, "password": PASSWORD}).json()
        client.headers["Authorization"] = f"Bearer {login['access']}"
        return client

    def end(self) -> None:
        """Stop the service."""
        for client in self._clients.values():
            client.close()
        self.service.stop()

    def sign_in(self, role: str, url: str = "") -> None:
        """Be this person in the browser, with nothing left of whoever was there before."""
        page, base = self.page, url or self.url
        if self._signed_in == f"{base} {role}":
            return
        page.open(f"{base}/icon.svg")
        page.run("localStorage.clear()")
        page.open("about:blank")
        page.open(f"{base}/#/login")
        page.type("input[name=username]", role)
        page.type("input[name=password]", PASSWORD)
        page.click(".login-card button.primary")
        self.shows("!!document.querySelector('.state-open')")
        self._signed_in = f"{base} {role}"

    def go(self, place: str) -> None:
        """Open a place of the application, as it is when it is opened for the first time."""
        self.page.run("location.hash = '#/settings'")
        self.shows("document.querySelector('sw-settings h1') !== null")
        self.page.run(f"location.hash = {json.dumps('#/' + place)}")

    def shows(self, script: str) -> Any:
        """Wait until an expression is true in the page."""
        return until(lambda: self.page.run(f"return {script}"), script, every_s=0.1)

    def text(self, selector: str) -> str:
        """The text of an element, empty where there is none."""
        found: str = self.page.run(f"return document.querySelector({json.dumps(selector)})?.innerText ?? ''")
        return found

    def press(self, text: str) -> None:
        """Press the first button or link that bears this text."""
        self.shows(
            "(() => { const found = [...document.querySelectorAll('main button, main a')]"
            f".find(one => !one.disabled && one.textContent.trim() === {json.dumps(text)});"
            " found?.click(); return found !== undefined; })()"
        )

    def offers(self) -> list[str]:
        """Everything of the open page that can be pressed."""
        found: list[str] = self.page.run(
            "return [...document.querySelectorAll('.page button, .page a, .page label.file')]"
            ".map(one => one.textContent.trim())"
        )
        return found

    def on_a_phone(self, look: Callable[[], None]) -> None:
        """Look at the page with the width of a phone, in the dark theme: the tests of a desk see the light one."""
        try:
            self.page.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            self._size(390, 844, mobile=True)
            look()
        finally:
            self.page.cdp("Emulation.setEmulatedMedia", features=[])
            self._size(1280, 860, mobile=False)

    def pictures(self, name: str, height: int = 0) -> None:
        """Keep what is shown, wide and narrow, light and dark, in ``SKYWATCH_PICTURES_OF_PAGES``."""
        folder = os.environ.get("SKYWATCH_PICTURES_OF_PAGES")
        if not folder:
            return
        try:
            for width, usual in ((1280, 860), (390, 844)):
                self._size(width, height or usual, mobile=width < 800)
                for scheme in ("light", "dark"):
                    features = [{"name": "prefers-color-scheme", "value": scheme}]
                    self.page.cdp("Emulation.setEmulatedMedia", features=features)
                    shot = self.page.cdp("Page.captureScreenshot", format="png")
                    Path(folder, f"{name}-{width}-{scheme}.png").write_bytes(b64decode(shot["data"]))
        finally:
            self.page.cdp("Emulation.setEmulatedMedia", features=[])
            self._size(1280, 860, mobile=False)

    def _size(self, width: int, height: int, *, mobile: bool) -> None:
        self.page.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile
        )

    def faults(self) -> list[str]:
        """What axe-core finds of serious or critical impact."""
        return serious_faults(self.page)
