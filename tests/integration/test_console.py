"""The console in a real browser: what headers, cookies and forms are worth is for it to say."""

import httpx

from tests.accounts import PASSWORD, Population
from tests.chromium import chromium
from tests.integration.sso.running import served
from tests.ports import free_port
from tests.servers import browser_programs
from tests.waiting import PATIENCE_S, until


def test_a_browser_signs_in_sets_roles_and_signs_out(make_runtime):
    runtime = make_runtime(environment="development", auth_mode="hybrid")
    people = Population(runtime)
    people.user("ada", "superadmin")
    viewer = people.user("eve", "viewer")
    with served(runtime, free_port()) as url, chromium(*browser_programs()) as browser:
        browser.open(f"{url}/console/users/{viewer}")
        browser.type("input[name=username]", "ada")
        browser.type("input[name=password]", PASSWORD)
        browser.click("main button")
        assert browser.shows("h1", "eve")
        browser.click("input[value=operator]")
        browser.click("main form:has(#field-roles) .actions button")
        assert browser.shows("[role=status]", "eve now has these roles: Operator, Viewer.")
        # The policy keeps scripts out, and the session out of their reach.
        assert browser.run("return document.cookie") == ""
        browser.run("const s = document.createElement('script'); s.text = 'window.hacked = 1'; document.body.append(s)")
        assert browser.run("return window.hacked || 'kept out'") == "kept out"
        assert until(lambda: browser.run("return getComputedStyle(document.querySelector('main')).maxWidth") != "none")
        browser.click(".who button:not(.map)")
        assert browser.shows("[role=status]", "You are signed out.")
        browser.open(f"{url}/console/users")
        assert browser.shows("h1", "Sign in")
        refused = httpx.get(f"{url}/api/v1/users", timeout=PATIENCE_S)
        assert refused.status_code == 401


def test_two_credentials_sent_as_two_headers_are_refused(make_runtime):
    runtime = make_runtime(auth_mode="hybrid")
    people = Population(runtime)
    token, key = people.token(people.user("ada")), people.key(1, "aircraft")
    with served(runtime, free_port()) as url:
        for headers in (
            [("Authorization", f"Bearer {token}"), ("Authorization", f"Bearer {token}")],
            [("Authorization", f"Bearer {token}"), ("Authorization", f"ApiKey {key}")],
            [("X-API-Key", key), ("X-API-Key", key)],
        ):
            answer = httpx.get(f"{url}/api/v1/auth/profile", headers=headers, timeout=PATIENCE_S)
            assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
