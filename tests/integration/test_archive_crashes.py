"""Kill -9 between archiving and deletion, the short form of the drill."""

import pytest

from tests.drills.archive_crashes import run

pytestmark = pytest.mark.nightly("short form of a drill")

KILLS = 3


def test_what_is_killed_while_it_archives_loses_and_doubles_nothing():
    killed, _ = run(KILLS)
    assert killed == KILLS
