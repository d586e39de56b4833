"""The pictures of the manual: made here, and written to docs/pictures by ``make pictures``."""

from __future__ import annotations

import base64
import contextlib
import io
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from rich.console import Console

from skywatch.cli.radar.columns import Trends
from skywatch.cli.radar.table import screen
from skywatch.cli.radar.view import Screen
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.firsts.models import CountedDay, Sighting
from skywatch.receivers.simulator.traffic import Traffic
from tests.conftest import ROOT
from tests.integration.web.conftest import MANY, SKY
from tests.integration.web.pages import IN_ORDER, LIVE, PASSWORD, ROWS, House, Page
from tests.ports import free_port
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.nightly("takes the pictures of the manual")


@pytest.fixture
def page(page_with_webgl):
    """The manual shows the map as most people see it."""
    return page_with_webgl


MAX_BYTES = 150_000
SEED, AIRCRAFT = 7, 40
# Which of these is new, and which one was away.
NEW, AWAY = 4, 1
PICTURES = {
    "map": (1280, 800, "dark", "map", False),
    "selection": (1280, 800, "light", "map", True),
    "history": (1280, 800, "dark", "history?callsign=SWR3", False),
    "statistics": (1280, 800, "light", "stats", False),
    "phone": (390, 780, "dark", "map", False),
}


@pytest.fixture(scope="module")
def known_sky(built, tmp_path_factory):
    """A service that has known its simulated aircraft, all but one, for two months."""
    settings = {**SKY, **MANY, "receiver__demo": f"simulate aircraft={AIRCRAFT} seed={SEED}"}
    running = House(tmp_path_factory.mktemp("known_sky"), auth_mode="hybrid", **settings).init()
    running.add_user("viewer", "viewer", PASSWORD)
    engine = create_engine(running.database_url)
    with writing(create_session_factory(engine)) as db:
        for model, rows in ((Sighting, sightings()), (CountedDay, days())):
            db.execute(sa.insert(model), list(rows))
    engine.dispose()
    yield running.start()
    running.stop()


def sightings():
    """Every aircraft but one flew yesterday, or 45 days ago; of each type more are known."""
    centre = (float(SKY["station_lat"]), float(SKY["station_lon"]))
    aircraft = Traffic(AIRCRAFT, centre, time.time(), seed=SEED).reports()
    for number, report in enumerate(aircraft):
        if number != NEW:
            yield sighting("airframe", report.hex.upper(), report.hex.upper(), 45 if number == AWAY else 1)
    for kind in {report.t for report in aircraft if report.t}:
        for number in range(8):
            yield sighting("type", kind, f"4B16{number:02X}", 1)


def sighting(kind, key, address, days_ago):
    times = {"first_at": utcnow() - timedelta(days=60), "last_at": utcnow() - timedelta(days=days_ago)}
    return {
        "kind": kind, "key": key, "icao_hex": address, "simulated": True, "flights": 4, "callsign": None,
        "flight_id": None, "name": None, "military": False, "is_open": False, **times,
    }  # fmt: skip


def days():
    at = utcnow() - timedelta(days=1)
    times = dict.fromkeys(("first_at", "last_at", "hour_at"), at)
    counts = {"flights": 812, "airframes": 640, "hour_flights": 97}
    yield {"day": at.date(), "simulated": True, "military": False, **counts, **times}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_manual(page, house, known_sky, name):
    width, height, theme, place, selected = PICTURES[name]
    page.size(width, height)
    page.media(prefers_color_scheme=theme)
    page.sign_in(known_sky if place == "map" else house, "viewer", f"/#/{place}")
    if place == "map":
        page.wait_for(LIVE, "aircraft in the list")
        page.wait_for("return document.querySelector('.worth .chip') !== null", "what is worth a look")
        page.wait_for(IN_ORDER, "distances")
    else:
        page.wait_for("return document.querySelectorAll('.page .card-button, .page .tile').length > 5", "the page")
    page.wait_for("return (document.querySelector('sw-map')?.stage.picture.count ?? 1) > 0", "aircraft on the map")
    if selected:
        hexa = page.run(ROWS)[8].removeprefix("row-")
        page.run(f"location.hash = '#/map?hex={hexa}'")
        page.wait_for_element(".panel h2")
    take(page, name)


def test_the_picture_of_the_console(page, house):
    page.size(1280, 800)
    page.visit(house, "/console")
    page.type("input[name=username]", "root")
    page.type("input[name=password]", PASSWORD)
    page.click("main button")
    page.wait_for(
        "return document.querySelectorAll('main table tr, main .card').length > 3", "the console's first page"
    )
    take(page, "console")


def test_the_picture_of_the_radar(page, house, tmp_path):
    """As Rich draws it, on a page of its own."""
    aircraft = house.call("GET", "aircraft?limit=1000").json()["aircraft"]
    console = Console(
        record=True, file=io.StringIO(), width=112, height=34, force_terminal=True, color_system="truecolor"
    )
    view = Screen()
    for key in ("", "down", "down", "down", "enter"):
        view.press(key)
        shown = screen(aircraft, "live", view, Trends(), 110, 34)
    console.print(shown)
    drawing = console.export_svg(title="skywatch radar http://127.0.0.1:6543")
    # The typeface is this machine's own: a picture asks nobody on the internet.
    drawing = re.sub(r"@font-face \{.*?\}", "", drawing, flags=re.S)
    style = "<style>body { margin: 0; overflow: hidden }</style>"
    (tmp_path / "radar.html").write_text(f"{style}{drawing}", encoding="utf-8")
    page.size(1280, 800)
    page.open((tmp_path / "radar.html").as_uri())
    page.wait_for("return document.querySelector('svg') !== null", "the drawing")
    take(page, "radar")


def test_the_picture_of_tar1090(page, service):
    """tar1090's page is not part of Skywatch: TAR1090_HTML names its folder ``html``."""
    html = os.environ.get("TAR1090_HTML")
    if html is None:
        pytest.skip("TAR1090_HTML does not name tar1090's page")
    running = service(auth_mode="public")
    running.start()
    with behind(html, running.port) as port:
        page.size(1280, 800)
        page.open(f"http://127.0.0.1:{port}/tar1090/?zoom=8&centerReceiver&tableInView")
        page.wait_for("return document.querySelectorAll('#planesTable tbody tr').length > 20", "aircraft")
        take(page, "tar1090")


@contextlib.contextmanager
def behind(html: str, api_port: int) -> Iterator[int]:
    """The site of the deployment page with tar1090's page in a folder: its port."""
    port = free_port()
    site = (ROOT / "deploy/nginx/tar1090.conf").read_text().replace("/usr/local/share/tar1090/html", html.rstrip("/"))
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "nginx.conf"
        config.write_text(
            f"daemon off; master_process off; pid {folder}/pid; error_log stderr; events {{}}\n"
            f"http {{ include /etc/nginx/mime.types; access_log off; client_body_temp_path {folder};\n"
            f"upstream skywatch_api {{ server 127.0.0.1:{api_port}; }}\n"
            f"server {{ listen 127.0.0.1:{port};\n{site}\n}} }}\n"
        )
        process = subprocess.Popen(["nginx", "-c", str(config), "-p", folder])
        try:
            until(lambda: _answers(port), "nginx")
            yield port
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _answers(port: int) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"http://127.0.0.1:{port}/tar1090/").is_success
    return False


def take(page: Page, name: str) -> None:
    """Take a picture of the page, and write it where it is wanted."""
    page.wait_for("return document.fonts.status === 'loaded'", "the letters")
    page.run_async("const done = arguments[arguments.length - 1]; setTimeout(done, 2000)")
    picture = base64.b64decode(page.cdp("Page.captureScreenshot", format="webp", quality=82)["data"])
    assert picture[8:12] == b"WEBP"
    assert 4_000 < len(picture) <= MAX_BYTES
    if folder := os.environ.get("SKYWATCH_PICTURES"):
        Path(folder).mkdir(exist_ok=True)
        (Path(folder) / f"{name}.webp").write_bytes(picture)
