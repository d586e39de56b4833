"""Ways through the console as somebody new goes them: by its menu, links and forms alone, in a real browser."""

import pytest

from tests.accounts import Population
from tests.chromium import chromium
from tests.drills.console_walks import Walker, key_of_a_program, look_only, restored_threshold
from tests.integration.sso.running import served
from tests.ports import free_port
from tests.servers import browser_programs

pytestmark = [
    pytest.mark.nightly("short form of a drill"),
]


def test_a_second_user_a_key_of_a_program_and_a_threshold_restored(make_runtime):
    """Each by itself is a sign-in and a way of three pages; the service and the browser are started once."""
    runtime = make_runtime(environment="development", auth_mode="hybrid", console_first_run="false")
    Population(runtime).user("ada", "superadmin")
    with served(runtime, free_port()) as url, chromium(*browser_programs()) as browser:
        browser.cdp("Emulation.setDeviceMetricsOverride", width=1440, height=900, deviceScaleFactor=1, mobile=False)
        walker = Walker(browser, url)
        walker.sign_in("ada")
        look_only(walker, "bea")
        key_of_a_program(walker, "grafana")
        restored_threshold(walker)
        # A person is done with all three within two minutes.
        assert walker.person_s < 120
