"""Runs the certified provider, Skywatch on a real socket, and a browser that is a script."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
from waitress.server import create_server

from tests.app_templates import make_app
from tests.conftest import ROOT
from tests.node_packages import NODE, installed
from tests.waiting import PATIENCE_S

PACKAGE = "oidc-provider@8.8.1"
HERE = Path(__file__).resolve().parent


def provider_script() -> Path:
    """The script that runs the provider, next to the packages it imports; each test process has its own."""
    folder = installed(PACKAGE, ROOT / "build" / "oidc-provider")
    return Path(shutil.copy(HERE / "provider.mjs", folder / f"provider-{os.getpid()}.mjs"))


@contextmanager
def certified_provider(port: int, site: str) -> Iterator[str]:
    """The provider's address while it runs; ``site`` is Skywatch's."""
    options = json.dumps({"port": port, "site": site})
    command = [NODE, str(provider_script()), options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        lines = []
        while not (lines and lines[-1].startswith("listening")):
            line = process.stdout.readline()
            assert line, "".join(lines)
            lines.append(line)
        # Its warnings must not fill the pipe.
        drain = threading.Thread(target=process.stdout.read, daemon=True)
        drain.start()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@contextmanager
def served(runtime: Any, port: int) -> Iterator[str]:
    """Skywatch's API at a port."""
    server = create_server(make_app(runtime), host="127.0.0.1", port=port, threads=4)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.close()
        thread.join(PATIENCE_S)


def log_in(browser: httpx.Client, url: str, name: str, stop_at: str) -> str:
    """Go from an address through login and consent, as a person would; gives the first address under ``stop_at``."""
    return _go(browser, url, stop_at, {"login": {"login": name, "password": "anything"}})


def log_out(browser: httpx.Client, url: str, stop_at: str) -> str:
    """Say yes to the provider, which asks whether its session shall end; gives the first address under ``stop_at``."""
    return _go(browser, url, stop_at, {"logout": {"logout": "yes"}})


def _go(browser: httpx.Client, url: str, stop_at: str, answers: Mapping[str, Mapping[str, str]]) -> str:
    """Follow redirects and send forms on; where a form has a field of ``answers``, with what stands there."""
    response = browser.get(url)
    for _ in range(20):
        if response.is_redirect:
            target = urljoin(str(response.url), response.headers["Location"])
            if target.startswith(stop_at):
                return target
            response = browser.get(target)
            continue
        assert response.status_code == 200, response.text
        action = html.unescape(re.search(r'<form[^>]* action="([^"]+)"', response.text)[1])
        fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', response.text))
        for name, more in answers.items():
            if f'name="{name}"' in response.text:
                fields |= more
        response = browser.post(urljoin(str(response.url), action), data=fields)
    raise AssertionError(f"no way to {stop_at} in twenty steps, last {urlsplit(str(response.url)).path}")
