"""A headless Chromium, steered by the few WebDriver commands (W3C) that tests take."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx

from tests.ports import free_port
from tests.waiting import PATIENCE_S, until

# Longest time that a script or the load of a page may take (s).
SCRIPT_S = 3 * PATIENCE_S
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """One browser; whatever is not there yet is waited for."""

    def __init__(self, client: httpx.Client, binary: str, more: Sequence[str] = ()) -> None:
        self._client = client
        switches = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"]
        switches += more or ["--disable-gpu"]
        wanted = {
            "goog:chromeOptions": {"binary": binary, "args": switches},
            "goog:loggingPrefs": {"browser": "ALL"},
            # What takes long on a busy machine, such as axe-core on a large page, is not broken.
            "timeouts": {"script": int(1000 * SCRIPT_S), "pageLoad": int(1000 * SCRIPT_S)},
        }
        answer = client.post("/session", json={"capabilities": {"alwaysMatch": wanted}})
        assert answer.status_code == 200, answer.text
        self._base = f"/session/{answer.json()['value']['sessionId']}"

    def open(self, url: str) -> None:
        self._do("POST", "/url", {"url": url})

    def windows(self) -> list[str]:
        found: list[str] = self._do("GET", "/window/handles")
        return found

    def switch_to(self, window: str) -> None:
        self._do("POST", "/window", {"handle": window})

    def switch_to_other_than(self, window: str) -> None:
        until(lambda: len(self.windows()) > 1)
        self.switch_to(next(other for other in self.windows() if other != window))

    def close_window(self) -> None:
        """Close the window in use; another one is to be switched to next."""
        self._do("DELETE", "/window")

    def click(self, selector: str) -> None:
        self._on(selector, "/click", {})

    def type(self, selector: str, text: str) -> None:
        self._on(selector, "/value", {"text": text})

    def text_of(self, selector: str) -> str:
        """The text of an element, once it has any."""

        def text() -> str | None:
            # Between two pages an element may go before it is read.
            answer = self._client.get(f"{self._base}/element/{self._find(selector)}/text")
            return answer.json()["value"] if answer.is_success else None

        found: str = until(text)
        return found

    def shows(self, selector: str, text: str) -> bool:
        """Whether an element comes to show a text; the page before may have one of the same name."""
        until(lambda: self.text_of(selector) == text)
        return True

    def run(self, script: str) -> Any:
        """What a script gives back that is run in the page, outside its policy."""
        return self._do("POST", "/execute/sync", {"script": script, "args": []})

    def run_in_frame(self, selector: str, script: str) -> Any:
        """What a script gives back that is run in the document of a frame, whichever site it is of."""
        self._do("POST", "/frame", {"id": {ELEMENT: self._find(selector)}})
        try:
            return self.run(script)
        finally:
            self._do("POST", "/frame", {"id": None})

    def run_async(self, script: str) -> Any:
        """What a script gives to its last argument, a function."""
        return self._do("POST", "/execute/async", {"script": script, "args": []})

    def keys(self, text: str) -> None:
        """Keys pressed one after the other, wherever the focus is."""
        strokes = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._do("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})

    def cdp(self, command: str, **parameters: Any) -> Any:
        """A command of the DevTools protocol."""
        return self._do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def complaints(self) -> list[str]:
        """The red lines of the browser's console since the last call."""
        entries = self._do("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def close(self) -> None:
        self._client.delete(self._base)

    def _on(self, selector: str, action: str, body: dict[str, Any]) -> None:
        # Between two pages an element may go while it is being used.
        until(lambda: self._client.post(f"{self._base}/element/{self._find(selector)}{action}", json=body).is_success)

    def _find(self, selector: str) -> str:
        def find() -> str | None:
            body = {"using": "css selector", "value": selector}
            answer = self._client.post(f"{self._base}/element", json=body)
            return answer.json()["value"][ELEMENT] if answer.is_success else None

        try:
            found: str = until(find)
        except AssertionError as error:
            shown = self.run("return location.href + ': ' + (document.body?.innerText ?? '').slice(0, 300)")
            raise AssertionError(f"no {selector} on {shown}") from error
        return found

    def _do(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        answer = self._client.request(method, self._base + path, json=body)
        assert answer.is_success, answer.text
        return answer.json()["value"]


@contextmanager
def chromium(binary: str, driver: str, switches: Sequence[str] = ()) -> Iterator[Browser]:
    """A browser until the end of the block."""
    port = free_port()
    process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=SCRIPT_S + PATIENCE_S) as client:

            def ready() -> bool:
                try:
                    return bool(client.get("/status").json()["value"]["ready"])
                except httpx.TransportError:
                    return False

            until(ready)
            browser = Browser(client, binary, switches)
            try:
                yield browser
            finally:
                browser.close()
    finally:
        process.terminate()
        process.wait()
