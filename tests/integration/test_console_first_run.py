"""The first run in a real browser, by keyboard alone, and what axe-core finds on the pages of the service."""

import pytest

from skywatch.accounts.changes import begin_change
from skywatch.accounts.defaults import install
from skywatch.accounts.setup.service import issue_password
from skywatch.core.database.engine import writing
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.settings import ReceiverSettings
from tests.axe import faults_of
from tests.chromium import chromium
from tests.integration.sso.running import served
from tests.ports import free_port
from tests.servers import browser_programs
from tests.waiting import until

PHONE, DESKTOP = (390, "dark"), (1440, "light")
PAGES = (
    "receivers",
    "receivers/input",
    "receivers/discovery",
    "airframes",
    "retention",
    "thresholds",
    "channels",
    "known-aircraft",
    "known-aircraft/new",
    "known-aircraft/import",
    "health",
    "settings",
    "software",
)
WIDER = pytest.mark.nightly("the same pages on a wider screen")
TAB, ENTER = "\ue004", "\ue007"
OWN = "a long password of my own"


def look(browser, width, scheme):
    browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])


@pytest.mark.parametrize("size", [PHONE, pytest.param(DESKTOP, marks=WIDER)], ids=["phone", "desktop"])
def test_an_installation_is_set_up_by_keyboard_and_its_pages_are_accessible(make_runtime, size):
    runtime = make_runtime(environment="development", auth_mode="hybrid")
    with writing(runtime.sessions) as session:
        begin_change(session)
        install(session)
    with writing(runtime.sessions) as session:
        password = issue_password(session)
    found = {}
    with served(runtime, free_port()) as url, chromium(*browser_programs()) as browser:
        look(browser, *size)
        browser.open(f"{url}/console")
        assert browser.shows("h1", "Set up Skywatch")
        found["setup"] = faults_of(browser)
        browser.run("document.querySelector('#field-setup_password').focus()")
        browser.keys(f"{password}{TAB}{TAB}{TAB}{OWN}{ENTER}")
        assert browser.shows("h1", "Station")
        browser.run("document.querySelector('#field-station_name').focus()")
        browser.keys(f"Roof{TAB}47.45{TAB}8.56{ENTER}")
        assert browser.shows("h1", "New receiver or input")
        browser.run("document.querySelector('#field-host').focus()")
        # Enter tries the receiver, which does not answer here; it is saved all the same.
        browser.keys(f"localhost{ENTER}")
        assert browser.shows(".problem strong", "It does not work.")
        found["a trial"] = faults_of(browser)
        browser.run("document.querySelector('button[value=save]').focus()")
        browser.keys(ENTER)
        until(lambda: runtime.current.of(ReceiverSettings).receivers)
        # The answer to what was saved leads to the map; a page that is opened before it arrives would be left again.
        until(lambda: browser.run("return location.pathname") == "/")
        for page in PAGES:
            browser.open(f"{url}/console/{page}")
            browser.text_of("h1")
            found[page] = faults_of(browser)
    assert {page: list_of for page, list_of in found.items() if list_of} == {}
    assert runtime.current.of(PictureSettings).station == (47.45, 8.56)
    assert runtime.current.of(ReceiverSettings).receivers == {"roof": "beast localhost:30005"}
