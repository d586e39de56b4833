"""The first minute in a browser: the sky, where the first administrator comes from, and the link that creates it."""

from __future__ import annotations

import re

from tests.processes import run_command

OWN = "nine quiet miles over Bern"


def test_the_link_creates_the_administrator_and_leaves_the_address(page, service):
    house = service(auth_mode="hybrid")
    house.start()
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
    assert page.text_of(".person span") == "admin"
    # The link is used up.
    page.run("localStorage.clear()")
    page.visit(house, f"/{link.group(0)}")
    page.wait_for("return document.querySelector('.login-card a[href=\"#/login\"]') !== null", "the way to the sign-in")


def test_the_card_of_simulated_aircraft_is_dismissed_for_good(page, sky):
    page.open_map(sky)
    page.wait_for_element(".simulated a")
    assert page.text_of(".simulated p") == "These are simulated aircraft: set up your receiver"
    page.click(".simulated button")
    assert page.run("return document.querySelector('.simulated') === null")
    page.open_map(sky)
    assert page.run("return document.querySelector('.simulated') === null")
