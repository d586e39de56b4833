"""A real browser with the built application, and a real service below it."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.chromium import chromium
from tests.conftest import ROOT
from tests.processes import Service
from tests.servers import skip_or_fail

# Software rendering: WebGL without a graphics card.
WITH_WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The application, built from the sources as they are."""
    lock = tmp_path_factory.getbasetemp().parent / "web.lock"
    with lock.open("w") as handle:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX)
        done = subprocess.run(
            [sys.executable, str(ROOT / "web" / "make.py"), "build"], capture_output=True, text=True, check=False
        )
    if done.returncode:
        skip_or_fail(f"the web application cannot be built here: {done.stderr.strip()[-300:]}")


@pytest.fixture
def browser(built):
    """Opens browsers; switches may be added."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        skip_or_fail("there is no chromium with its driver here")
    opened = []

    def make(*switches, webgl=True):
        context = chromium(binary, driver, (*(WITH_WEBGL if webgl else ()), *switches))
        opened.append(context)
        return context.__enter__()

    yield make
    for context in opened:
        context.__exit__(None, None, None)


@pytest.fixture
def service(tmp_path):
    """A service with simulated aircraft; settings may be changed."""
    made = []

    def make(**settings):
        values = {"receiver__demo": "simulate aircraft=40", "station_lat": 47.45, "station_lon": 8.56, **settings}
        made.append(Service(tmp_path, **values))
        return made[-1].init()

    yield make
    for one in made:
        one.stop()
