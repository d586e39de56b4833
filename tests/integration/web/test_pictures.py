"""The pictures of the manual: made here, and written to docs/pictures by ``make pictures``."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from tests.integration.web.pages import LIVE, ROWS

MOST_BYTES = 150_000
PICTURES = {
    "map": (1280, 800, "dark", "map", False),
    "selection": (1280, 800, "light", "map", True),
    "history": (1280, 800, "dark", "history?callsign=SWR3", False),
    "statistics": (1280, 800, "light", "stats", False),
    "phone": (390, 780, "dark", "map", False),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_manual(page, house, name):
    width, height, theme, place, selected = PICTURES[name]
    page.size(width, height)
    page.media(prefers_color_scheme=theme)
    page.sign_in(house, "viewer", f"/#/{place}")
    if place == "map":
        page.wait_for(LIVE, "aircraft in the list")
    else:
        page.wait_for("return document.querySelectorAll('.page .card-button, .page .tile').length > 5", "the page")
    page.wait_for("return (document.querySelector('sw-map')?.stage.picture.count ?? 1) > 0", "aircraft on the map")
    if selected:
        hexa = page.run(ROWS)[8].removeprefix("row-")
        page.run(f"location.hash = '#/map?hex={hexa}'")
        page.wait_for_element(".panel h2")
    page.wait_for("return document.fonts.status === 'loaded'", "the letters")
    page.run_async("const done = arguments[arguments.length - 1]; setTimeout(done, 300)")
    picture = base64.b64decode(page.cdp("Page.captureScreenshot", format="webp", quality=82)["data"])
    assert picture[8:12] == b"WEBP"
    assert 4_000 < len(picture) <= MOST_BYTES
    if folder := os.environ.get("SKYWATCH_PICTURES"):
        Path(folder).mkdir(exist_ok=True)
        (Path(folder) / f"{name}.webp").write_bytes(picture)
