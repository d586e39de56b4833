"""The first minute in a browser: the sky, where the first administrator comes from, and the link that creates it."""

from __future__ import annotations

import re

from tests.processes import run_command
from tests.waiting import until

OWN = "nine quiet miles over Bern"


def test_the_link_creates_the_administrator_and_leaves_the_address(page, service):
    house = service(auth_mode="hybrid")
    house.start()
    # Wide enough for the name of who signed in, next to the icons of all pages.
    page.size(1280, 900)
    page.visit(house)
    page.wait_for_element(".login-card .setup-hint")
    assert "skywatch setup-link FILE.ini" in page.text_of(".setup-hint")
    link = re.search(r"#/setup\?token=(\S+)", run_command("setup-link", str(house.ini)).stdout)
    page.visit(house, f"/{link.group(0)}")
    page.wait_for_element(".login-card input[name=password]")
    assert link.group(1) not in page.run("return location.href + JSON.stringify({...localStorage, ...sessionStorage})")
    page.type("input[name=password]", OWN)
    page.click(".login-card button.primary")
    page.wait_for("return document.querySelectorAll('.window .row').length > 5", "aircraft in the list")
    assert page.shows(".person span", "admin")
    # The link is used up.
    page.run("localStorage.clear()")
    page.visit(house, f"/{link.group(0)}")
    page.wait_for("return document.querySelector('.login-card a[href=\"#/login\"]') !== null", "the way to the sign-in")


def test_the_card_of_simulated_aircraft_is_dismissed_for_good(page, sky):
    page.open_map(sky)
    page.wait_for_element(".simulated a")
    assert page.text_of(".simulated p") == "These are simulated aircraft: set up your receiver"
    page.click(".simulated button")
    page.wait_for("return document.querySelector('.simulated') === null", "no card")
    page.open_map(sky)
    assert page.run("return document.querySelector('.simulated') === null")


CLICK = """
const { map } = document.querySelector('sw-map');
const box = map.getTargetElement().getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2].map(Math.round)
"""


def test_the_station_is_clicked_on_the_map_and_a_silent_receiver_is_named(page, service):
    house = service(receiver__silent="beast 127.0.0.1:1")
    house.add_superadmin()
    house.start()
    page.size(1280, 860)
    page.sign_in(house, "root", "/#/station")
    page.wait_for_element("sw-station h1")
    page.wait_for_element(".places-station canvas")

    def is_clicked():
        x, y = page.run(CLICK)
        for kind in ("mousePressed", "mouseReleased"):
            page.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        return page.run("return document.querySelector('sw-station a.button') !== null")

    # A map that is still on its way, or moves, takes no click.
    until(is_clicked, "a place", every_s=1.0)
    lat, lon = re.search(r"(-?[0-9.]+), (-?[0-9.]+)", page.text_of("sw-station [role=status]")).groups()
    page.click("sw-station a.button")
    # The service of the tests has its station in the ini file, where the console leaves it: the address says the place.
    asked = "const query = new URLSearchParams(location.search); return query.get('lat') && [...query.values()].join()"
    assert page.wait_for(asked, "the console's page") == f"2,{lat},{lon}"
    assert page.shows("h1", "Station")
    page.open_map(house)
    page.wait_for_element(".silent")
    text = page.text_of(".silent")
    assert "silent does not answer:" in text
    assert "connection refused" in text
    assert "Tried: beast 127.0.0.1:1" in text
