"""The console's forms in a real browser: at the widths of a desk and a phone, light and dark, by keyboard alone, and
with scripts switched off; axe-core finds nothing serious."""

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import Role, User
from skywatch.core.bus import Message, topics
from tests.accounts import PASSWORD, Population
from tests.axe import faults_of
from tests.chromium import chromium
from tests.integration.sso.running import served
from tests.ports import free_port
from tests.servers import browser_programs
from tests.waiting import until

LOOKS = {"desk": (1440, 900, "light"), "phone": (390, 844, "dark")}
WIDER = pytest.mark.nightly("the same pages on a wider screen")
TAB, ENTER, SPACE = "\ue004", "\ue007", " "


@pytest.fixture
def console(make_runtime):
    """A browser and the address of a console, with people, a mapping and something in the log."""
    runtime = make_runtime(environment="development", auth_mode="hybrid")
    people = Population(runtime)
    people.user("ada", "superadmin")
    viewer = people.user("eve", "viewer")
    people.key(viewer, "aircraft")
    people.login(viewer)
    program = people.user("grafana", "viewer", kind="service")
    with served(runtime, free_port()) as url, chromium(*browser_programs()) as browser:
        browser.runtime, browser.viewer, browser.program = runtime, viewer, program
        yield browser, f"{url}/console"


def look(browser, name):
    width, height, scheme = LOOKS[name]
    browser.cdp(
        "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
    )
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])


def sign_in(browser, url):
    browser.open(f"{url}/sign-in")
    browser.type("input[name=username]", "ada")
    browser.type("input[name=password]", PASSWORD)
    browser.click("main button")
    assert browser.shows("h1", "Overview")


def pages(browser):
    with browser.runtime.sessions() as session:
        role = session.scalar(sa.select(Role.id).where(Role.name == "viewer"))
    user = f"/users/{browser.viewer}"
    yield from ("", "/users", "/users/new", user, f"{user}/edit", f"{user}/password", f"{user}/reset-link")
    yield from (f"{user}/delete", "/keys", "/users/new/service", "/roles", "/settings", "/settings/station_name")
    yield from (f"/users/{browser.program}", f"/users/{browser.program}/keys/new", "/sign-on", "/thresholds")
    yield from (f"/roles/{role}/edit", "/mappings", "/mappings/new", "/access", "/audit?action=login")
    yield from ("/health", "/search?q=retention")


@pytest.mark.parametrize("name", [pytest.param("desk", marks=WIDER), "phone"])
def test_every_page_fits_and_has_no_serious_fault(console, name):
    browser, url = console
    sign_in(browser, url)
    look(browser, name)
    faults = []
    for page in pages(browser):
        browser.open(url + page)
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        faults += [f"{page}: {fault}" for fault in faults_of(browser)]
    assert faults == []


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_user_is_made_and_edited_on_a_phone_with_and_without_scripts(console, has_scripts):
    browser, url = console
    look(browser, "phone")
    browser.cdp("Emulation.setScriptExecutionDisabled", value=not has_scripts)
    sign_in(browser, url)
    browser.click("header summary")
    browser.click("header details a[href='/console/users']")
    assert browser.shows("h1", "Users")
    browser.click("a[href='/console/users/new']")
    assert browser.shows("h1", "New user")
    browser.type("#field-username", "ivy")
    browser.type("#field-email", "ivy@example.org")
    browser.type("#field-password", "password12345")
    browser.click("main form button")
    assert browser.shows("#about-password .fault", "is too common")
    browser.type("#field-password", "nine quiet miles over Bern")
    browser.click("main form button")
    assert browser.shows("[role=status]", "ivy is created.")
    browser.click("main a[href$='/edit']")
    assert browser.shows("h1", "Edit ivy")
    browser.type("#field-display_name", " of Bern")
    browser.click("main form button")
    assert browser.shows("[role=status]", "ivy is saved.")
    with browser.runtime.sessions() as session:
        user = session.scalars(sa.select(User).where(User.username == "ivy")).one()
        assert (user.display_name, user.assignments[0].role.name) == ("ivy of Bern", "viewer")


def focused(browser):
    return browser.run("const one = document.activeElement; return [one.tagName, one.id || one.value || one.innerText]")


def go_to(browser, wanted):
    """Press Tab until something has the focus; whatever has it on the way is seen to have it."""

    def reached():
        browser.keys(TAB)
        outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", f"{focused(browser)} does not show that it has the focus"
        return wanted in focused(browser)[1]

    until(reached, wanted)


def test_a_role_is_made_with_the_keyboard_alone(console):
    browser, url = console
    look(browser, "desk")
    sign_in(browser, url)
    browser.open(f"{url}/roles")
    go_to(browser, "To the content")
    browser.keys(ENTER)
    go_to(browser, "New role")
    browser.keys(ENTER)
    assert browser.shows("h1", "New role")
    go_to(browser, "field-name")
    browser.keys("spotter")
    go_to(browser, "aircraft.view")
    browser.keys(SPACE)
    go_to(browser, "Create role")
    browser.keys(ENTER)
    assert browser.shows("[role=status]", "The role spotter is created.")
    with browser.runtime.sessions() as session:
        role = session.scalars(sa.select(Role).where(Role.name == "spotter")).one()
    assert role.permissions == ["aircraft.view"]


def test_the_overview_stays_fresh_without_losing_the_focus_or_an_open_fold(console):
    browser, url = console
    sign_in(browser, url)
    browser.run("document.querySelector('#parts').open = true; document.querySelector('#parts-summary').focus()")
    shown = "return document.querySelector('#figures time').dateTime"
    before = browser.run(shown)
    # A page that becomes visible again does not wait for its turn.
    browser.run("document.dispatchEvent(new Event('visibilitychange'))")
    assert until(lambda: browser.run(shown) != before, "fresh figures")
    state = "return [document.querySelector('#parts').open, document.activeElement.id]"
    assert browser.run(state) == [True, "parts-summary"]
    # The time is written by the reader's clock again, with UTC on hover.
    assert browser.run("return document.querySelector('#figures time').title").endswith(" UTC")
    # A session that has ended elsewhere shows its end instead of old figures.
    with browser.runtime.sessions() as session, session.begin():
        session.execute(sa.text("UPDATE logins SET ended_at = created_at"))
    browser.runtime.bus.publish(Message(topics.IDENTITIES, "changed", b""))
    browser.run("document.dispatchEvent(new Event('visibilitychange'))")
    assert browser.shows("h1", "Sign in")
