"""A browser that looks at what a drill has installed: it signs in and waits for aircraft.

``python -m tests.drills.browser URL [--user NAME] [--picture FILE]`` runs in the network of the installation, and reads
the user's password from standard input. Needs chromium and its driver.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import sys
import time
from pathlib import Path

from tests.chromium import chromium
from tests.integration.web.conftest import WITH_WEBGL
from tests.integration.web.pages import DRAWN, LIVE, Page
from tests.waiting import until

# Of 40 or 50 simulated aircraft; a few pixels could be anything.
MIN_PIXELS = 50
WIDTH, HEIGHT = 1280, 860


def main() -> int:
    """Look, and print what was seen; 0 where aircraft are drawn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="with a slash at the end")
    parser.add_argument("--user", help="whoever signs in; nobody if not given")
    parser.add_argument("--picture", type=Path, help="the file of a screenshot")
    options = parser.parse_args()
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        print("browser: there is no chromium with its driver here", file=sys.stderr)
        return 1
    began = time.monotonic()
    with chromium(binary, driver, WITH_WEBGL) as opened:
        page = Page(opened)
        page.size(WIDTH, HEIGHT)
        try:
            look(page, options.url, options.user)
        except AssertionError as failure:
            text = page.run("return document.body.innerText.slice(0, 500)")
            print(f"browser: {options.url} shows no aircraft: {failure}\n{text}", file=sys.stderr)
            return 1
        finally:
            if options.picture:
                options.picture.write_bytes(base64.b64decode(page.cdp("Page.captureScreenshot", format="png")["data"]))
    print(f"browser: aircraft on the map {time.monotonic() - began:.1f} s after the browser was started")
    return 0


def look(page: Page, url: str, user: str | None) -> None:
    """Open the application and wait until aircraft are in the list and on the map; raises AssertionError."""
    if user:
        page.open(f"{url}#/login")
        page.type("input[name=username]", user)
        page.type("input[name=password]", sys.stdin.readline().rstrip("\n"))
        page.click(".login-card button.primary")
    else:
        page.open(url)
    page.wait_for(LIVE, "aircraft in the list")
    until(lambda: page.run(DRAWN) > MIN_PIXELS, "aircraft on the map")


if __name__ == "__main__":
    sys.exit(main())
