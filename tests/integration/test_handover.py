"""From the console to the map and back in a real browser: one login, and one logout."""

import pytest

from tests.accounts import PASSWORD, Population
from tests.chromium import chromium
from tests.integration.sso.running import served
from tests.ports import free_port
from tests.servers import browser_programs
from tests.waiting import until

# Narrow heads fold the name away.
NAME = "return document.querySelector('.head .person')?.textContent?.trim() ?? ''"
TOKEN = "return localStorage.getItem('skywatch.access')"


@pytest.mark.parametrize("cookies", ["false", "true"])
def test_one_sign_in_serves_the_console_and_the_map(built, make_runtime, cookies):
    runtime = make_runtime(
        environment="development", auth_mode="hybrid", console_first_run="false", jwt_auth_cookie=cookies
    )
    Population(runtime).user("ada", "superadmin")
    with served(runtime, free_port()) as url, chromium(*browser_programs()) as browser:
        browser.open(f"{url}/console")
        browser.type("input[name=username]", "ada")
        browser.type("input[name=password]", PASSWORD)
        browser.click("main button")
        browser.shows("h1", "Overview")
        browser.click("header button.map")
        until(lambda: browser.run("return location.pathname") == "/", "the map")
        until(lambda: browser.run(NAME) == "Ada", "the name in the head")
        assert (browser.run(TOKEN) is None) is (cookies == "true")
        # The console's session is gone, the application's login opens it again.
        browser.cdp("Network.deleteCookies", name="skywatch_console", url=f"{url}/console")
        browser.run("location.hash = '#/account'")
        until(lambda: browser.run("return document.querySelector('a.button[href=console]') !== null"), "the link")
        browser.click("a.button[href=console]")
        browser.shows("h1", "Overview")
        # The page is shown before its script has run.
        until(
            lambda: browser.run(
                "return document.querySelector('time') === null || document.querySelector('time').title !== ''"
            ),
            "the whole time in the title",
        )
        browser.click(".who button:not(.map)")
        browser.shows("[role=status]", "You are signed out.")
        browser.open(f"{url}/#/account")
        until(lambda: browser.run(NAME) != "Ada", "the application has signed out as well")
