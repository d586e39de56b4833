"""A user's walk: register a feeder, paste its line into a program, see it connected, and change it."""

from __future__ import annotations

import contextlib
import socket
import threading

import pytest

from tests.integration.web.stage import Stage
from tests.ports import free_port
from tests.waiting import until

FRAME = b"\x1a3" + bytes(6) + b"\x80" + bytes.fromhex("8d4840d6202cc371c32ce0576098")


class Feeder:
    """A program that was given the ultrafeeder's line: ``adsb,HOST,PORT,beast_reduce_plus_out,uuid=UUID``."""

    def __init__(self, line):
        _, host, port, _, uuid = line.split(",")
        self._address = host, int(port)
        self._hello = b"\x1a\xe4" + uuid.removeprefix("uuid=").encode() + b"\x1aWO"
        self.endings = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(0.3):
            with contextlib.suppress(OSError), socket.create_connection(self._address) as connection:
                connection.sendall(self._hello)
                while not self._stop.wait(0.1):
                    connection.sendall(FRAME)
            self.endings += 1

    def close(self):
        self._stop.set()
        self._thread.join()


@pytest.fixture(scope="module")
def stage(shared_page, tmp_path_factory):
    listen = f"listen 127.0.0.1:{free_port()}"
    made = Stage.begin(tmp_path_factory.mktemp("feeders"), shared_page, ("admin", "viewer"), receiver__in=listen)
    cellar = {"name": "Cellar", "lat": 47.46, "lon": 8.55, "altitude_ft": 1500}
    assert made.api("admin").post("/feeders/", json=cellar).status_code == 201
    yield made
    made.end()


def fill(stage, **values):
    for name, value in values.items():
        stage.page.type(f".form [name={name}]", value)


def test_a_feeder_is_registered_connects_and_is_changed(stage):
    stage.sign_in("admin")
    stage.go("feeders")
    stage.press("Register a feeder")
    fill(stage, name="Attic", lat="47.46", lon="8.55", altitude_ft="1500")
    assert stage.faults() == []
    stage.press("Register")
    stage.shows("document.querySelectorAll('.feeder-credentials code').length === 4")
    assert stage.faults() == []
    codes = "[...document.querySelectorAll('.feeder-credentials code')].map(one => one.innerText)"
    uuid, readsb, ultrafeeder, socat = stage.page.run(f"return {codes}")
    assert all(uuid in line for line in (readsb, ultrafeeder, socat))
    feeder = Feeder(ultrafeeder)
    try:
        stage.press("Done")
        stage.shows("document.querySelector('sw-feeders tbody .tag.good')?.textContent === 'Connected'")
        assert uuid not in stage.page.run("return document.documentElement.outerHTML")
        stage.press("Attic")
        stage.shows("document.querySelector('sw-feeder .tag.good') !== null")
        stage.shows("document.querySelector('.feeder-facts')?.innerText.includes('127.0.0.1:')")
        assert "47.46°, 8.55°, 1,500\u00a0ft" in stage.text("sw-feeder")
        assert stage.faults() == []
        endings = feeder.endings
        stage.press("Disable")
        stage.shows("document.querySelector('sw-feeder header .tag')?.textContent === 'Disabled'")
        until(lambda: feeder.endings > endings, "the end of the connection")
    finally:
        feeder.close()


def test_the_pages_fit_a_phone_in_the_dark_theme(stage):
    def fits():
        assert stage.page.run("return document.documentElement.scrollWidth") <= 390
        assert stage.faults() == []

    def look():
        stage.go("feeders")
        stage.shows("document.querySelector('sw-feeders tbody a') !== null")
        fits()
        stage.press("Cellar")
        stage.press("Edit")
        stage.shows("document.querySelector('.form [name=place_privacy]') !== null")
        fits()

    stage.sign_in("admin")
    stage.on_a_phone(look)


def test_a_viewer_sees_feeders_and_changes_none(stage):
    stage.sign_in("viewer")
    stage.go("feeders")
    stage.press("Cellar")
    stage.shows("document.querySelector('sw-feeder .feeder-facts') !== null")
    assert not {"Edit", "Delete", "New UUID and lines"} & set(stage.offers())
    assert "47.5°, 8.6°" in stage.text("sw-feeder"), "rounded to 0.1 degree"
    assert "127.0.0.1" not in stage.text("sw-feeder")
