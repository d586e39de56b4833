"""Kill -9 between archiving and deletion, the short form of the drill."""

from tests.drills.archive_crashes import run

KILLS = 3


def test_what_is_killed_while_it_archives_loses_and_doubles_nothing():
    killed, _ = run(KILLS)
    assert killed == KILLS
