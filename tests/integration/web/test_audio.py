"""The audio page, and what the service worker does, in a real browser."""

from __future__ import annotations

import json
import time

import pytest

from tests.audio import sound
from tests.integration.web.archive import MAGENTA, archive, is_drawn, picture, served
from tests.integration.web.stage import Stage
from tests.waiting import until

CHANNEL = "<i>Tower</i>"


@pytest.fixture(scope="module")
def stage(shared_page, tmp_path_factory):
    folder = tmp_path_factory.mktemp("audio")
    tape = folder / "acars.jsonl"
    tape.touch()
    with served(archive(picture())) as address:
        made = Stage.begin(
            folder,
            shared_page,
            ("admin", "viewer"),
            host="0.0.0.0",
            audio_directory=str(folder / "recordings"),
            acars__tape=f"file {tape}",
            map_pmtiles=address,
        )
        made.tape = tape
        yield from recordings(made)


def recordings(made):
    for at, channel in enumerate((CHANNEL, CHANNEL, "Ground")):
        upload(made, channel, sound(seconds=0.4 + 0.2 * at, hertz=300 + 100 * at))
    yield made
    made.end()


def upload(stage, channel, data):
    files = {"audio": ("a.wav", data)}
    answer = stage.api("admin").post("/audio/transmissions", data={"channel": channel}, files=files)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def test_recordings_are_listed_heard_and_filtered(stage):
    stage.sign_in("viewer")
    page = stage.page
    stage.go("audio")
    stage.shows("document.querySelectorAll('.transmission').length === 3")
    assert CHANNEL in stage.text("sw-audio .cards")
    assert page.run("return document.querySelectorAll('sw-audio .cards i').length") == 0
    assert page.run("return document.querySelector('.wave path:not(.played)').getAttribute('d').length") > 1000
    assert "Delete" not in stage.offers()
    # Played with the session's token: nothing of it is in an address.
    page.run("document.querySelector('.transmission .play').click()")
    player = "document.querySelector('sw-audio').player"
    stage.shows(f"{player}.at > 0.05")
    fetched = page.run(
        "return performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('/file'))"
    )
    assert fetched
    assert all("token" not in name and "?" not in name for name in fetched)
    # The keyboard seeks: a step of the range is a tenth of a second.
    page.run(f"{player}.pause(); document.querySelector('.chosen input[type=range]').focus()")
    page.keys("\ue011\ue014\ue014")  # Home, twice arrow right
    stage.shows(f"Math.abs({player}.at - 0.2) < 0.05")
    page.run(
        "const select = document.querySelector('select[name=channel]'); select.value = 'Ground';"
        "select.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    stage.shows("document.querySelectorAll('.transmission').length === 1")
    assert page.run("return location.hash") == "#/audio?channel=Ground"


def test_a_span_is_played_in_order_and_what_comes_is_shown_at_once(stage):
    stage.sign_in("viewer")
    page = stage.page
    stage.go("audio")
    stage.shows("document.querySelectorAll('.transmission').length >= 3")
    # Each is played for less than a second, which nobody who looks from outside is sure to see.
    page.run(
        "window.played = []; const { player } = document.querySelector('sw-audio'); let { current } = player;"
        "Object.defineProperty(player, 'current',"
        " { get: () => current, set(id) { current = id; if (id) played.push(id); } })"
    )
    stage.press("1 hour")
    until(lambda: page.run("return played.length") >= 3, "all are played")
    order = page.run("return played")
    assert order == sorted(order), "the oldest first"
    count = page.run("return document.querySelectorAll('.transmission').length")
    number = upload(stage, "Approach", sound(seconds=0.3))
    stage.shows(f"document.querySelectorAll('.transmission').length === {count + 1}")
    stage.shows("document.querySelector('select[name=channel]').innerText.includes('Approach')")
    assert stage.api("admin").delete(f"/audio/transmissions/{number}").status_code == 204


def test_the_audio_page_has_no_serious_faults_and_fits_a_narrow_screen(stage):
    stage.sign_in("admin")
    page = stage.page
    page.cdp("Emulation.setDeviceMetricsOverride", width=320, height=700, deviceScaleFactor=1, mobile=False)
    try:
        for theme in ("dark", "light"):
            page.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
            stage.go("audio")
            stage.shows("document.querySelectorAll('.transmission').length >= 3")
            page.run("document.querySelectorAll('details').forEach(one => { one.open = true })")
            assert stage.faults() == []
            assert page.run("return document.documentElement.scrollWidth") <= 320
        # The page next to the map leaves room for it, and more when it is drawn down.
        top = page.run("return document.querySelector('.page').getBoundingClientRect().top")
        assert top > 280
        page.run("document.querySelector('.drawer-handle').click()")
        stage.shows("document.querySelector('.page').getBoundingClientRect().height === 0")
        page.run("document.querySelector('.drawer-handle').click()")
    finally:
        page.cdp("Emulation.setDeviceMetricsOverride", width=1280, height=860, deviceScaleFactor=1, mobile=False)


def test_an_aircraft_is_shown_with_its_messages_on_the_tiles_of_an_archive(stage):
    stage.sign_in("admin")
    page = stage.page
    stage.go("map")
    page.run("location.hash = '#/map?at=10,8.56,1.7'")
    # The tile of the whole world is magenta.
    stage.shows(is_drawn(MAGENTA))
    source = "document.querySelector('.map-source a')"
    stage.shows(f"{source}?.textContent === 'Tiles by nobody'")
    assert page.run(f"return {source}.href") == "https://tiles.example/source"
    found = stage.api("admin").get("/aircraft?limit=5").json()["aircraft"]
    address = next(one["hex"] for one in found if not one["hex"].startswith("~"))
    text = "<b>GATE</b> A12"
    message = {
        "timestamp": time.time(), "station_id": "TEST", "channel": 0, "freq": 136.975, "icao": int(address, 16),
        "mode": "2", "label": "H1", "block_id": "1", "ack": False, "tail": "HB-TST", "flight": "LX0012", "text": text,
    }  # fmt: skip
    with stage.tape.open("a") as tape:
        tape.write(json.dumps(message) + "\n")
    page.run(f"location.hash = '#/map?hex={address}'")
    stage.shows(f"document.querySelector('.panel-messages pre')?.textContent === {text!r}")
    assert page.run("return document.querySelector('.panel-messages pre b')") is None


def test_over_plain_http_the_page_says_what_it_cannot_do(stage):
    stage.sign_in("admin", f"http://skywatch.test:{stage.service.port}")
    assert stage.page.run("return isSecureContext") is False
    stage.go("alerts?tab=channels")
    assert "https" in stage.shows("document.querySelector('.notice-line')?.textContent")
    assert "Allow notifications here" not in stage.offers()
    assert stage.page.run("return 'serviceWorker' in navigator") is False


def test_the_page_opens_without_the_service_and_comes_alive_with_it(stage):
    stage.sign_in("viewer")
    page = stage.page
    kept = "const done = arguments[arguments.length - 1]; caches.match('./').then(found => done(found !== undefined))"
    page.run("navigator.serviceWorker.register('keeper.js')")
    until(lambda: page.run_async(kept), "the page is kept")
    stage.shows("navigator.serviceWorker.controller !== null")
    stores = page.run_async(
        "const done = arguments[arguments.length - 1];"
        "caches.keys().then(async names => done((await Promise.all(names.map(async name =>"
        "(await (await caches.open(name)).keys()).map(one => one.url)))).flat()))"
    )
    assert all("/api/" not in url for url in stores), "nothing of the API is kept"
    stage.service.stop()
    try:
        page.open("about:blank")
        page.open(f"{stage.url}/")
        stage.shows("document.querySelector('.splash p')?.textContent.includes('cannot be reached')")
    finally:
        stage.service.start(wait=False)
    stage.shows("document.querySelector('.state-open') !== null")
