"""Two trackers of one installation by mistake, as an administrator meets it."""

import re

from tests.processes import Service, run_command
from tests.waiting import until


def test_a_second_tracker_is_refused_in_one_line_and_a_crash_makes_room(tmp_path, sqlite_url):
    first = Service(tmp_path, database_url=sqlite_url, receiver__demo="simulate aircraft=2").start()
    try:
        until(first.aircraft)
        second = run_command("serve", str(first.ini))
        assert second.returncode == 1
        assert re.fullmatch(
            rf"skywatch: another tracker is at work for this installation: process {first.process.pid} holds the lock"
            r" of the database; stop it first, or start without the role tracker\n",
            second.stderr,
        )
        first.kill()
        first.start()
        until(first.aircraft)
    finally:
        first.stop()
